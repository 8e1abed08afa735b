"""Conditions that only the text of a passage can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from msgspec.structs import replace

from indexer.query.grammar import parse
from indexer.search.narrowing import narrow
from tests.store_rows import stored_passage

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog
    from indexer.store.values import StoredPassage


def passage(view: str, first: int = 1, last: int = 1) -> StoredPassage:
    return stored_passage(view, page_first=first, page_last=last)


def test_a_query_without_conditions_keeps_everything(catalog: Catalog) -> None:
    narrowing = narrow(parse("the lease"), catalog)
    assert narrowing.docs is None
    assert not narrowing.empty
    assert not narrowing.checks_text
    assert narrowing.keeps(passage("anything"))


@pytest.mark.parametrize(
    ("query", "view", "kept"),
    [
        ("lease -draft", "a Draft lease", False),
        ("lease -draft", "a drafted lease", True),
        ('lease -"notice period"', "the Notice\nPeriod is six months", False),
        ('lease -"notice period"', "a period of notice", True),
        ("lease -été", "en ETE", False),
    ],
)
def test_excluded_words_and_phrases_are_whole_words(
    catalog: Catalog, query: str, view: str, kept: bool
) -> None:
    narrowing = narrow(parse(query), catalog)
    assert narrowing.checks_text
    assert narrowing.keeps(passage(view)) is kept


@pytest.mark.parametrize(
    ("query", "pages", "kept"),
    [
        ("lease page:>10", (10, 10), False),
        ("lease page:>10", (10, 11), True),
        ("lease page:3..5", (5, 6), True),
        ("lease page:3..5", (6, 6), False),
        ("lease page:3..5", (1, 2), False),
    ],
)
def test_a_passage_answers_if_any_of_its_pages_does(
    catalog: Catalog, query: str, pages: tuple[int, int], kept: bool
) -> None:
    assert narrow(parse(query), catalog).keeps(passage("lease", *pages)) is kept


def test_a_mail_of_a_mailbox_passes_by_its_own_day(catalog: Catalog) -> None:
    narrowing = replace(narrow(parse("oil"), catalog), unsent={7: np.array([False, True, True])})
    assert narrowing.checks_text
    assert [narrowing.keeps(passage("oil", page, page), 7) for page in (1, 2, 3, 4)] == [
        True, False, False, True,
    ]  # fmt: skip
    assert narrowing.keeps(passage("oil", 2, 2), 8)


def test_a_folder_nobody_has_leaves_nothing(catalog: Catalog) -> None:
    assert narrow(parse("lease in:nowhere"), catalog).empty


def test_a_year_no_clock_knows_is_no_error(catalog: Catalog) -> None:
    narrow(parse("lease before:0001-01-01 after:9999"), catalog)
