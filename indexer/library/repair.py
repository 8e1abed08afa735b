"""Verifies an open library row by row, and repairs it.

Unlike ``recovery``, which it calls at the end, it reads every row of the store, which takes
minutes. It defines the kinds of problems, their sentences and the fix of each. Rows are compared
with the catalog in both directions. Nothing is corrected in place: doubtful rows are deleted, and
their documents are queued to be read or embedded again. Undamaged documents keep everything.
``recovery`` handles missing rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sized
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct, field

from indexer.api.answers import Problem, Verification
from indexer.api.errors import LecternError
from indexer.library.recovery import incomplete, other_texts, recover, without_vectors
from indexer.library.removal import deletable_orphans
from indexer.store.vectors import Vectors, vectors_name

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog
    from indexer.store.store import Store

    Fix = Callable[[], object]


class Findings(Struct):
    """Problems and their fixes. Fixes run in the order of the problems, and then ``recover``."""

    problems: list[Problem] = field(default_factory=list)
    fixes: list[Fix] = field(default_factory=list)
    seconds: float = 0.0

    def add_problem(
        self, where: str, kind: str, found: Sized | int, said: str, fix: Fix | None = None
    ) -> None:
        """Add a problem unless ``found`` is empty or 0.

        ``said`` is a sentence with {n}, the size of ``found``, and perhaps {where}.
        """
        count = found if isinstance(found, int) else len(found)
        if count:
            self.problems.append(Problem(kind, where, count, said.format(n=count, where=where)))
            if fix is not None:
                self.fixes.append(fix)

    def describe(self, catalog: Catalog, store: Store) -> Verification:
        totals = catalog.spaces.totals()
        return Verification(
            problems=tuple(self.problems),
            documents=totals.documents,
            passages=totals.passages,
            bytes=sum(size.total for size in store.sizes().values()),
            seconds=self.seconds,
        )


def verify(catalog: Catalog, store: Store, tick: Callable[[], None] = lambda: None) -> Findings:
    """Check a whole library. Only files that would abort the process are corrected.

    ``tick`` is called after each block of rows and may raise to stop.
    """
    began = time.monotonic()
    found = Findings()
    damages = catalog.db.problems()
    found.add_problem("catalog", "damaged_catalog", damages, "The catalog has {n} damages.")
    words, said = store.words, "{n} files of the words were altered."
    found.add_problem("words", "altered_words", words.verify(), said, words.discard)
    check = _Check(catalog, store, found)
    check.texts(tick)
    for name, vectors in list(store.vectors.items()):
        check.vectors(name, vectors, tick)
    try:
        check.counts()
        check.catalog_alone()
    except LecternError as error:
        if error.code != "library_damaged":
            raise
    found.seconds = time.monotonic() - began
    return found


def repair(
    catalog: Catalog, store: Store, tick: Callable[[], None] = lambda: None
) -> tuple[Findings, Findings]:
    """Repair an open library; no run may be in progress.

    Returns the problems before and after. Documents that are queued again do not count.
    """
    before = verify(catalog, store, tick)
    if not before.problems:
        return before, before
    for fix in before.fixes:
        fix()
    recover(catalog, store)
    store.words.behind = True
    store.catch_up()
    return before, verify(catalog, store, tick)


class _Check(Struct):
    """The comparison of a catalog with the stores."""

    catalog: Catalog
    store: Store
    found: Findings

    def texts(self, tick: Callable[[], None]) -> None:
        """Check the rows and the SQLite structure of texts; ``recover`` queues damaged ones."""
        texts, add = self.store.texts, partial(self.found.add_problem, "texts")
        structure, wrong, strange = texts.verify(tick)
        again = set(self.catalog.queue.to_be_read_again())
        damaged = [doc for doc in wrong if doc not in again]
        add("damaged_texts", damaged, "{n} documents have damaged passages.")
        add("damaged_file", structure, "The file of texts has {n} damages.", texts.rebuild)
        add("strange_passages", strange, "{n} passages belong to no document.", texts.rebuild)
        other = other_texts(self.catalog, self.store)
        again_too = partial(self.catalog.queue.read_again, other)
        add("wrong_text", other, "{n} documents have the text of another one.", again_too)
        unknown = np.setdiff1d([*texts.documents()], self.catalog.docs.known()).tolist()
        said = "There are texts of {n} documents that are not in the catalog."
        add("orphans", unknown, said, partial(self.store.delete_docs, unknown))

    def vectors(self, name: str, vectors: Vectors, tick: Callable[[], None]) -> None:
        """Check the vectors of a space, by themselves and against texts and catalog."""
        add = partial(self.found.add_problem, name)
        if name not in {vectors_name(space.key) for space in self.catalog.spaces.all()}:
            drop = partial(self.store.drop_vectors, name)
            add("unknown_space", 1, "{where} belongs to no model of the catalog.", drop)
            return
        structure, damaged, invalid = vectors.verify(tick)
        keys = vectors.keys()
        said = "The file of {where} has {n} damages."
        add("damaged_file", structure, said, vectors.rebuild)
        delete = partial(vectors.delete_rows, damaged)
        add("altered", damaged, "{n} vectors of {where} are damaged.", delete)
        delete = partial(vectors.delete_rows, invalid)
        add("senseless_rows", invalid, "{n} vectors of {where} have invalid values.", delete)
        strange = np.setdiff1d(vectors.documents()[0], self.catalog.docs.known()).tolist()
        said = "{where} has vectors of {n} documents that are not in the catalog."
        add("orphans", strange, said, partial(vectors.delete_docs, strange))
        bare = np.setdiff1d(keys, self.store.texts.keys())
        delete = partial(vectors.delete_rows, bare)
        add("without_passage", bare, "{n} vectors of {where} lack a passage.", delete)
        if vectors.index is not None:
            said = "{n} files of the index of {where} were altered."
            add("broken_index", vectors.index.altered_files(), said, vectors.drop_index)

    def counts(self) -> None:
        """Check for missing rows, which ``recover`` queues."""
        short = incomplete(self.catalog, self.store)
        self.found.add_problem("texts", "missing_passages", short, "{n} documents lack passages.")
        for space in self.catalog.spaces.all():
            name = vectors_name(space.key)
            lost = without_vectors(self.catalog, self.store, space)
            said = f"{{n}} documents lack vectors of {space.key}."
            self.found.add_problem(name, "missing_vectors", lost, said)

    def catalog_alone(self) -> None:
        """Check the catalog without the store."""
        queue = self.catalog.queue
        orphans = deletable_orphans(self.catalog)
        add = partial(self.found.add_problem, "catalog")
        add("contents_without_files", orphans, "{n} documents belong to no file.")
        lost, requeue = queue.files_without_contents(), queue.requeue_without_contents
        said = "{n} files are marked as read, but their contents are not recorded."
        add("files_without_contents", lost, said, requeue)
