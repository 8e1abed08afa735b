"""The examples of the start page are understood."""

from __future__ import annotations

import pytest

from indexer.query.grammar import parse
from ui.search.start import examples

pytestmark = pytest.mark.usefixtures("qapp")


def test_the_examples_are_understood() -> None:
    assert len(examples()) == 3
    assert all(told and not parse(example).notes for example, told in examples())
