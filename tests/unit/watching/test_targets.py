from __future__ import annotations

import sys

import pytest

from indexer.catalog.records import Root
from indexer.watching.settling import targets

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="written with /")

ROOTS = [Root(1, b"/r"), Root(2, b"/r/inner"), Root(3, b"/s", b"only.txt")]


def _entries(*paths: bytes) -> tuple[dict[int, dict[bytes, set[bytes]]], set[int]]:
    found = targets(paths, ROOTS)
    partial = {
        root: {folder: set(names) for folder, names in folders.items()}
        for root, folders in found.partial.items()
    }
    return partial, found.whole


def test_entries_are_collected_by_folder() -> None:
    assert _entries(b"/r/a", b"/r/b", b"/r/d/c") == ({1: {b"": {b"a", b"b"}, b"d": {b"c"}}}, set())
    assert _entries(b"/elsewhere/x") == ({}, set())


def test_what_is_below_something_that_is_walked_is_left_out() -> None:
    assert _entries(b"/r/d/e/f", b"/r/d", b"/r/d/g") == ({1: {b"": {b"d"}}}, set())
    assert _entries(b"/r/d/e/f", b"/r/dd") == ({1: {b"d/e": {b"f"}, b"": {b"dd"}}}, set())


def test_patterns_mean_their_folder() -> None:
    assert _entries(b"/r/d/.lecternignore", b"/r/d/x") == ({1: {b"": {b"d"}}}, set())
    assert _entries(b"/r/.lecternignore", b"/r/d/x") == ({}, {1, 2})


def test_roots_within_roots_both_look() -> None:
    assert _entries(b"/r/inner/x") == ({1: {b"inner": {b"x"}}, 2: {b"": {b"x"}}}, set())
    assert _entries(b"/r/inner") == ({1: {b"": {b"inner"}}}, {2})
    assert _entries(b"/r") == ({}, {1, 2})


def test_of_a_single_file_only_that_file_counts() -> None:
    assert _entries(b"/s/only.txt") == ({}, {3})
    assert _entries(b"/s") == ({}, {3})
    assert _entries(b"/s/other.txt") == ({}, set())
