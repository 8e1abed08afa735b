"""Takes out of a library what is damaged, and queues what was lost with it.

Owns what is done about each problem that ``indexer.library.verify`` finds. Nothing is mended in
place: what is doubtful goes, and is read or embedded again from the person's files. It must not
know how that is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer.library.recovery import recover
from indexer.library.removal import forget_orphans
from indexer.library.verify import (
    Findings,
    altered,
    of_other_texts,
    other_documents,
    unknown_words,
    verify,
    with_gaps,
    without_profile,
    without_words,
)
from indexer.store import damage, indices
from indexer.store.checks import docs_with, examine
from indexer.store.schema import DOCUMENTS, PASSAGES, is_vectors_table, vectors_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from indexer.catalog import Catalog
    from indexer.store import Store


def repair(
    catalog: Catalog, store: Store, tick: Callable[[], None] = lambda: None
) -> tuple[Findings, Findings]:
    """Repair an open library; no run may be under way.

    Returns:
        What was found before, and what is left. Documents that are queued again are no problem.
    """
    before = verify(catalog, store, tick)
    for name, table in store.tables.items():
        # Met by whatever read it first, such as the opening of the library.
        said = f"{{n}} rows of {name} stood in files that are damaged."
        before.add("unreadable_rows", name, table.lost, said)
        table.lost = 0
    if not before.problems:
        return before, before
    changed = altered(before, catalog)
    _clear_tables(before, changed, catalog, store)
    _forget(before, catalog, store)
    recover(catalog, store)
    _fill_in(catalog, store)
    # The text answers until it is read again, and what was not changed keeps its vectors.
    catalog.docs.read_again(changed[PASSAGES])
    for name, table in store.tables.items():
        indices.rebuild(name, table, before.tables[name].broken_indices)
    return before, verify(catalog, store, tick)


def _clear_tables(
    found: Findings, changed: Mapping[str, list[int]], catalog: Catalog, store: Store
) -> None:
    """Take out rows that cannot be read, and vectors that are good for nothing."""
    spaces = {vectors_table(space.key) for space in catalog.spaces.all()}
    passages = found.tables[PASSAGES].keys
    for name, table in found.tables.items():
        damage.delete_unreadable(store.tables[name], table.unreadable)
        if is_vectors_table(name):
            if name not in spaces:
                store.drop_table(name)
                continue
            bare = np.setdiff1d(table.keys, passages)
            useless = np.concatenate([np.array(table.invalid, np.int64), table.duplicates, bare])
            _delete(store, name, [*docs_with(useless), *changed[name]])
        elif name == DOCUMENTS:
            strange = np.setdiff1d(table.keys, catalog.docs.known())
            wrong = other_documents(table, catalog)
            spoilt = [*table.duplicates.tolist(), *wrong, *changed[name]]
            _delete(store, name, [*strange.tolist(), *spoilt])


def _forget(found: Findings, catalog: Catalog, store: Store) -> None:
    """Let go of documents whose passages are wrong; their files are queued."""
    passages = found.tables[PASSAGES]
    wrong = np.concatenate([np.array(passages.invalid, np.int64), passages.duplicates])
    docs = {
        *docs_with(wrong),
        *with_gaps(passages, catalog.docs.expected()),
        *of_other_texts(passages, catalog),
    }
    if docs:
        store.delete_docs(sorted(docs))
        catalog.docs.forget(docs)


def _fill_in(catalog: Catalog, store: Store) -> None:
    """Have made anew what is only missing."""
    space = catalog.spaces.active()
    documents = examine(DOCUMENTS, store.tables[DOCUMENTS], lambda: None)
    if space is not None:
        catalog.spaces.reopen(without_profile(documents, catalog), space.id)
    catalog.lexicon.mark_deleted(unknown_words(catalog))
    catalog.docs.read_again(without_words(catalog))
    catalog.docs.requeue_without_contents()
    if not catalog.queue.waiting():
        forget_orphans(catalog, store)


def _delete(store: Store, name: str, docs: list[int]) -> None:
    if docs:
        store.tables[name].delete_docs(docs)
