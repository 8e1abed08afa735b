"""``lectern compare``, and ``lectern search`` with ``--like`` and ``--explain``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Lectern


def test_compare_lists_the_statements_of_one_side_only(lectern: Lectern, folder: Path) -> None:
    (folder / "lease2.txt").write_text("The tenant pays rent.\fThe landlord paints the doors.")
    lectern("index", folder)
    assert "[not_a_root]" in lectern("compare", "nowhere.txt", "lease.txt", status=2).stderr
    # An existing path is relative to the current folder.
    said = lectern("compare", folder / "lease.txt", "documents/lease2.txt")
    first, second = said.stdout.split("Only in lease2.txt")
    assert "Only in lease.txt" in first
    assert "The landlord mends the roof." in first
    assert "The landlord paints the doors." in second
    assert "One › Two" in first
    assert "nearest 0.30" in first
    assert "The tenant pays rent." not in said.stdout.replace("nearest 0.30, The tenant pays", "")
    assert "2 and 2 statements" in second


def test_compare_for_programs(lectern: Lectern, folder: Path) -> None:
    lectern("index", folder)
    arguments = ("compare", "--json", "--all", folder / "ice.txt", folder / "lease.txt")
    answer = json.loads(lectern(*arguments).stdout)
    assert answer["first"]["alone"] == len(answer["first"]["only"]) == 2
    few = json.loads(lectern("compare", "--json", "--limit", "1", *arguments[3:]).stdout)
    assert (few["first"]["alone"], len(few["first"]["only"])) == (2, 1)
    text = lectern("compare", "--limit", "1", *arguments[3:]).stdout
    assert "and 1 more; show them with --all" in text


def test_compare_through_a_running_engine(lectern: Lectern, folder: Path) -> None:
    with lectern.serving():
        lectern("index", folder)
        said = lectern("compare", folder / "ice.txt", folder / "lease.txt").stdout
        assert "The ship sank in November." in said
        assert "cosine" in lectern("search", "--explain", "--json", "ship").stdout


def test_a_place_becomes_a_like_query(lectern: Lectern, folder: Path) -> None:
    lectern("index", folder)
    answer = json.loads(lectern("search", "--json", "--like", folder / "ice.txt", "rent").stdout)
    assert answer["text"] == f'like:"{folder / "ice.txt"}" rent'
    page = json.loads(lectern("search", "--json", "--like", f"{folder / 'ice.txt'}#page=2").stdout)
    assert page["text"] == f'like:"{folder / "ice.txt"}#page=2"'


def test_explained_hits_name_the_matching_words(lectern: Lectern, folder: Path) -> None:
    lectern("index", folder)
    answer = json.loads(lectern("search", "--explain", "--json", "rent").stdout)
    assert answer["hits"][0]["explain"]["match"]["cosine"] == 0.5
    refused = lectern("search", "--explain", "rent", status=2)
    assert "--explain goes with --json" in refused.stderr
