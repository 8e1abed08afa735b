"""How results are shown and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.benchmarks import report
from tests.benchmarks.report import Section

if TYPE_CHECKING:
    from pathlib import Path

SECTION = Section(
    "quality",
    "Quality",
    ("set", "queries", "mrr@10"),
    (("a|b", 1234, 0.98765), ("c", 7, None)),
    ("How to read it.",),
    {"kept": [1, 2]},
)


@pytest.mark.parametrize(
    ("cell", "text"),
    [(1_234_567, "1,234,567"), (0.98765, "0.988"), (12.345, "12.3"), (1234.6, "1,235"),
     (-0.5, "-0.500"), (None, ""), ("a|b", "a\\|b"), (0, "0")],
)  # fmt: skip
def test_a_cell_shows_what_is_significant(cell: report.Cell, text: str) -> None:
    assert report.shown(cell) == text


def test_a_section_is_a_markdown_table_with_its_notes() -> None:
    assert SECTION.markdown().splitlines() == [
        "### Quality",
        "",
        "| set | queries | mrr@10 |",
        "| --- | --- | --- |",
        "| a\\|b | 1,234 | 0.988 |",
        "| c | 7 |  |",
        "",
        "How to read it.",
    ]


def test_a_section_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    SECTION.save(tmp_path / "new", {"cores": "2"})
    assert report.load(tmp_path / "new" / "quality.json") == (SECTION, {"cores": "2"})


def test_a_document_names_the_machine_first() -> None:
    text = report.document([SECTION], {"cores": "2", "commit": ""})
    assert text.startswith("Measured on: cores 2.\n\n### Quality\n")
