"""Deleting what a hostile process left behind: links, modes and depth change nothing outside."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from indexer.confine.process import empty_folder, remove_folder
from tests.integration import rights

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes and descriptors of POSIX")


def test_links_are_deleted_and_not_followed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("x")
    kept.chmod(0o750)
    left = tmp_path / "left"
    (left / "inner").mkdir(parents=True)
    for place in (left / "link", left / "inner" / "link"):
        place.symlink_to(kept)
    (left / "file").symlink_to(kept / "file")
    remove_folder(left)
    assert not left.exists()
    assert (kept / "file").read_text() == "x"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o750
    link = tmp_path / "link"
    link.symlink_to(kept)
    remove_folder(link)
    empty_folder(link)
    assert (kept / "file").exists()


def test_neither_modes_nor_depth_keep_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    code = """
import os, sys
from pathlib import Path
from indexer.confine.process import remove_folder
left = Path(sys.argv[1])
left.mkdir()
at = os.open(left, os.O_RDONLY)
for depth in range(3_000):
    os.mkdir("d" * 99, dir_fd=at)
    inner = os.open("d" * 99, os.O_RDONLY, dir_fd=at)
    os.close(at)
    at = inner
closed = left / "closed"
(closed / "inner").mkdir(parents=True)
(closed / "inner").chmod(0)
closed.chmod(0o100)
remove_folder(left)
print(left.exists())
"""
    place = tmp_path / "open"
    place.mkdir()
    place.chmod(0o777)
    done = subprocess.run(
        [*rights.as_somebody_else(), sys.executable, "-c", code, str(place / "left")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "False", done.stderr
    assert not os.listdir(place)  # noqa: PTH208  # by descriptors
