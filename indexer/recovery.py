"""Puts a library in order that was not closed in order: what is half written goes, and is queued.

Owns the comparison of catalog and store. The store commits first and the catalog marks second,
so whatever was interrupted shows as a document without its mark, a document that only the store
knows, or a mark without its passages. It must not know how documents are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer import faults

if TYPE_CHECKING:
    from indexer.catalog import Catalog
    from indexer.store import Store


def recover(catalog: Catalog, store: Store) -> int:
    """Delete half documents and queue their files; no run may be under way.

    Cheap when there is nothing to do, and it may itself be interrupted.

    Returns:
        How many documents are to be read again.
    """
    damaged = {*catalog.queue.recover().unfinished_docs, *incomplete(catalog, store)}
    # A power cut may take the catalog's last commits but not the store's.
    damaged.update(np.setdiff1d(store.known_docs(), catalog.docs.known()).tolist())
    if damaged:
        docs = sorted(damaged)
        store.delete_docs(docs)
        faults.reached("leftovers-deleted")
        catalog.docs.forget(docs)
    return len(damaged)


def incomplete(catalog: Catalog, store: Store) -> list[int]:
    """The documents that have fewer or more passages in the store than they are marked with."""
    expected = catalog.docs.expected()
    counts = store.passage_counts(list(expected))
    return [doc for doc, passages in expected.items() if counts[doc] != passages]
