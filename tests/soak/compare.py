"""Tells two libraries apart by what is in their files, with none of the program's own code.

Owns a reader of SQLite that knows the tables and columns, and a comparison by files,
whatever numbers documents have. It also finds what no library may hold: rows that nobody owns,
rows twice, documents unfinished.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SHOWN = 5  # differences of a kind
VECTOR_TOLERANCE = 1e-3
# Codes of 8 bits fall to the other side of a rounding now and then.
CODES_TOLERANCE = 0.02

_FILES = """
SELECT r.path, d.path, f.name, f.size, f.mtime_ns, f.state, f.code, c.content_id, c.code, t.text_id,
       iif(t.doc IS NULL, NULL, n.text), t.doc
FROM files f JOIN roots r ON r.id = f.root JOIN folders d ON d.id = f.folder
LEFT JOIN contents c ON c.id = f.content LEFT JOIN docs t ON t.doc = c.doc
LEFT JOIN names n ON n.id = f.stem
"""

_PASSAGES = """
SELECT p.key, p.view, p.rest, d.text_id, d.language, d.complete, d.damaged
FROM passages p LEFT JOIN documents d ON d.doc = p.key >> 20
"""


_VECTORS = """
SELECT p.key, p.content, s.content FROM pooled p JOIN sentences s ON s.key = p.key
"""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a library holds; tables are lists of rows."""

    files: dict[bytes, tuple[Any, ...]]  # by path: all that is known but numbers of documents
    docs: dict[int, str]  # text_id
    passages: list[dict[str, Any]]
    vectors: list[dict[str, Any]]
    problems: tuple[str, ...]

    def by_text(self, rows: list[dict[str, Any]]) -> dict[tuple[str, int], dict[str, Any]]:
        """Arrange rows of passages or vectors by text and ordinal."""
        return {(self.docs.get(row["doc"], ""), row.get("ordinal", 0)): row for row in rows}


def read(library: Path) -> Contents:
    """Read a library that no engine has open."""
    with sqlite3.connect(f"file:{library / 'catalog.sqlite'}?mode=ro", uri=True) as catalog:
        files = {
            os.path.join(root, folder, name): tuple(facts)  # noqa: PTH118  # bytes
            for root, folder, name, *facts, _doc in catalog.execute(_FILES)
        }
        docs = dict(catalog.execute("SELECT doc, text_id FROM docs"))
        problems = tuple(_unfinished(catalog))
    catalog.close()
    return Contents(files, docs, _passages(library), _stored_vectors(library), problems)


def _stored_vectors(library: Path) -> list[dict[str, Any]]:
    (path,) = (library / "index").glob("vectors_*.sqlite")
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as vectors:
        return [
            {
                "doc": key >> 20,
                "ordinal": key & 0xFFFFF,
                "vector": np.frombuffer(pooled, np.float16).tolist(),
                "sentence_codes": codes,
            }
            for key, pooled, codes in vectors.execute(_VECTORS)
        ]


def _passages(library: Path) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(f"file:{library / 'texts.sqlite'}?mode=ro", uri=True)) as texts:
        return [
            {
                "doc": key >> 20,
                "ordinal": key & 0xFFFFF,
                "text_id": text_id,
                "language": language,
                "whole": complete > 0 and not damaged,
                "view": zlib.decompress(view, -15).decode(),
                "rest": rest,
            }
            for key, view, rest, text_id, language, complete, damaged in texts.execute(_PASSAGES)
        ]


def _unfinished(catalog: sqlite3.Connection) -> Iterator[str]:
    for what, sql in {
        "documents that no file holds": "SELECT count(*) FROM docs WHERE doc NOT IN (SELECT c.doc "
        "FROM contents c JOIN files f ON f.content = c.id WHERE c.doc IS NOT NULL)",
        "documents unfinished": "SELECT count(*) FROM docs WHERE passages_state <> 'done'",
        "documents without vectors": "SELECT count(*) FROM docs WHERE doc NOT IN "
        "(SELECT doc FROM doc_spaces WHERE state = 'done')",
        "files queued": "SELECT count(*) FROM files WHERE pending > 0 OR in_flight > 0",
        "files without words of their name": "SELECT count(*) FROM files WHERE id NOT IN "
        "(SELECT rowid FROM file_words)",
        "words of names without a file": "SELECT count(*) FROM file_words WHERE rowid NOT IN "
        "(SELECT id FROM files)",
        "names without a vector": "SELECT count(*) FROM names WHERE text <> '' AND id NOT IN "
        "(SELECT name FROM name_vectors)",
        "names that nothing bears": "SELECT count(*) FROM names WHERE id NOT IN (SELECT stem FROM "
        "files WHERE stem IS NOT NULL UNION SELECT name FROM folders WHERE name IS NOT NULL)",
    }.items():
        (count,) = catalog.execute(sql).fetchone()
        if count:
            yield f"{count} {what}"
    (sound,) = catalog.execute("PRAGMA integrity_check").fetchone()
    if sound != "ok":
        yield f"the catalog is damaged: {sound}"


