"""The scratch folders of children, and what children are told of the environment."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from indexer.confine import worker
from indexer.confine.process import (
    SCRATCH_PREFIX,
    child_environment,
    make_scratch,
    measure_folder,
)
from tests.integration import rights


def test_folders_that_killed_parents_left_are_removed() -> None:
    left = Path(tempfile.gettempdir()) / f"{SCRATCH_PREFIX}old"
    left.mkdir()
    os.utime(left, (0, 0))
    with make_scratch() as made:
        assert not left.exists()
        assert Path(made).stat().st_mode & 0o077 == 0
    assert not Path(made).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_what_cannot_be_counted_counts_as_too_much(tmp_path: Path) -> None:
    (tmp_path / "folder" / "inner").mkdir(parents=True)
    assert measure_folder(tmp_path, 9)[0] == 2
    assert measure_folder(tmp_path, 1)[0] == 2
    code = """
import os, sys
from indexer.confine.process import measure_folder
os.mkdir(sys.argv[1], 0o300)
print(measure_folder(sys.argv[1], 9)[0])
"""
    done = subprocess.run(
        [*rights.bound_by_permissions(), sys.executable, "-c", code, str(tmp_path / "closed")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "10", done.stderr


def test_a_path_of_python_opens_no_folder_of_the_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    given = [tmp_path, home, Path(tempfile.gettempdir()), home / "lib"]
    monkeypatch.setattr(sys, "path", [*sys.path, *map(str, given)])
    assert {*worker._interpreter()} & {*given} == {home / "lib"}


def test_children_are_not_told_the_secrets_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    told = child_environment()
    assert told.keys().isdisjoint(
        {"AWS_SECRET_ACCESS_KEY", "HTTPS_PROXY", "DBUS_SESSION_BUS_ADDRESS"}
    )
    assert told["LC_ALL"] == "C.UTF-8"
    assert told["PATH"] == os.environ["PATH"]
