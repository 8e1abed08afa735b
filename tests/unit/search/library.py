"""A library of words: a catalog, a store with a passage of each document, and their lexicon."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.catalog.catalog import Catalog
from indexer.search.lexicon import Lexicon
from indexer.store.store import Store
from indexer.store.values import PassageRow
from tests.store_rows import passage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


@dataclass
class Library:
    catalog: Catalog
    store: Store
    lexicon: Lexicon

    @classmethod
    @contextmanager
    def opened(cls, folder: Path) -> Iterator[Library]:
        store = Store.open(folder / "index", threads=1)
        with Catalog(folder / "catalog.sqlite") as catalog:
            yield cls(catalog, store, Lexicon(catalog, store))
        store.close()

    def add(self, docs: Mapping[int, Mapping[str, int]], *, language: str = "en") -> None:
        """Give documents words, and how often each occurs, in place of those that they had."""
        texts = {
            doc: " ".join(" ".join([word] * count) for word, count in counts.items())
            for doc, counts in docs.items()
        }
        self.write(texts, language=language)

    def write(self, texts: Mapping[int, str], *, language: str = "en") -> None:
        """Give documents a passage in place of those that they had."""
        self.store.delete_docs(list(texts))
        rows = [PassageRow(doc, f"text {doc}", language, passage(0, t)) for doc, t in texts.items()]
        self.store.add_passages(rows)
