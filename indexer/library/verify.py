"""Compares catalog, store and disk with each other, in both directions.

Owns what counts as a problem of a library and how it is said. Everything in the store is read once,
fragment by fragment. It changes nothing; ``indexer.library.repair`` acts on what is found here.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.answers import Problem, Verification
from indexer.api.errors import LecternError
from indexer.catalog.docs import READ_AGAIN
from indexer.library.recovery import incomplete, without_vectors
from indexer.store.checks import TableReport, docs_with, examine
from indexer.store.schema import DOCUMENTS, PASSAGES, is_vectors_table, vectors_table
from indexer.store.values import docs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.catalog import Catalog
    from indexer.store import Store


@dataclass(slots=True)
class Findings:
    """All that was found, with what is needed to repair it."""

    problems: list[Problem] = field(default_factory=list)
    tables: dict[str, TableReport] = field(default_factory=dict)
    seconds: float = 0.0

    def add(self, kind: str, where: str, found: Sequence[object] | int, sentence: str) -> None:
        """Note a problem, if there is any of it."""
        count = found if isinstance(found, int) else len(found)
        if count:
            self.problems.append(Problem(kind, where, count, sentence.format(n=count)))

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
    """Look for everything that may be wrong with a library.

    Args:
        catalog: To be compared.
        store: With this, row by row.
        tick: Called now and then; may raise to stop.
    """
    began = time.monotonic()
    found = Findings()
    found.add("damaged_catalog", "catalog", _integrity(catalog), "The catalog has {n} damages.")
    found.tables = {name: examine(name, one, tick) for name, one in store.tables.items()}
    for name, table in found.tables.items():
        _table(found, name, table)
    try:
        _both_ways(found, catalog, store)
        _files(found, catalog)
    except LecternError as error:
        if error.code != "library_damaged":
            raise
    found.seconds = time.monotonic() - began
    return found


def _integrity(catalog: Catalog) -> list[str]:
    """What SQLite finds when it reads all of its file."""
    try:
        said = [str(row[0]) for row in catalog.db.rows("PRAGMA integrity_check")]
    except LecternError as error:
        return [error.message]
    return [] if said == ["ok"] else said


def _table(found: Findings, name: str, table: TableReport) -> None:
    """What a table tells by itself."""
    found.add(
        "unreadable_rows",
        name,
        table.lost,
        f"{{n}} rows of {name} stand in files that are damaged.",
    )
    found.add("senseless_rows", name, table.invalid, f"{{n}} rows of {name} make no sense.")
    found.add("twice", name, len(table.duplicates), f"{{n}} rows of {name} are there twice.")
    found.add(
        "broken_index", name, table.broken_indices, f"{{n}} indices of {name} cannot be read."
    )


def _both_ways(found: Findings, catalog: Catalog, store: Store) -> None:
    """What the catalog and the store say of each other."""
    known = catalog.docs.known()
    passages = found.tables[PASSAGES]
    expected = catalog.docs.expected()
    spaces = {vectors_table(space.key): space for space in catalog.spaces.all()}
    for name, table in found.tables.items():
        docs = table.keys if name == DOCUMENTS else np.array(docs_with(table.keys), np.int64)
        strange = np.setdiff1d(docs, known).tolist()
        found.add("orphans", name, strange, f"{name} holds {{n}} documents that nobody knows.")
        if is_vectors_table(name):
            if name not in spaces:
                found.add("unknown_space", name, 1, f"{name} belongs to no model.")
                continue
            bare = np.setdiff1d(table.keys, passages.keys)
            found.add("without_passage", name, len(bare), f"{{n}} rows of {name} lack a passage.")
    found.add(
        "missing_passages", PASSAGES, incomplete(catalog, store), "{n} documents miss passages."
    )
    found.add(
        "missing_ordinals",
        PASSAGES,
        with_gaps(passages, expected),
        "{n} documents have gaps between their passages.",
    )
    found.add(
        "wrong_text",
        PASSAGES,
        of_other_texts(passages, catalog),
        "{n} documents hold another text.",
    )
    for name, changed in altered(found, catalog).items():
        found.add(
            "altered", name, changed, f"{{n}} documents are not in {name} as they were written."
        )
    for name, space in spaces.items():
        lost = without_vectors(catalog, store, space)
        found.add("missing_vectors", name, lost, f"{{n}} documents miss vectors of {space.key}.")
    found.add(
        "senseless_rows",
        DOCUMENTS,
        other_documents(found.tables[DOCUMENTS], catalog),
        "{n} documents are described wrongly.",
    )
    found.add(
        "missing_profiles",
        DOCUMENTS,
        without_profile(found.tables[DOCUMENTS], catalog),
        "{n} documents have no row of their own.",
    )


def _files(found: Findings, catalog: Catalog) -> None:
    """What the catalog says by itself."""
    found.add(
        "contents_without_files",
        "catalog",
        # While files wait, one of them may be that of a document.
        catalog.docs.orphans_left() if not catalog.queue.waiting() else 0,
        "{n} documents belong to no file.",
    )
    found.add(
        "files_without_contents",
        "catalog",
        catalog.docs.files_without_contents(),
        "{n} files were read, and nobody knows what was in them.",
    )
    found.add(
        "orphans",
        "lexicon",
        unknown_words(catalog),
        "The lexicon holds {n} documents that nobody knows.",
    )
    found.add(
        "missing_words", "lexicon", without_words(catalog), "{n} documents are not in the lexicon."
    )


def with_gaps(passages: TableReport, expected: dict[int, int]) -> list[int]:
    """Documents whose passages are as many as they should be, but not the right ones."""
    keys = np.unique(passages.keys)
    docs = keys >> 20
    first = np.flatnonzero(np.r_[True, docs[1:] != docs[:-1]]) if len(keys) else keys
    counts = np.diff(np.r_[first, len(keys)])
    last = keys[first + counts - 1] & ((1 << 20) - 1) if len(keys) else keys
    return [
        int(doc)
        for doc, count, ordinal in zip(docs[first], counts, last, strict=True)
        if ordinal != count - 1 and expected.get(int(doc)) == count
    ]


def of_other_texts(passages: TableReport, catalog: Catalog) -> list[int]:
    """Documents whose passages say that they are of another text than the catalog says."""
    rows = catalog.docs.get(passages.texts)
    return [
        doc
        for doc, texts in passages.texts.items()
        if doc in rows and texts != {rows[doc].text_id.removeprefix(READ_AGAIN)}
    ]


def altered(found: Findings, catalog: Catalog) -> dict[str, list[int]]:
    """Documents by table of which all rows can be read, and do not hold what was written."""
    profiles = catalog.checksums.profiles()
    written = {
        PASSAGES: (catalog.checksums.passages(), catalog.docs.expected()),
        DOCUMENTS: (profiles, dict.fromkeys(profiles, 1)),
    }
    for space in catalog.spaces.all():
        expected = catalog.spaces.expected(space.id)
        written[vectors_table(space.key)] = catalog.checksums.vectors(space.id), expected
    return {
        name: _altered(name, table, *written[name])
        for name, table in found.tables.items()
        if name in written
    }


def _altered(
    name: str, table: TableReport, sums: dict[int, int], expected: dict[int, int]
) -> list[int]:
    docs = table.keys if name == DOCUMENTS else docs_of(table.keys)
    known, numbers = np.unique(docs, return_counts=True)
    counts = dict(zip(known.tolist(), numbers.tolist(), strict=True))
    return [
        doc
        for doc, total in sums.items()
        if counts.get(doc, 0) == expected.get(doc) and table.sums.get(doc, 0) != total
    ]


def other_documents(documents: TableReport, catalog: Catalog) -> list[int]:
    """Documents of which the store says something else than the catalog."""
    rows = catalog.docs.get(documents.documents)
    return [
        doc
        for doc, kept in documents.documents.items()
        if (row := rows.get(doc)) is not None
        and (kept.title, kept.author, kept.language, kept.pages, kept.created)
        != (row.title, row.author, row.language, row.pages, row.created)
    ]


def without_profile(documents: TableReport, catalog: Catalog) -> list[int]:
    """Documents with vectors, of which the store has no row."""
    space = catalog.spaces.active()
    done = catalog.spaces.expected(space.id) if space else {}
    return [int(doc) for doc in np.setdiff1d(list(done), documents.keys)] if done else []


def unknown_words(catalog: Catalog) -> list[int]:
    """Documents whose words are kept though nobody knows them."""
    return sorted(catalog.lexicon.documents().difference(catalog.docs.known().tolist()))


def without_words(catalog: Catalog) -> list[int]:
    """Documents that can be searched but not found by their words, and are not read again."""
    there = catalog.lexicon.documents()
    rows = catalog.docs.get(doc for doc in catalog.docs.expected() if doc not in there)
    return [doc for doc, row in rows.items() if not row.text_id.startswith(READ_AGAIN)]
