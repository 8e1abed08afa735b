from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from indexer.catalog.bindings import fold, folded_path, folder_pattern
from indexer.catalog.records import DocFilter

from .fakes import FakeWalk, found, info, read_all, root_at

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.catalog.catalog import Catalog

TREE = {
    "": [found("a.txt", mtime_ns=100)],
    "Reports": [found("b.PDF", mtime_ns=200), found("c.txt", mtime_ns=300, size=500)],
    "Reports/2023": [found("d.pdf", mtime_ns=400)],
    "old/Réports/2023": [found("e.md", mtime_ns=500)],
}


@pytest.fixture
def docs(catalog: Catalog, tmp_path: Path) -> dict[str, int]:
    root = root_at(catalog, tmp_path / "Library").id
    catalog.scans.apply([(root, FakeWalk(TREE))])
    read = read_all(catalog)
    catalog.names.bind()
    return {name[0]: doc for name, doc in read.items()}


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        (DocFilter(folders=("reports",)), "bcde"),
        (DocFilter(folders=("Reports/2023",)), "de"),
        (DocFilter(folders=("2023/",)), "de"),
        (DocFilter(folders=("library/reports",)), "bcd"),
        (DocFilter(folders=("report",)), ""),
        (DocFilter(folders=("rep*", "nowhere")), "bcde"),
        (DocFilter(folders=("2?23",)), "de"),
        (DocFilter(not_folders=("2023",)), "abc"),
        (DocFilter(folders=("reports",), not_folders=("old",)), "bcd"),
        (DocFilter(extensions=("pdf",)), "bd"),
        (DocFilter(extensions=(".PDF", "md")), "bde"),
        (DocFilter(not_extensions=("pdf",)), "ace"),
        (DocFilter(dated_ns=(200, 400)), "bc"),
        (DocFilter(dated_ns=(None, 200)), "a"),
        (DocFilter(size=(11, None)), "c"),
        (DocFilter(titles=("title of b",)), "b"),
        (DocFilter(titles=("D",)), "d"),
        (DocFilter(languages=("EN",)), "abcde"),
        (DocFilter(languages=("de",)), ""),
        (DocFilter(authors=("someone",)), ""),
        (DocFilter(folders=("reports",), extensions=("pdf",), dated_ns=(300, None)), "d"),
    ],
)
def test_a_filter_keeps(
    catalog: Catalog, docs: dict[str, int], wanted: DocFilter, kept: str
) -> None:
    resolved = catalog.filters.resolve(wanted)
    assert resolved is not None
    assert resolved.tolist() == sorted(docs[letter] for letter in kept)


def test_an_absolute_folder_is_itself_only(
    catalog: Catalog, docs: dict[str, int], tmp_path: Path
) -> None:
    def resolve(path: str) -> set[int]:
        found_docs = catalog.filters.resolve(DocFilter(folders=(path,)))
        assert found_docs is not None
        return set(found_docs.tolist())

    assert resolve(str(tmp_path / "Library" / "Reports")) == {docs["b"], docs["c"], docs["d"]}
    assert resolve("/Reports") == set()


def test_no_filter_keeps_everything(catalog: Catalog, docs: dict[str, int]) -> None:
    assert catalog.filters.resolve(DocFilter()) is None


def test_filters_follow_moves(catalog: Catalog, tmp_path: Path, docs: dict[str, int]) -> None:
    wanted = DocFilter(folders=("new",))
    first = catalog.filters.resolve(wanted)
    assert first is not None
    assert first.tolist() == []
    root = catalog.roots.all()[0].id
    catalog.scans.apply([(root, FakeWalk({"new": [found("a.txt", mtime_ns=100, inode=1)]}))])
    jobs = catalog.queue.take(1)
    assert catalog.docs.link(jobs[0].file, "hash of a.txt", jobs[0].stamp, "text", 1)
    second = catalog.filters.resolve(wanted)
    assert second is not None
    assert second.tolist() == [docs["a"]]
    assert catalog.filters.resolve(wanted) is second


def test_a_document_being_written_is_not_kept(catalog: Catalog, tmp_path: Path) -> None:
    root = root_at(catalog, tmp_path / "r").id
    catalog.scans.apply([(root, FakeWalk({"": [found("a.txt")]}))])
    kept = catalog.filters.resolve(DocFilter(extensions=("txt",)))
    assert kept is not None
    assert len(kept) == 0


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.lists(st.text(st.characters(exclude_characters="/\\*?\0", codec="utf-8")), max_size=4))
def test_every_folder_is_found_by_each_of_its_components(parts: list[str]) -> None:
    parts = [part for part in parts if part.strip(".~") and fold(part)]
    path = "/" + "/".join(parts)
    folded = folded_path(path.encode())
    assert all(folder_pattern(part).search(folded) for part in parts)
    assert folder_pattern(path).search(folded)


def test_mails_are_dated_by_the_days_on_which_they_were_sent(
    catalog: Catalog, tmp_path: Path
) -> None:
    root = root_at(catalog, tmp_path / "Library").id
    catalog.scans.apply([(root, FakeWalk({"": [found("a.mbox"), found("b.eml"), found("c.txt")]}))])
    sent = {"a.mbox": ("2012-03-02", "2019-03-04"), "b.eml": ("2024-02-31", "9999-01-01")}
    docs = {}
    for job in catalog.queue.take(10):
        name = job.path.decode().rpartition("/")[2]
        about = replace(info(name), sent=sent.get(name, ("", "")))
        docs[name] = catalog.docs.begin(job.file, name, job.stamp, about, title_used="").doc
        catalog.docs.finish_passages(docs[name], 1)

    def dated(first: int, last: int) -> set[str]:
        nanoseconds = [int(datetime(year, 1, 1).timestamp()) * 10**9 for year in (first, last)]  # noqa: DTZ001  # local, as the days are
        kept = catalog.filters.resolve(DocFilter(dated_ns=(nanoseconds[0], nanoseconds[1])))
        assert kept is not None
        return {name for name, doc in docs.items() if doc in kept.tolist()}

    assert dated(2012, 2013) == dated(2015, 2016) == dated(2019, 2020) == {"a.mbox"}
    assert dated(2008, 2012) == dated(2020, 2021) == set()
    # What is no date, or none of this world, leaves the file's.
    assert dated(1970, 1971) == {"b.eml", "c.txt"}
    assert catalog.docs.docs_by_id([docs["c.txt"]])[docs["c.txt"]].sent_ns == 0
    assert catalog.docs.docs_by_id([docs["a.mbox"]])[docs["a.mbox"]].sent_ns // 10**9 == int(
        datetime(2019, 3, 4, 12).timestamp()  # noqa: DTZ001  # as above
    )
