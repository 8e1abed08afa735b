"""Which documents a query means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.asked import Asked, prepare
from indexer.catalog import Catalog
from indexer.evidence import LATER, gather
from indexer.query import parse
from tests.unit.catalog.fakes import FakeWalk, found, read_all, root_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.evidence import Library

NAMES = ("Acme 2018.txt", "Acme FY19.txt", "Acme 2020.txt", "Acme 2018-2021.txt", "Acme rules.txt")


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with Catalog(tmp_path / "catalog.sqlite") as opened:
        walk = FakeWalk({"": [found(name, inode=at) for at, name in enumerate(NAMES, 1)]})
        opened.scans.apply(root_at(opened, tmp_path / "root").id, walk)
        for doc in read_all(opened).values():
            opened.lexicon.add(doc, {"margin": 3, "the": 9}, language="en")
        opened.names.bind()
        yield opened


def ask(catalog: Catalog, text: str) -> tuple[Asked, Library]:
    space = catalog.spaces.add("mini", {})
    with catalog.lexicon.reading() as reading:
        asked = prepare(parse(text), text, catalog.lexicon, reading, ("en",), passages=20)
        return asked, gather(asked, np.zeros(0, np.float32), catalog, reading, space)


def years(catalog: Catalog, text: str) -> dict[str, float]:
    """The evidence of years, by the name of the file."""
    _, library = ask(catalog, text)
    docs = catalog.docs.known()
    places = catalog.files.places(docs)
    scores = library.of(docs).year.tolist()
    return {places[doc][0].relative: year for doc, year in zip(docs.tolist(), scores, strict=True)}


def test_a_document_of_an_earlier_year_cannot_tell_of_a_later_one(catalog: Catalog) -> None:
    assert years(catalog, "margin in FY2020") == dict(zip(NAMES, (1, 1, 0, 0, 0), strict=True))


def test_a_document_of_a_later_year_tells_of_an_earlier_one_too(catalog: Catalog) -> None:
    expected = (1, 0, LATER, 0, 0)
    assert years(catalog, "margin in 2019") == dict(zip(NAMES, expected, strict=True))


def test_of_several_years_the_last_counts(catalog: Catalog) -> None:
    assert years(catalog, "margin from 2018 to 2020") == years(catalog, "margin in 2020")


def test_without_a_year_all_documents_are_alike(catalog: Catalog) -> None:
    assert set(years(catalog, "margin").values()) == {0.0}
