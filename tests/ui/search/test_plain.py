"""A hit's text for display has no running heads, no signs of Markdown, no heading twice."""

from __future__ import annotations

from indexer.search.passage_hits import left_out
from tests.ui.search.hits import hit
from ui.citations import passage
from ui.search.safe_text import plain


def test_a_running_head_inside_a_sentence_is_left_out() -> None:
    text = "Our experience of the\nCHAPTER VIII: ESCAPE 35\nprevi-\nous day. More."
    gone = left_out(text, "Our experience of the previous day. More.")
    assert [text[low:high] for low, high in gone] == ["CHAPTER VIII: ESCAPE 35\n"]
    found = plain(hit(text=text, left_out=gone, heading_path=()), [(0, text.index(" More"))])
    assert found.text == "Our experience of the previous day. More."
    assert [found.text[low:high] for low, high in found.spans] == [
        "Our experience of the previous day."
    ]
    assert passage(hit(text=text, left_out=gone)) == found.text


def test_signs_of_markdown_are_left_out() -> None:
    text = (
        "## Repairs\n\nThe **keeper** mends `the lamp` of [the tower](tower.md), _always_.\n"
        "> Not 2 * 3 or snake_case.\n\n```sh\nmake lamp\n```\n"
    )
    found = plain(hit(text=text, format="markdown", heading_path=("Repairs",)), [(16, 24)])
    assert found.text == (
        "The keeper mends the lamp of the tower, always. Not 2 * 3 or snake_case. make lamp"
    )
    assert [found.text[low:high] for low, high in found.spans] == ["keeper"]
    assert plain(hit(text="a **b**", format="text")).text == "a **b**"


def test_the_heading_above_a_snippet_is_not_repeated_in_it() -> None:
    text = "7. Repairs\nThe landlord mends the roof. The tenant pays."
    found = plain(hit(text=text, heading_path=("Lease", "7. REPAIRS")), [(11, 39)])
    assert found.text == "The landlord mends the roof. The tenant pays."
    assert found.spans == ((0, 28),)
    slide = hit(text="The talk\nSlide 2\nAll is said.", heading_path=("The talk", "Slide 2"))
    assert plain(slide).text == "All is said."
    prose = "Repairs are paid by the landlord."
    assert plain(hit(text=prose, heading_path=("Repairs",))).text == prose
