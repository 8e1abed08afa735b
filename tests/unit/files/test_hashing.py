from __future__ import annotations

import hashlib
import os
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.api.errors import Cancelled, WorldError
from indexer.files.walk import CHUNK_BYTES, content_id, is_unchanged

if TYPE_CHECKING:
    from pathlib import Path


@given(size=st.sampled_from([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3_000_000]))
@settings(max_examples=6, deadline=None)
def test_it_is_the_sha256_of_the_bytes(tmp_path_factory: pytest.TempPathFactory, size: int) -> None:
    path = tmp_path_factory.mktemp("hash") / "file"
    content = os.urandom(size)
    path.write_bytes(content)
    found = content_id(os.fsencode(path))
    assert found.content_id == hashlib.sha256(content).hexdigest()
    assert found.stamp.size == size
    assert is_unchanged(os.fsencode(path), found.stamp)


def test_it_can_be_stopped(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * (2 * CHUNK_BYTES))
    with pytest.raises(Cancelled):
        content_id(os.fsencode(path), stopping=lambda: True)


@pytest.mark.parametrize("grow", [True, False])
def test_a_change_during_hashing_is_detected(tmp_path: Path, grow: bool) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * (3 * CHUNK_BYTES))
    asked = 0

    def change() -> bool:
        nonlocal asked
        asked += 1
        if asked == 1:
            with path.open("r+b") as file:
                if grow:
                    file.seek(0, os.SEEK_END)
                    file.write(b"more")
                else:
                    file.write(b"other")
            os.utime(path, ns=(1, 1))
        return False

    with pytest.raises(WorldError) as caught:
        content_id(os.fsencode(path), stopping=change)
    assert caught.value.code == "changed_while_read"


def test_a_file_that_is_touched_or_gone_is_not_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x")
    stamp = content_id(os.fsencode(path)).stamp
    os.utime(path, ns=(5, 5))
    assert not is_unchanged(os.fsencode(path), stamp)
    path.unlink()
    assert not is_unchanged(os.fsencode(path), stamp)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes in folders")
def test_a_pipe_instead_of_a_file_does_not_block(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path / "pipe")
    os.mkfifo(path)
    failures: list[str] = []

    def read() -> None:
        try:
            content_id(path)
        except WorldError as error:
            failures.append(error.code)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(10)
    assert failures == ["read_error"]
