"""What a window is started with: a query, or files and folders to open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.start_arguments import query_and_paths

if TYPE_CHECKING:
    from pathlib import Path


def test_existing_absolute_paths_are_opened(tmp_path: Path) -> None:
    file = tmp_path / "a lease & more.pdf"
    file.touch()
    assert query_and_paths([str(file), file.as_uri(), f"{tmp_path}/"]) == (
        "",
        (str(file), str(file), str(tmp_path)),
    )


def test_everything_else_is_a_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes").mkdir()
    monkeypatch.chdir(tmp_path)
    words = ["who", "pays", "notes", "/no/such/file", "lectern://passage?text=a", "/a\0b"]
    assert query_and_paths(words) == (" ".join(words), ())


@pytest.mark.parametrize(
    "address", ["file://other-host/etc/passwd", "file:", "file://[", "file:/%00"]
)
def test_addresses_that_name_no_local_file_open_nothing(address: str) -> None:
    assert query_and_paths([address]) == (address, ())
