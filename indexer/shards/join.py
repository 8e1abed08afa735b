"""Joins shards to one library, equal to that which one machine would make of all documents.

Documents of different shards have different numbers (``sources``). So texts, vectors and the
segments of words are put side by side unchanged, and nothing is read or embedded again. Rows of the
catalog get new numbers and are matched by what they name. A text that two shards have is kept once.
Statistics of the whole library are measured at its first opening.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from indexer.catalog.catalog import Catalog
from indexer.library.crashes import TRIED_KEY
from indexer.library.library import CATALOG_NAME, INDEX_NAME
from indexer.store.texts import TEXTS_NAME, Texts
from indexer.store.values import ORDINAL_BITS
from indexer.store.vectors import Vectors, vector_files
from indexer.store.word_index import AlteredIndexError
from indexer.store.words import WORDS, join_words

#: The key of ``meta`` that says whether a joined library was measured: "no" or "yes".
MEASURED = "joined_measured"
# The keys of ``meta`` with the versions that last tried the files, so that none is read again.
_CATALOG = f"""
INSERT OR IGNORE INTO meta SELECT key, value FROM shard.meta WHERE key = '{TRIED_KEY}';
INSERT OR IGNORE INTO roots (path, file_name, state, patterns, generation)
    SELECT path, file_name, state, patterns, generation FROM shard.roots;
INSERT OR IGNORE INTO names (text) SELECT text FROM shard.names ORDER BY id;
CREATE TEMP TABLE named AS
    SELECT theirs.id AS old, ours.id AS new FROM shard.names theirs JOIN names ours USING (text);
CREATE INDEX temp.named_old ON named (old);
CREATE TEMP TABLE rooted AS SELECT theirs.id AS old, ours.id AS new
    FROM shard.roots theirs JOIN roots ours USING (path, file_name);
INSERT OR IGNORE INTO folders (root, path, name, generation)
    SELECT rooted.new, path, named.new, generation FROM shard.folders
    JOIN rooted ON rooted.old = root LEFT JOIN named ON named.old = name;
CREATE TEMP TABLE housed AS SELECT theirs.id AS old, ours.id AS new FROM shard.folders theirs
    JOIN rooted ON rooted.old = theirs.root
    JOIN folders ours ON ours.root = rooted.new AND ours.path = theirs.path;
CREATE INDEX temp.housed_old ON housed (old);
CREATE TEMP TABLE added AS SELECT doc FROM shard.docs
    WHERE text_id NOT IN (SELECT text_id FROM docs);
CREATE INDEX temp.added_doc ON added (doc);
INSERT INTO docs SELECT * FROM shard.docs WHERE doc IN (SELECT doc FROM added);
INSERT OR IGNORE INTO contents (content_id, format, doc, state, code, detail, pages, bad_pages,
        extractor_version)
    SELECT content_id, format, ours.doc, state, code, detail, theirs.pages, bad_pages,
        extractor_version
    FROM shard.contents theirs LEFT JOIN shard.docs d ON d.doc = theirs.doc
    LEFT JOIN docs ours ON ours.text_id = d.text_id;
INSERT OR IGNORE INTO files (root, folder, name, stem, extension, format, size, mtime_ns, volume,
        inode, content, fixed_state, state, code, detail, attempts, crashes, size_class)
    SELECT rooted.new, housed.new, theirs.name, named.new, theirs.extension, theirs.format, size,
        mtime_ns, 0, 0, ours.id, fixed_state, theirs.state, theirs.code, theirs.detail, attempts,
        crashes, size_class
    FROM shard.files theirs JOIN rooted ON rooted.old = theirs.root
    JOIN housed ON housed.old = theirs.folder LEFT JOIN named ON named.old = theirs.stem
    LEFT JOIN shard.contents c ON c.id = theirs.content
    LEFT JOIN contents ours ON ours.content_id = c.content_id AND ours.format = c.format
        AND ours.extractor_version = c.extractor_version;
INSERT OR IGNORE INTO file_words (rowid, name, folder)
    SELECT ours.id, words.name, words.folder FROM shard.file_words words
    JOIN shard.files theirs ON theirs.id = words.rowid JOIN housed ON housed.old = theirs.folder
    JOIN files ours ON ours.folder = housed.new AND ours.name = theirs.name;
