from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.api.types import FileState
from indexer.text.terms import words
from tests.unit.catalog.fakes import FakeWalk, found, root_at

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.catalog.catalog import Catalog

TREE = {
    "": [found("Annual_Report 2023.pdf"), found("scan0001.jpg", state=FileState.UNSUPPORTED)],
    "Taxes/2022": [found("Lease (final).pdf"), found("Übersicht.txt"), found("東京都庁.txt")],
    "Lease": [found("notes.txt"), found("ActivisionBlizzard_2019_10K.pdf")],
}


@pytest.fixture
def root(catalog: Catalog, tmp_path: Path) -> int:
    root = root_at(catalog, tmp_path / "r").id
    catalog.scans.apply([(root, FakeWalk(TREE))])
    return root


def _find(catalog: Catalog, query: str, *, prefix: bool = False) -> list[str]:
    files = catalog.file_names.find(words(query), 10, prefix_last=prefix)
    rows = catalog.files.files_by_id(files)
    return [rows[file].file for file in files]


@pytest.mark.parametrize(
    ("query", "files"),
    [
        ("annual report", ["Annual_Report 2023.pdf"]),
        ("report annual", ["Annual_Report 2023.pdf"]),
        ("scan0001", ["scan0001.jpg"]),
        ("lease", ["Taxes/2022/Lease (final).pdf"]),
        ("taxes lease", ["Taxes/2022/Lease (final).pdf"]),
        ("lease notes", ["Lease/notes.txt"]),
        ("taxes", []),
        ("ubersicht", ["Taxes/2022/Übersicht.txt"]),
        ("ÜBERSICHT", ["Taxes/2022/Übersicht.txt"]),
        ("東京", ["Taxes/2022/東京都庁.txt"]),
        ("京都庁", ["Taxes/2022/東京都庁.txt"]),
        ("rep", []),
        ("activision blizzard", ["Lease/ActivisionBlizzard_2019_10K.pdf"]),
        ("activisionblizzard", ["Lease/ActivisionBlizzard_2019_10K.pdf"]),
        ("2019 10k", ["Lease/ActivisionBlizzard_2019_10K.pdf"]),
        ("", []),
        ('"annual" OR *', []),
    ],
)
def test_files_are_found_by_words(
    catalog: Catalog, root: int, query: str, files: list[str]
) -> None:
    assert _find(catalog, query) == files


def test_the_last_word_may_be_a_beginning(catalog: Catalog, root: int) -> None:
    assert _find(catalog, "annual rep", prefix=True) == ["Annual_Report 2023.pdf"]
    assert _find(catalog, "ann rep", prefix=True) == []
    assert _find(catalog, "s", prefix=True) == []


def test_renamed_and_removed_files_are_found_no_longer(catalog: Catalog, root: int) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("Yearly Report.pdf")]}))])
    assert _find(catalog, "annual") == []
    assert _find(catalog, "yearly") == ["Yearly Report.pdf"]
    catalog.roots.remove(root)
    assert _find(catalog, "yearly") == []


def test_names_can_be_counted_and_completed(catalog: Catalog, root: int) -> None:
    files = catalog.file_names
    assert [files.count(word) for word in ("lease", "pdf", "nothing")] == [3, 3, 0]
    assert files.by_prefix("le", 5) == [("lease", 3)]


def test_a_name_that_is_the_query_comes_first(catalog: Catalog, tmp_path: Path) -> None:
    root = root_at(catalog, tmp_path / "r").id
    many = [found(f"lease {n} of somebody.txt") for n in range(1500)]
    catalog.scans.apply([(root, FakeWalk({"": [*many, found("long way to Lease.txt")]}))])
    assert len(_find(catalog, "lease")) == 10
    catalog.scans.apply([(root, FakeWalk({"": [*many, found("Lease.txt"), found("Lease 7.txt")]}))])
    assert _find(catalog, "lease")[0] == "Lease.txt"
    assert _find(catalog, "lease 7")[0] == "Lease 7.txt"


@pytest.mark.parametrize(
    ("query", "files"),
    [
        ("Annual_Report 2023.pdf", ["Annual_Report 2023.pdf"]),
        ("annual report 2023", ["Annual_Report 2023.pdf"]),
        ("annual report 2023.txt", []),
        ("annual rep", ["Annual_Report 2023.pdf"]),
        ("annual report 2023.p", ["Annual_Report 2023.pdf"]),
        ("report 2023", []),
        ("an", []),
        ("Lease (final)", ["Taxes/2022/Lease (final).pdf"]),
        ("übersicht.txt", ["Taxes/2022/Übersicht.txt"]),
        ("東京都庁", ["Taxes/2022/東京都庁.txt"]),
        ("", []),
    ],
)
def test_files_are_found_by_their_whole_name_or_its_beginning(
    catalog: Catalog, root: int, query: str, files: list[str]
) -> None:
    found = catalog.file_names.called(query, 10, open_ended=True)
    rows = catalog.files.files_by_id(found)
    assert [rows[file].file for file in found] == files


def test_what_many_names_begin_with_is_a_word_like_others(catalog: Catalog, tmp_path: Path) -> None:
    names = ["report.txt", *(f"report {n}.txt" for n in range(4))]
    root = root_at(catalog, tmp_path / "r").id
    catalog.scans.apply([(root, FakeWalk({"": [found(name) for name in names]}))])
    for query in ("report", "report.txt"):
        files = catalog.file_names.called(query, 10, open_ended=True)
        assert [row.file for row in catalog.files.files_by_id(files).values()] == ["report.txt"]
    assert catalog.file_names.called("repo", 10, open_ended=True) == []
    assert catalog.file_names.called("rep", 10, open_ended=False) == []
