"""Recovers a library that was not closed: what is half written is deleted and queued.

Owns the comparison of catalog and store. The store commits first and the catalog marks second,
so whatever was interrupted shows as a document without its mark, a document that only the store
knows, or a mark without its passages or vectors. It must not know how documents are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer import faults
from indexer.catalog.upkeep import READ_AGAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.store.store import Store


def recover(catalog: Catalog, store: Store, *, blame: int = 0) -> int:
    """Delete half documents and queue their files; no run may be under way.

    Cheap when there is nothing to do, and it may itself be interrupted.

    Args:
        catalog: What to compare.
        store: With what.
        blame: Added to the crash counters of what was in progress.

    Returns:
        How many documents are to be read again.
    """
    recovery = catalog.queue.recover(blame=blame)
    catalog.spaces.recover(blame=blame)
    damaged = {*recovery.unfinished_docs, *incomplete(catalog, store)}
    # A power cut may take the catalog's last commits but not the store's.
    damaged.update(np.setdiff1d(store.known_docs(), catalog.docs.known()).tolist())
    if damaged:
        docs = sorted(damaged)
        store.delete_docs(docs)
        faults.reached("leftovers-deleted")
        catalog.docs.forget(docs)
    for space in catalog.spaces.all():
        if lost := without_vectors(catalog, store, space):
            catalog.spaces.reopen(lost, space.id)
    active = catalog.spaces.active()
    if active is not None and (lost := without_profile(catalog, store)):
        catalog.spaces.reopen(lost, active.id)
    return len(damaged)


def incomplete(catalog: Catalog, store: Store) -> list[int]:
    """The documents that have fewer or more passages in the store than they are marked with."""
    return _differing(catalog.docs.expected(), store.passage_counts)


def without_vectors(catalog: Catalog, store: Store, space: Space) -> list[int]:
    """The documents that are marked as embedded in a space and are not, or not all."""
    return _differing(
        catalog.spaces.expected(space.id), lambda docs: store.vector_counts(space.key, docs)
    )


def without_profile(catalog: Catalog, store: Store) -> list[int]:
    """The documents that are embedded in the active space and have no row of their own."""
    space = catalog.spaces.active()
    done = catalog.spaces.expected(space.id) if space else {}
    return np.setdiff1d(list(done), store.docs_with_profile()).tolist() if done else []


def unknown_words(catalog: Catalog) -> list[int]:
    """Documents whose words are kept though nobody knows them."""
    return sorted(catalog.lexicon.documents().difference(catalog.docs.known().tolist()))


def without_words(catalog: Catalog) -> list[int]:
    """Documents that can be searched but not found by their words, and are not read again."""
    there = catalog.lexicon.documents()
    rows = catalog.docs.get(doc for doc in catalog.docs.expected() if doc not in there)
    return [doc for doc, row in rows.items() if not row.text_id.startswith(READ_AGAIN)]


def _differing(
    expected: Mapping[int, int], count: Callable[[Sequence[int]], Mapping[int, int]]
) -> list[int]:
    counts = count(list(expected))
    return [doc for doc, number in expected.items() if counts[doc] != number]
