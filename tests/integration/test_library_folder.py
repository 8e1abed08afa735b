"""The folder of a library: room on its disk, its size, its move to another place, its removal."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from indexer.api.codec import encode
from indexer.api.errors import WorldError
from indexer.api.private_files import bytes_under
from indexer.api.requests import Diagnose, GetStatus, Index
from indexer.library import library as libraries
from tests.integration import killing, rights
from tests.integration.world import (
    Seen,
    World,
    check_same,
    check_whole,
    found,
    look,
    quoted,
    states,
)

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.progress import Progress

PETABYTE = 10**15


def test_indexing_pauses_while_the_disk_is_nearly_full(filled: World) -> None:
    with filled.engine(min_free_bytes=PETABYTE) as engine:
        with pytest.raises(WorldError) as caught:
            filled.index(engine)
        assert caught.value.code == "disk_full"
        assert "1000000.0 GB" in caught.value.message
        # Nothing was written, and what is there is known by name.
        assert engine.store.sizes()["texts"].rows == 0
        assert states(engine)["long.txt"] == "queued"
        assert found(engine, "long.txt") == ["long.txt"]
    with filled.engine() as engine:
        filled.index(engine)
        check_whole(engine)
        assert quoted(engine, "zephyr clause") == ["long.txt"]


def test_it_pauses_in_the_middle_and_goes_on(filled: World) -> None:
    with filled.engine() as engine:

        def fill(_progress: Progress) -> None:
            totals = engine.catalog.spaces.totals()
            if totals.embedded < totals.passages:
                engine.config = replace(engine.config, min_free_bytes=PETABYTE)

        with pytest.raises(WorldError) as caught:
            engine.call(Index((filled.documents,)), report=fill)
        assert caught.value.code == "disk_full"
        engine.config = filled.config
        before = engine.call(GetStatus()).documents
        assert before > 0
        again = filled.index(engine).summary
        assert again.documents_added == engine.call(GetStatus()).documents - before
        look(engine)


def test_the_size_of_the_library_is_told(copied: World) -> None:
    with copied.engine() as engine:
        status = engine.call(GetStatus())
        on_disk = sum(p.lstat().st_size for p in copied.library.rglob("*") if p.is_file())
        assert status.bytes == pytest.approx(on_disk, rel=0.05)
        assert status.free_bytes > 0
        tables = status.tables.values()
        assert 0 < sum(table.total for table in tables) < status.bytes


def test_a_moved_library_works_where_it_is(
    copied: World, undisturbed: Seen, tmp_path: Path
) -> None:
    libraries.move(copied.library, tmp_path / "new" / "place")
    assert not copied.library.exists()
    moved = World(copied.documents, tmp_path / "new" / "place", copied.models)
    with moved.engine() as engine:
        check_same(look(engine), undisturbed)
        assert moved.index(engine).work == (0, 0, 0)


def test_a_library_moved_by_hand_works_too(
    copied: World, undisturbed: Seen, tmp_path: Path
) -> None:
    shutil.copytree(copied.library, tmp_path / "copy")
    shutil.rmtree(copied.library)
    moved = World(copied.documents, tmp_path / "copy", copied.models)
    with moved.engine() as engine:
        check_same(look(engine), undisturbed)


def test_one_command_deletes_everything(copied: World) -> None:
    documents = {p: p.read_bytes() for p in copied.documents.rglob("*") if p.is_file()}
    size = bytes_under(copied.library)
    assert libraries.remove_everything(copied.library) == pytest.approx(size, rel=0.05)
    assert not copied.library.exists()
    assert {p: p.read_bytes() for p in documents} == documents


def test_the_status_fits_json(filled: World) -> None:
    with filled.engine() as engine:
        assert json.loads(json.dumps(encode(engine.call(GetStatus()))))["documents"] == 0
        filled.index(engine)
        status = json.loads(json.dumps(encode(engine.call(GetStatus()))))
        assert status["embedded_share"] == 1.0
        assert status["running"] is None
        (root,) = status["roots"]
        assert root["path"] == str(filled.documents)
        assert root["files"] == len(states(engine)) == sum(root["states"].values())
        assert root["bytes"] > 0
        assert root["patterns"] == []
        assert not root["offline"]
        assert all(check.ok for check in engine.call(Diagnose()))


def test_no_library_is_made_among_other_files(filled: World) -> None:
    filled.library.mkdir()
    for name in (".hidden", "lost+found"):
        (filled.library / name).mkdir()
    (filled.library / "resolv.conf").write_text("of somebody else")
    with pytest.raises(WorldError) as caught, filled.engine():
        pass
    assert caught.value.code == "not_empty"
    assert len(list(filled.library.iterdir())) == 3
    (filled.library / "resolv.conf").unlink()
    with filled.engine():
        pass


@pytest.mark.parametrize(
    "command", ["status", "search x", "move-library {other}", "doctor", "text {file}"]
)
def test_a_library_of_somebody_else_is_a_declared_error(
    filled: World, command: str, tmp_path: Path
) -> None:
    given = command.format(other=tmp_path / "other", file=next(filled.documents.iterdir()))
    prefix = rights.bound_by_permissions()
    filled.library.mkdir(mode=0o000)
    done = subprocess.run(
        [*prefix, sys.executable, "-m", "app", "--library", str(filled.library), *given.split()],
        cwd=killing.ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert f"may not read {filled.library}" in said
    assert "internal" not in said


def test_a_library_that_is_a_link_to_itself_is_a_declared_error(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.symlink_to(library)
    with pytest.raises(WorldError) as caught:
        libraries.exists(library)
    assert caught.value.code == "path_denied"
