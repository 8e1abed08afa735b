"""Removing and moving a library touches what is Lectern's, and nothing else."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from indexer.api.errors import WorldError
from indexer.api.private_files import LibraryLock, bytes_under
from indexer.library import library as libraries


@pytest.fixture
def library(tmp_path: Path) -> Path:
    library = tmp_path / "library"
    (library / "index" / "vectors_tiny.index-000001").mkdir(parents=True)
    (library / "index" / "vectors_tiny.index-000001" / "data").write_bytes(b"x" * 1000)
    (library / "catalog.sqlite").write_bytes(b"y" * 500)
    return library


def test_removing_frees_everything(library: Path) -> None:
    assert libraries.exists(library)
    assert bytes_under(library) == 1500
    assert libraries.remove_everything(library) >= 1500
    assert not library.exists()
    assert libraries.remove_everything(library) == 0


def test_what_is_not_ours_stays(library: Path, tmp_path: Path) -> None:
    (library / "thesis.pdf").write_text("ten years of work")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("gold")
    (library / "engine.json").symlink_to(outside / "precious")
    libraries.remove_everything(library)
    assert [path.name for path in library.iterdir()] == ["thesis.pdf"]
    assert (outside / "precious").exists()
    assert not libraries.exists(library)


def test_a_folder_that_is_no_library_is_left_alone(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "index").mkdir(parents=True)
    (project / "index" / "main.rs").write_text("fn main() {}")
    (project / "engine.json").write_text("{}")
    assert libraries.remove_everything(project) == 0
    assert sorted(path.name for path in project.iterdir()) == ["engine.json", "index"]


def test_a_library_in_use_is_neither_removed_nor_moved(library: Path, tmp_path: Path) -> None:
    with LibraryLock.acquire(library, "lectern index"):
        with pytest.raises(WorldError, match="lectern index"):
            libraries.remove_everything(library)
        with pytest.raises(WorldError, match="lectern index"):
            libraries.move(library, tmp_path / "new")
    assert bytes_under(library) >= 1500


@pytest.mark.parametrize("empty_folder_there", [False, True])
def test_moving(library: Path, tmp_path: Path, *, empty_folder_there: bool) -> None:
    destination = tmp_path / "a" / "b"
    if empty_folder_there:
        destination.mkdir(parents=True)
    libraries.move(library, destination)
    assert not library.exists()
    assert (
        destination / "index" / "vectors_tiny.index-000001" / "data"
    ).read_bytes() == b"x" * 1000


def test_moving_across_file_systems(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def refuse_between_disks(self: Path, target: Path) -> Path:
        if self.parent != target.parent:
            raise OSError(errno.EXDEV, "another disk")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse_between_disks)
    (tmp_path / "disk").mkdir()
    libraries.move(library, tmp_path / "disk" / "library")
    assert not library.exists()
    assert libraries.exists(tmp_path / "disk" / "library")
    assert [path.name for path in (tmp_path / "disk").iterdir()] == ["library"]


def test_moving_refuses_a_place_that_is_taken(library: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "something").touch()
    for place in (tmp_path / "full", tmp_path / "full" / "something"):
        with pytest.raises(WorldError) as caught:
            libraries.move(library, place)
        assert caught.value.code == "not_empty"
    with pytest.raises(WorldError) as caught:
        libraries.move(tmp_path / "nowhere", tmp_path / "new")
    assert caught.value.code == "path_missing"
