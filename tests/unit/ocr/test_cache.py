"""The cache of recognised pages: what waits, what is kept, what a damaged file costs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from indexer.ocr.cache import FILE_NAME, PageCache, PageCounts, RecognisedPages
from indexer.ocr.layer import RecognisedLine, RecognisedWord, pack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MADE, LATER = "tesseract 5.3 eng", "tesseract 5.4 eng"
LINES = [RecognisedLine((RecognisedWord("harbour", (1.0, 2.0, 30.0, 9.0)),), 7.0)]
WORDS = pack(LINES)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[PageCache]:
    cache = PageCache(tmp_path)
    yield cache
    cache.close()


def pages(folder: Path, content: str = "a", size: int = 10) -> RecognisedPages:
    return RecognisedPages.load(folder, size, lambda: content)


def test_nothing_is_written_before_there_is_a_scan(cache: PageCache, tmp_path: Path) -> None:
    assert cache.next_page(MADE) is None
    assert cache.counts(MADE) == PageCounts()
    assert cache.content_ids() == set()
    cache.reset_failures(["a"])
    assert not (tmp_path / FILE_NAME).exists()
    assert pages(tmp_path).page(1).lines == ()


def test_pages_wait_until_they_are_kept(cache: PageCache, tmp_path: Path) -> None:
    cache.add_pages("a", 10, [2, 5])
    cache.add_pages("a", 10, [2, 5])
    assert cache.counts(MADE) == PageCounts(waiting=2)
    assert cache.next_page(MADE) == ("a", 2)
    cache.store("a", 2, MADE, WORDS)
    assert cache.next_page(MADE) == ("a", 5)
    assert cache.next_page(MADE, without=["a"]) is None
    assert pages(tmp_path).page(2).lines == tuple(LINES)
    assert pages(tmp_path).page(5).lines == ()
    assert pages(tmp_path, size=11).page(2).lines == ()
    assert pages(tmp_path, content="b").page(2).lines == ()


def test_the_documents_of_which_least_is_missing_come_first(cache: PageCache) -> None:
    cache.add_pages("long", 10, range(1, 9))
    cache.add_pages("short", 10, [1, 2])
    assert cache.next_page(MADE) == ("short", 1)
    for page in range(1, 8):
        cache.store("long", page, MADE, WORDS)
    assert cache.next_page(MADE) == ("long", 8)


def test_a_later_engine_reads_again_and_the_words_stay_until_then(
    cache: PageCache, tmp_path: Path
) -> None:
    cache.add_pages("a", 10, [1])
    cache.store("a", 1, MADE, WORDS)
    assert cache.counts(LATER) == PageCounts(waiting=1)
    assert cache.counts("") == PageCounts(read=1)  # none is there to do it
    assert pages(tmp_path).page(1).lines == tuple(LINES)
    assert not cache.record_stop("a", 1, LATER, "broken")
    assert cache.record_stop("a", 1, LATER, "broken")
    assert pages(tmp_path).page(1).lines == tuple(LINES)


def test_a_page_that_stops_its_engine_twice_is_set_aside_until_it_is_forgiven(
    cache: PageCache, tmp_path: Path
) -> None:
    cache.add_pages("a", 10, [1])
    assert not cache.record_stop("a", 1, MADE, "broken")
    assert cache.next_page(MADE) == ("a", 1)
    assert cache.record_stop("a", 1, MADE, "broken")
    assert cache.next_page(MADE) is None
    assert cache.counts(MADE) == PageCounts(failed=1)
    assert pages(tmp_path).page(1).reason == "broken"
    cache.reset_failures(["a"])
    assert cache.next_page(MADE) == ("a", 1)
    assert not cache.record_stop("a", 1, MADE, "broken")


def test_documents_are_read_anew_when_they_are_whole_or_much_is_new(cache: PageCache) -> None:
    cache.add_pages("a", 10, range(1, 101))
    due = []
    for page in range(1, 101):
        cache.store("a", page, MADE, WORDS)
        if cache.due(MADE):
            due.append(page)
            cache.mark_published("a")
    assert due == [32, 64, 100]
    assert cache.due(MADE) == []


def test_what_is_forgotten_is_gone(cache: PageCache, tmp_path: Path) -> None:
    cache.add_pages("a", 10, [1])
    cache.store("a", 1, MADE, WORDS)
    cache.delete(["a"])
    assert cache.content_ids() == set()
    assert pages(tmp_path).page(1).lines == ()


@pytest.mark.parametrize(
    "damage", [b"no database at all" * 100, b"SQLite format 3\x00" + b"x" * 5000]
)
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(damage)
    assert pages(tmp_path).page(1).lines == ()
    cache = PageCache(tmp_path)
    cache.add_pages("a", 10, [1])
    assert cache.next_page(MADE) == ("a", 1)
    cache.close()


@pytest.mark.skipif(os.name != "posix", reason="permission bits are a POSIX matter")
def test_only_its_owner_may_read_it(cache: PageCache, tmp_path: Path) -> None:
    cache.add_pages("a", 10, [1])
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o077 == 0


def test_images_come_after_all_scans(cache: PageCache) -> None:
    cache.add_pages("photo", 10, [1], last=True)
    cache.add_pages("scan", 20, range(1, 9))
    assert cache.next_page(MADE) == ("scan", 1)
    assert cache.next_page(MADE, ["scan"]) == ("photo", 1)
