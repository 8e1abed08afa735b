"""Recovers a library that was not closed: incomplete documents are deleted and queued.

Unlike ``repair`` it runs at every opening: it compares the counts of catalog and store and reads no
rows. The store commits before the catalog sets its marks. So an interruption leaves a document
without a mark or only in the store, and damage may leave a mark without passages or vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer import faults
from indexer.library.removal import deletable_orphans, forget_orphans

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.store.store import Store


def recover(catalog: Catalog, store: Store, *, blame: int = 0) -> int:
    """Delete orphaned and incomplete documents, and queue the incomplete ones.

    No run may be in progress. This is cheap if there is nothing to do, and may be interrupted.

    Args:
        blame: The increment of the crash counters of files and documents in progress.

    Returns the number of documents that must be read again.
    """
    damaged = {*catalog.queue.recover(blame=blame), *incomplete(catalog, store)}
    catalog.spaces.recover(blame=blame)
    # A power cut may roll back the catalog's last commits but not the store's.
    damaged.update(
        np.setdiff1d(store.known_docs(), catalog.docs.known(), assume_unique=True).tolist()
    )
    if damaged:
        docs = sorted(damaged)
        store.delete_docs(docs)
        faults.reached("leftovers-deleted")
        catalog.docs.forget(docs)
    read_again(catalog, store)
    for space in catalog.spaces.all():
        if lost := without_vectors(catalog, store, space):
            catalog.spaces.reopen(lost, space.id)
    # The end of a run deletes orphans, unless it was killed before.
    if deletable_orphans(catalog):
        forget_orphans(catalog, store)
    return len(damaged)


def read_again(catalog: Catalog, store: Store) -> None:
    """Queue the documents with damaged texts, each once.

    The rest of a text is searchable until its document is read, even if its drive is unplugged.
    """
    if damaged := store.texts.damaged_docs():
        catalog.queue.read_again(set(damaged) - set(catalog.queue.to_be_read_again()))


def other_texts(catalog: Catalog, store: Store) -> list[int]:
    """The documents whose text in the store is not the one in the catalog."""
    texts = store.texts.documents()
    again = set(catalog.queue.to_be_read_again())
    return [
        doc
        for doc, row in catalog.docs.docs_by_id(texts).items()
        if doc not in again
        and (row.text_id, row.language) != (texts[doc].text_id, texts[doc].language)
    ]


def incomplete(catalog: Catalog, store: Store) -> list[int]:
    """The documents whose numbers of passages differ in store and catalog."""
    return _differing(catalog.docs.expected(), store.texts.counts)


def without_vectors(catalog: Catalog, store: Store, space: Space) -> list[int]:
    """The documents that are marked as embedded in a space but lack vectors."""
    return _differing(
        catalog.spaces.expected(space.id), lambda docs: store.vector_counts(space.key, docs)
    )


def _differing(
    expected: Mapping[int, int], count: Callable[[Sequence[int]], Mapping[int, int]]
) -> list[int]:
    counts = count(list(expected))
    return [doc for doc, number in expected.items() if counts[doc] != number]
