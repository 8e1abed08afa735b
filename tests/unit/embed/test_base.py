"""The prefix of a passage."""

from __future__ import annotations

import pytest

from indexer.embed.batches import passage_prefix


@pytest.mark.parametrize(
    ("title", "headings", "prefix"),
    [
        ("", (), ""),
        ("Report", (), "Report: "),
        ("", ("Risks",), "Risks: "),
        ("Report", ("Risks", "Currency"), "Report. Risks \u203a Currency: "),
        ("  A\n title ", ("", " x\ty "), "A title. x y: "),
    ],
)
def test_the_prefix_has_title_and_headings(
    title: str, headings: tuple[str, ...], prefix: str
) -> None:
    assert passage_prefix(title, headings) == prefix
