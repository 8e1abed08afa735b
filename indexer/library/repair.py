"""Verifies an open library row by row, and repairs it.

Apart from ``recovery``, which it ends with, because it reads every row of the store, which takes
minutes. Owns the kinds of problems, their sentences and the fix of each. Rows are compared with the
catalog in both directions. Nothing is corrected in place: doubtful rows are deleted and their
documents are queued, to be read or embedded again; undamaged documents keep everything. Missing
rows are left to ``recovery``. It must not know how documents are read.
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
    """Problems and their fixes, which run in the order of the problems, ``recover`` after them."""

    problems: list[Problem] = field(default_factory=list)
    fixes: list[Fix] = field(default_factory=list)
    seconds: float = 0.0

    def add(
        self, kind: str, where: str, found: Sized | int, said: str, fix: Fix | None = None
    ) -> None:
        """Add a problem, unless ``found`` is empty or 0."""
        count = found if isinstance(found, int) else len(found)
        if count:
            self.problems.append(Problem(kind, where, count, said.format(n=count)))
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
    """Check a whole library; the only corrections are of files that would abort the process.

    ``tick`` is called after each block of rows; may raise to stop.
    """
    began = time.monotonic()
    found = Findings()
    found.add("damaged_catalog", "catalog", catalog.db.problems(), "The catalog has {n} damages.")
    altered_words, said = store.words.verify(), "{n} files of the words were altered."
    found.add("altered_words", "words", altered_words, said, store.words.discard)
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

    Returns the problems before and after. Documents that are queued again are no problem.
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
        """Check the rows of texts, and SQLite's structure of them; ``recover`` reads them again."""
        texts, add = self.store.texts, partial(self.found.add, where="texts")
        wrong = texts.verify(tick)
        again = set(self.catalog.upkeep.to_be_read_again())
        damaged = [doc for doc in wrong.damaged if doc not in again]
        add("damaged_texts", found=damaged, said="{n} documents have damaged passages.")
        said = "The file of texts has {n} damages."
        add("damaged_file", found=wrong.structure, said=said, fix=texts.rebuild)
        said = "{n} passages belong to no document."
        add("strange_passages", found=wrong.strange, said=said, fix=texts.rebuild)
        other = other_texts(self.catalog, self.store)
        again_too = partial(self.catalog.upkeep.read_again, other)
        said = "{n} documents have the text of another one."
        add("wrong_text", found=other, said=said, fix=again_too)
        unknown = np.setdiff1d([*texts.documents()], self.catalog.docs.known()).tolist()
        said = "There are texts of {n} documents that are not in the catalog."
        delete = partial(self.store.delete_docs, unknown)
        add("orphans", found=unknown, said=said, fix=delete)

    def vectors(self, name: str, vectors: Vectors, tick: Callable[[], None]) -> None:
        """Check the vectors of a space, by themselves and against texts and catalog."""
        add = partial(self.found.add, where=name)
        if name not in {vectors_name(space.key) for space in self.catalog.spaces.all()}:
            drop = partial(self.store.drop_vectors, name)
            said = f"{name} belongs to no model of the catalog."
            add("unknown_space", found=1, said=said, fix=drop)
            return
        wrong, keys = vectors.verify(tick), vectors.keys()
        said = f"The file of {name} has {{n}} damages."
        add("damaged_file", found=wrong.structure, said=said, fix=vectors.rebuild)
        said = f"{{n}} vectors of {name} are damaged."
        add(
            "altered",
            found=wrong.damaged,
            said=said,
            fix=partial(vectors.delete_rows, wrong.damaged),
        )
        said = f"{{n}} vectors of {name} have invalid values."
        delete = partial(vectors.delete_rows, wrong.invalid)
        add("senseless_rows", found=wrong.invalid, said=said, fix=delete)
        docs = vectors.documents()[0]
        strange = np.setdiff1d(docs, self.catalog.docs.known()).tolist()
        said = f"{name} has vectors of {{n}} documents that are not in the catalog."
        add("orphans", found=strange, said=said, fix=partial(vectors.delete_docs, strange))
        bare = np.setdiff1d(keys, self.store.texts.keys())
        said = f"{{n}} vectors of {name} lack a passage."
        add("without_passage", found=bare, said=said, fix=partial(vectors.delete_rows, bare))
        if vectors.index is not None and (altered := vectors.index.altered_files()):
            said = f"{{n}} files of the index of {name} were altered."
            add("broken_index", found=altered, said=said, fix=vectors.drop_index)

    def counts(self) -> None:
        """Check for missing rows, which ``recover`` queues."""
        short = incomplete(self.catalog, self.store)
        self.found.add("missing_passages", "texts", short, "{n} documents lack passages.")
        for space in self.catalog.spaces.all():
            name = vectors_name(space.key)
            lost = without_vectors(self.catalog, self.store, space)
            said = f"{{n}} documents lack vectors of {space.key}."
            self.found.add("missing_vectors", name, lost, said)

    def catalog_alone(self) -> None:
        """Check the catalog by itself."""
        upkeep = self.catalog.upkeep
        orphans = deletable_orphans(self.catalog)
        said = "{n} documents belong to no file."
        self.found.add("contents_without_files", "catalog", orphans, said)
        lost, requeue = upkeep.files_without_contents(), upkeep.requeue_without_contents
        said = "{n} files are marked as read, but their contents are not recorded."
        self.found.add("files_without_contents", "catalog", lost, said, requeue)
