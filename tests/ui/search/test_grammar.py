"""The help of the grammar has every operator."""

from __future__ import annotations

import pytest

from indexer.query.filters import GRAMMAR, help_of
from indexer.query.grammar import parse
from ui.search.panels import examples, grammar_examples

pytestmark = pytest.mark.usefixtures("qapp")


def test_every_line_is_there() -> None:
    assert list(grammar_examples()) == [(each.example, help_of(each)) for each in GRAMMAR]


def test_the_examples_are_understood() -> None:
    assert len(examples()) == 3
    # An exclusion alone is no query, so each example is a part of one.
    assert not any(parse(f"rent {example}").notes for example, _told in grammar_examples())
