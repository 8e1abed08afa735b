"""Titles: from content and metadata, without boilerplate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.types import BlockKind
from indexer.extract.base import RawBlock, RawPage
from indexer.extract.structure.titles import (
    MAX_TITLE_CHARS,
    agreement_title,
    choose_title,
    is_plausible_title,
    plausible_author,
    tidy_capitals,
)
from tests.unit.extract.pages import page_of, styled

BETWEEN_COMPANIES = """Exhibit 10.1
SERVICES AGREEMENT
This Services Agreement is made by and between Lamp Co., Inc. ("Lamp"),
a Delaware corporation (together with its successors and assigns), and Wick & Oil
GmbH, a German company."""
ON_A_COVER = """EXECUTION VERSION
MARINE TRANSPORTATION
AGREEMENT
BETWEEN
LAMP SHIPPING LLC
AND
WICK HOLDINGS LIMITED
Dated May 1, 2004"""
AMENDMENT = """Amendment No. 3 to the Supply Agreement
Lamp Inc. and Wick Ltd. hereby agree"""


@pytest.mark.parametrize(
    ("text", "title", "parties"),
    [
        (BETWEEN_COMPANIES, "SERVICES AGREEMENT", "Lamp Co., Inc. and Wick & Oil GmbH"),
        (
            ON_A_COVER,
            "MARINE TRANSPORTATION AGREEMENT",
            "LAMP SHIPPING LLC and WICK HOLDINGS LIMITED",
        ),
        (AMENDMENT, "Amendment No. 3 to the Supply Agreement", "Lamp Inc. and Wick Ltd."),
        ("SERVICES AGREEMENT\nThis agreement binds whoever signs it.", "SERVICES AGREEMENT", ""),
        ("Contract No.: 151315\nCooperation Agreement\nApril 2013", "Cooperation Agreement", ""),
        ("This letter is not about any agreement between us.\nIt is late.", "", ""),
        ("License: CC BY\nLast Updated: 2021", "", ""),
        ("", "", ""),
    ],
)
def test_contracts(text: str, title: str, parties: str) -> None:
    assert agreement_title([text]) == (f"{title} between {parties}" if parties else title)


@pytest.mark.parametrize(
    "title",
    [
        "", "  ", "ab", "untitled", "Untitled-1", "Document1", "0001018724-20-000004", "report.pdf",
        "Slide 1", "Microsoft Word - letter.doc", "PowerPoint Presentation", "a3f9c2d4e5b6",
        "scan_20190801", "UNITED STATES SECURITIES AND EXCHANGE COMMISSION", "FORM 10-K",
        "Table of Contents", "EXHIBIT 99.1", "https://example.org/a", "C:\\Users\\me\\a",
        "????????", "\ufffd\ufffd\ufffd", "12/07/2019", "issue15340",
        "{6F9619FF-8B86-D011-B42D-00C04FC964FF}", "Print", "page 3",
    ],
)  # fmt: skip
def test_what_is_no_title(title: str) -> None:
    assert not is_plausible_title(title)


@pytest.mark.parametrize(
    "title",
    [
        "The Lamp",
        "10-K - 02/07/2019 - Lamp Company",
        "1984",
        "Lampe",
        "灯台守の日記",
        "C++ in a Week",
        "Form and Function",
    ],
)
def test_what_is_one(title: str) -> None:
    assert is_plausible_title(title) is (title != "1984")


def test_the_title_in_the_metadata_has_priority() -> None:
    page = page_of(1, styled("Another", size=30), "some text " * 9)
    assert choose_title(" The  Lamp ", [page]) == "The Lamp"
    assert choose_title("untitled", [page]) == "Another"


def test_the_largest_type_of_the_first_page_with_text_is_the_title() -> None:
    blank = RawPage(1, "")
    lines = [styled("A Keeper’s", size=24), styled("Tale", size=24)]
    page = page_of(2, styled("Table of Contents", size=30), *lines, *["some text " * 9] * 4)
    assert choose_title("", [blank, page]) == "A Keeper’s Tale"


def test_without_a_larger_type_the_first_heading_is_the_title() -> None:
    page = page_of(1, "EXHIBIT 7", "THE KEEPER'S RULES", *["some text " * 9] * 4)
    assert choose_title("", [page]) == "THE KEEPER'S RULES"


def test_the_title_of_a_contract_comes_after_that_of_the_metadata() -> None:
    pages = [page_of(1, *AMENDMENT.split("\n"))]
    assert choose_title("", pages).startswith("Amendment No. 3 to the Supply Agreement between")
    assert choose_title("The Lamp", pages) == "The Lamp"


@pytest.mark.parametrize(
    ("text", "blocks", "expected"),
    [
        ("# The Lamp\n\ntext", (RawBlock(2, 10, BlockKind.HEADING, 1),), "The Lamp"),
        ("The Lamp\n\nIt burns.", (RawBlock(0, 8, BlockKind.PARAGRAPH),), "The Lamp"),
        ("\ufeffThe Lamp\n\nIt burns.", (RawBlock(0, 9, BlockKind.PARAGRAPH),), "The Lamp"),
        (
            "\ufeff" + AMENDMENT,
            (),
            "Amendment No. 3 to the Supply Agreement between Lamp Inc. and Wick Ltd.",
        ),
        ("It burns all night.\n\nYes.", (RawBlock(0, 19, BlockKind.PARAGRAPH),), ""),
        ("Date: 1890\n\nIt burns.", (RawBlock(0, 10, BlockKind.PARAGRAPH),), ""),
    ],
)  # fmt: skip
def test_text_formats(text: str, blocks: tuple[RawBlock, ...], expected: str) -> None:
    assert choose_title("", [RawPage(1, text, blocks)]) == expected


def test_a_collection_is_not_named_after_its_first_part() -> None:
    page = RawPage(1, "Lamp\ntext", (RawBlock(0, 4, BlockKind.HEADING, 1),))
    assert choose_title("", [page]) == "Lamp"
    assert choose_title("", [page], collection=True) == ""


ANY = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200)
WORDY = st.text(alphabet='ABab AGREEMENTbetween\n,.()“”"&\t10-K', max_size=300)


@given(ANY, st.lists(ANY | WORDY, max_size=3))
def test_a_title_is_one_short_line_whatever_the_document(metadata: str, texts: list[str]) -> None:
    pages = [page_of(n, *text.split("\n")) for n, text in enumerate(texts, 1)]
    title = choose_title(metadata, pages)
    assert len(title) <= MAX_TITLE_CHARS
    assert title == " ".join(title.split())
    assert choose_title(metadata, pages) == title


@given(WORDY)
def test_rules_accept_any_text(text: str) -> None:
    assert "\n" not in agreement_title([text])
    assert tidy_capitals(tidy_capitals(text)) == tidy_capitals(text) or " " in text


@pytest.mark.parametrize(
    "author",
    ["anonymous", "Unknown Author", "Administrator", "User", "Windows User",
     "Hewlett-Packard Company", "Dell Inc.", "python-docx", "N/A", "Benutzer",
     "(anonymous)", "HP Inc.", "User 1", "Microsoft Office-Benutzer", "Utente Windows",
     "Utilisateur de Microsoft Office", "Пользователь", "用户", "Valued Customer", "Your Name",
     "-", "CamScanner"],
)  # fmt: skip
def test_programs_and_placeholders_are_no_authors(author: str) -> None:
    assert plausible_author(author) == ""


@pytest.mark.parametrize(
    "author",
    [
        "Mina Harker",
        "Apple Martin",
        "Root, Elihu",
        "IBM Research",
        "User Research Group",
        "Office of the Auditor",
        "Canon John Smith",
        "मीना",
        "",
    ],
)
def test_people_and_houses_are_authors(author: str) -> None:
    assert plausible_author(author) == author