def differences(soaked: Contents, fresh: Contents) -> list[str]:
    """Say in which ways a library is not as one made anew from the same files."""
    found = [*soaked.problems, *(f"in the fresh library: {each}" for each in fresh.problems)]
    found += _own(soaked)
    found += _mappings("file", soaked.files, fresh.files)
    texts = Counter(soaked.docs.values()), Counter(fresh.docs.values())
    found += _mappings("text", *texts)
    for what in ("passages", "vectors"):
        mine, theirs = getattr(soaked, what), getattr(fresh, what)
        pair = soaked.by_text(mine), fresh.by_text(theirs)
        found += _mappings(
            what, *({key: _exact(row) for key, row in side.items()} for side in pair)
        )
        found += _vectors(what, *pair)
    return found


def _own(library: Contents) -> Iterator[str]:
    """What is wrong with a library by itself."""
    for what in ("passages", "vectors"):
        keys = Counter((row["doc"], row["ordinal"]) for row in getattr(library, what))
        if twice := [key for key, count in keys.items() if count > 1]:
            yield f"{len(twice)} {what} twice: {twice[:SHOWN]}"
        if strange := {doc for doc, _ in keys} - library.docs.keys():
            yield f"{len(strange)} documents of {what} that nobody knows: {sorted(strange)[:SHOWN]}"


def _exact(row: Mapping[str, Any]) -> dict[str, Any]:
    """What has to be equal to the letter: all but numbers of documents, and vectors."""
    return {
        name: value
        for name, value in row.items()
        if name not in {"doc", "key", "vector", "sentence_codes"}
    }


def _mappings(what: str, mine: Mapping[Any, Any], theirs: Mapping[Any, Any]) -> Iterator[str]:
    for kind, keys in (
        ("missing", theirs.keys() - mine.keys()),
        ("over", mine.keys() - theirs.keys()),
    ):
        if keys:
            yield f"{what}: {len(keys)} {kind}: {sorted(keys, key=str)[:SHOWN]}"
    other = [key for key in mine.keys() & theirs.keys() if mine[key] != theirs[key]]
    if other:
        shown = [(key, mine[key], theirs[key]) for key in sorted(other, key=str)[:SHOWN]]
        yield f"{what}: {len(other)} differ: {shown}"


def _vectors(
    what: str, mine: Mapping[Any, Mapping[str, Any]], theirs: Mapping[Any, Mapping[str, Any]]
) -> Iterator[str]:
    common = sorted(key for key in mine.keys() & theirs.keys() if mine[key].get("vector"))
    if not common:
        return
    pairs = [
        np.array([side[key]["vector"] for key in common], np.float32) for side in (mine, theirs)
    ]
    apart = np.abs(pairs[0] - pairs[1]).max(axis=1)
    if (apart > VECTOR_TOLERANCE).any():
        worst = common[int(apart.argmax())]
        yield f"{what}: {int((apart > VECTOR_TOLERANCE).sum())} vectors differ, worst {worst}"
    if "sentence_codes" in mine[common[0]]:
        codes = [b"".join(side[key]["sentence_codes"] for key in common) for side in (mine, theirs)]
        if len(codes[0]) != len(codes[1]):
            yield "vectors of sentences: other sizes"
        else:
            one, other = (np.frombuffer(each, np.uint8) for each in codes)
            if (one != other).mean() > CODES_TOLERANCE:
                yield f"vectors of sentences: {(one != other).mean():.1%} of the codes differ"
