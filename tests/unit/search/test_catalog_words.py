"""Words of the catalog's texts are the same however they were kept between runs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.search import catalog_words
from indexer.search.catalog_words import CatalogWords
from indexer.store.document_counting import count_tokens
from indexer.store.document_words import DocumentWords

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.catalog.catalog import Catalog

WORDS = ("lamp", "lease", "register", "\u706f\u5854", "=abc")


@dataclass
class Texts:
    """Numbered texts of a few words, and how often they were asked for."""

    catalog: Catalog
    tokens: dict[int, Sequence[str]] = field(default_factory=dict)
    last: int = 0
    read: list[int] = field(default_factory=list)

    def add(self, count: int) -> None:
        for number in range(self.last + 1, self.last + count + 1):
            self.tokens[number] = [WORDS[number % 5], WORDS[number % 3], f"only{number}"]
        self.last += count

    def newer(self, after: int) -> Mapping[int, Sequence[str]]:
        found = {number: tokens for number, tokens in self.tokens.items() if number > after}
        self.read.append(len(found))
        return found

    def opened(self) -> CatalogWords[Sequence[str]]:
        return CatalogWords(self.catalog.packed_words, "texts", self.newer, count_tokens)

    @property
    def there(self) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        return np.array(sorted(self.tokens), np.int32)

    def check(self, words: CatalogWords[Sequence[str]]) -> None:
        """All that is asked about the words is what plain counting tells."""
        known = DocumentWords.of_parts(self.there, words.parts())
        asked = [*WORDS, "only7", "only300", "nowhere"]
        expected = {
            word: [number for number, tokens in self.tokens.items() if word in tokens]
            for word in asked
        }
        found = known.documents(asked)
        assert {word: docs.tolist() for word, docs in found.items()} == {
            word: numbers for word, numbers in expected.items() if numbers
        }
        times = Counter({number: tokens.count("lamp") for number, tokens in self.tokens.items()})
        assert known.counts(["lamp"])[self.there].tolist() == [
            times[number] for number in self.there.tolist()
        ]


@pytest.fixture
def texts(catalog: Catalog) -> Texts:
    return Texts(catalog)


def test_the_next_run_counts_what_is_new_alone(texts: Texts) -> None:
    texts.add(600)
    words = texts.opened()
    texts.check(words)
    assert words.save(texts.there)
    texts.add(3)
    texts.check(words)
    texts.read.clear()
    again = texts.opened()
    texts.check(again)
    assert texts.read == [3]


def test_texts_that_are_gone_are_not_kept(texts: Texts) -> None:
    texts.add(600)
    words = texts.opened()
    words.parts()
    for number in range(1, 400):
        del texts.tokens[number]
    texts.check(words)
    assert words.save(texts.there)
    again = texts.opened()
    texts.check(again)
    assert [part.docs.tolist() for part in again.parts()] == [texts.there.tolist()]


def test_few_texts_are_not_packed_again(texts: Texts) -> None:
    texts.add(catalog_words.LEAST - 1)
    words = texts.opened()
    assert not words.save(texts.there)
    texts.add(1)
    assert words.save(texts.there)
    assert not words.save(texts.there)
    texts.add(catalog_words.LEAST)
    assert words.save(texts.there)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE packed_words SET packed = zeroblob(length(packed))",
        "UPDATE packed_words SET packed = x''",
        "UPDATE packed_words SET version = version + 1",
        "UPDATE packed_words SET checksum = 1",
    ],
)
def test_what_cannot_be_read_is_counted_again(texts: Texts, damage: str) -> None:
    texts.add(600)
    assert texts.opened().save(texts.there)
    with texts.catalog.write() as connection:
        assert connection.execute(damage).rowcount == 1
    texts.read.clear()
    again = texts.opened()
    texts.check(again)
    assert texts.read == [600]
    assert again.save(texts.there)
    texts.check(texts.opened())


def test_of_no_texts_nothing_is_kept(texts: Texts) -> None:
    words = texts.opened()
    texts.check(words)
    assert not words.save(texts.there)
    texts.add(300)
    words.parts()
    texts.tokens.clear()
    assert not words.save(texts.there)
