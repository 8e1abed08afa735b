"""Page labels from the rules of a PDF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pymupdf
import pytest

from indexer.extract.pdf.labels import page_labels

if TYPE_CHECKING:
    from pathlib import Path


def rule(start: int, style: str, prefix: str = "", first: int = 1) -> dict[str, Any]:
    return {"startpage": start, "style": style, "prefix": prefix, "firstpagenum": first}


@pytest.mark.parametrize(
    ("rules", "labels"),
    [
        ([], []),
        ([rule(0, "D")], []),
        ([rule(0, "r"), rule(3, "D")], ["i", "ii", "iii", "1", "2"]),
        ([rule(2, "D", "A-", 8)], ["1", "2", "A-8", "A-9", "A-10"]),
        ([rule(0, "", "Cover"), rule(1, "R")], ["Cover", "I", "II", "III", "IV"]),
        ([rule(3, "D"), rule(0, "a")], ["a", "b", "c", "1", "2"]),
        ([{"startpage": 0}], []),
    ],
)
def test_rules_become_labels(rules: list[dict[str, Any]], labels: list[str]) -> None:
    assert page_labels(rules, 5) == labels


def test_labels_equal_those_of_pymupdf(tmp_path: Path) -> None:
    document = pymupdf.open()
    for _ in range(60):
        document.new_page()
    # No more than 26 letters: the library counts on as AB, where the standard says BB.
    rules = [rule(0, "r"), rule(7, "D", "p. "), rule(30, "A"), rule(55, "R", "x", 39)]
    document.set_page_labels(rules)
    document = pymupdf.open("pdf", document.tobytes())
    expected = [page.get_label() for page in document]
    assert page_labels(document.get_page_labels(), 60) == expected