INSERT OR IGNORE INTO spaces (key, active, record) SELECT key, active, record FROM shard.spaces;
CREATE TEMP TABLE spaced AS
    SELECT theirs.id AS old, ours.id AS new FROM shard.spaces theirs JOIN spaces ours USING (key);
INSERT INTO doc_spaces (doc, space, state, embedded)
    SELECT doc, new, state, embedded FROM shard.doc_spaces JOIN spaced ON old = space
    WHERE doc IN (SELECT doc FROM added);
INSERT OR IGNORE INTO name_vectors SELECT spaced.new, named.new, vector FROM shard.name_vectors
    JOIN spaced ON spaced.old = space JOIN named ON named.old = name;
INSERT OR IGNORE INTO name_words SELECT word, named.new FROM shard.name_words
    JOIN named ON named.old = name;
INSERT INTO title_words SELECT * FROM shard.title_words WHERE doc IN (SELECT doc FROM added);
INSERT INTO meta SELECT 'docs_reserved', coalesce(max(doc), 0) + 1 FROM docs WHERE true
    ON CONFLICT (key) DO UPDATE SET value = excluded.value;
"""
# The numbers of commits stay unique and ascending.
_TEXTS = f"""
INSERT INTO documents SELECT doc, text_id, language, passages,
    CASE complete WHEN 0 THEN 0 ELSE complete + (SELECT number FROM main.commits) END, damaged
    FROM shard.documents WHERE doc IN (SELECT doc FROM temp.added);
INSERT INTO passages SELECT * FROM shard.passages
    WHERE key >> {ORDINAL_BITS} IN (SELECT doc FROM temp.added);
UPDATE commits SET number = number + (SELECT number FROM shard.commits);
"""
_VECTORS = "".join(
    f"INSERT INTO {table} SELECT * FROM shard.{table} "
    f"WHERE key >> {ORDINAL_BITS} IN (SELECT doc FROM temp.added);"
    for table in ("pooled", "sentences")
)


def join(shards: Sequence[Path], library: Path, check: Callable[[], None] = lambda: None) -> None:
    """Make a library in an empty folder from several closed ones.

    Args:
        shards: The folders of the shards. A text that two shards have is taken from the first.
        library: The empty folder.
        check: Called between shards; an exception from it ends the work.

    Raises ``library_damaged`` or ``library_older`` if a shard is not a present library, ``OSError``
    for example on a full disk.
    """
    with contextlib.closing(Catalog(library / CATALOG_NAME)):
        pass
    with contextlib.closing(Texts(library / TEXTS_NAME)):
        pass
    for shard in shards:
        check()
        added = _copied(library / CATALOG_NAME, shard / CATALOG_NAME, _CATALOG)
        _copied(library / TEXTS_NAME, shard / TEXTS_NAME, _TEXTS, added)
        for file in vector_files(shard / INDEX_NAME):
            target = library / INDEX_NAME / file.name
            target.parent.mkdir(mode=0o700, exist_ok=True)
            with contextlib.closing(Vectors(file)) as vectors:
                dimension = vectors.dimension
            Vectors(target, dimension=dimension).close()
            _copied(target, file, _VECTORS, added)
    check()
    with contextlib.suppress(AlteredIndexError):  # opening makes all words again from the texts
        join_words([shard / INDEX_NAME / WORDS for shard in shards], library / INDEX_NAME / WORDS)
    with contextlib.closing(Catalog(library / CATALOG_NAME)) as catalog:
        catalog.set_meta(MEASURED, "no")
        catalog.choices.save_choices()


def _copied(path: Path, shard: Path, script: str, added: Sequence[int] | None = None) -> list[int]:
    """Run a script on a file with a shard's file attached; return the documents that it added.

    Args:
        path: The file of the joined library.
        shard: The file of the shard.
        script: The script, in which the tables of the shard are ``shard``.
        added: The documents to take, for ``temp.added``, unless the script creates that table.
    """
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("ATTACH ? AS shard", (str(shard),))
        if added is not None:
            database.execute("CREATE TEMP TABLE added (doc INTEGER PRIMARY KEY)")
            database.executemany("INSERT INTO added VALUES (?)", [(doc,) for doc in added])
        database.executescript(f"BEGIN IMMEDIATE; {script} COMMIT;")
        docs = [doc for (doc,) in database.execute("SELECT doc FROM temp.added")]
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return docs
