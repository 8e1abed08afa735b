"""The help of the grammar: every line of the one table, in words that can be translated."""

from __future__ import annotations

import pytest

from indexer.query.filters import GRAMMAR
from indexer.query.grammar import parse
from ui.search.grammar import _KINDS, HELP, rows
from ui.search.panels import examples

pytestmark = pytest.mark.usefixtures("qapp")


def test_every_line_is_there_and_known_to_the_translators() -> None:
    assert [example for example, _told in rows()] == [each.example for each in GRAMMAR]
    assert {each.help.replace(_KINDS, "{kinds}") for each in GRAMMAR} == set(HELP)
    assert [told for _example, told in rows()] == [each.help for each in GRAMMAR]


def test_the_examples_are_understood() -> None:
    assert len(examples()) == 3
    assert not any(parse(example).notes for example, _told in rows())
