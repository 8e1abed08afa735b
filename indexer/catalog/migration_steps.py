"""The schema of the catalog, as numbered steps from an empty file to this version.

A step that was released is never changed, since libraries exist that have passed it. Data only;
``migrations`` applies the steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Paths are bytes (os.fsencode, "/" between components), because names need not be UTF-8.
# Integers replace hashes and paths wherever a row refers to another.
_FIRST = r"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE roots (
    id INTEGER PRIMARY KEY,
    path BLOB NOT NULL,
    only BLOB NOT NULL DEFAULT x'',          -- the one file of a root that is a file
    state TEXT NOT NULL DEFAULT 'online',
    patterns TEXT NOT NULL DEFAULT '',       -- gitignore syntax, one a line
    added_ns INTEGER NOT NULL,
    scanned_ns INTEGER NOT NULL DEFAULT 0,
    scan INTEGER NOT NULL DEFAULT 0,         -- how often it was walked to the end
    UNIQUE (path, only)
) STRICT;

-- Numbers are never reused: what is kept in memory about a name stays true.
CREATE TABLE names (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE folders (
    id INTEGER PRIMARY KEY,
    root INTEGER NOT NULL REFERENCES roots ON DELETE CASCADE,
    path BLOB NOT NULL,                      -- relative to the root, x'' for the root itself
    name INTEGER REFERENCES names,           -- of its last component, bound late
    scan INTEGER NOT NULL DEFAULT 0,
    UNIQUE (root, path)
) STRICT;

CREATE TABLE docs (
    doc INTEGER PRIMARY KEY,                 -- given out by the catalog, never reused
    text_id TEXT NOT NULL UNIQUE,
    title_used TEXT NOT NULL,
    title TEXT NOT NULL,
    author TEXT NOT NULL,
    created TEXT NOT NULL,
    language TEXT NOT NULL,
    pages INTEGER NOT NULL,
    characters INTEGER NOT NULL,
    passages INTEGER NOT NULL DEFAULT 0,
    passages_state TEXT NOT NULL DEFAULT 'none',
    added_ns INTEGER NOT NULL
) STRICT;
CREATE INDEX docs_unfinished ON docs (passages_state) WHERE passages_state <> 'done';

CREATE TABLE contents (
    id INTEGER PRIMARY KEY,
    content_id TEXT NOT NULL,
    format TEXT NOT NULL,                    -- the same bytes may be two formats under two names
    doc INTEGER REFERENCES docs ON DELETE SET NULL,
    state TEXT NOT NULL DEFAULT '',          -- why there is no document, when there is none
    code TEXT NOT NULL DEFAULT '',
    detail TEXT NOT NULL DEFAULT '',
    pages INTEGER NOT NULL DEFAULT 0,
    bad_pages TEXT NOT NULL DEFAULT '',      -- a JSON list
    extractor_version INTEGER NOT NULL,
    UNIQUE (content_id, format, extractor_version)
) STRICT;
CREATE INDEX contents_doc ON contents (doc);

CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    root INTEGER NOT NULL REFERENCES roots ON DELETE CASCADE,
    folder INTEGER NOT NULL REFERENCES folders ON DELETE CASCADE,
    name BLOB NOT NULL,
    stem INTEGER REFERENCES names,           -- bound late
    extension TEXT NOT NULL,                 -- lower case, without the dot
    format TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    volume INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    content INTEGER REFERENCES contents ON DELETE SET NULL,
    upcoming INTEGER REFERENCES contents ON DELETE SET NULL,  -- its document is being written
    verdict TEXT NOT NULL DEFAULT '',        -- the state when its name or kind alone decides it
    state TEXT NOT NULL DEFAULT 'queued',    -- derived, see indexer.catalog.states
    code TEXT NOT NULL DEFAULT '',
    detail TEXT NOT NULL DEFAULT '',
    attempts INTEGER NOT NULL DEFAULT 0,
    crashes INTEGER NOT NULL DEFAULT 0,
    lost INTEGER NOT NULL DEFAULT 0,         -- its volume is not there, though its root is
    pending INTEGER NOT NULL DEFAULT 0,      -- 1 to be read, 2 to be read again quietly
    in_flight INTEGER NOT NULL DEFAULT 0,    -- 1 taken from the queue, 2 being read
    size_class INTEGER NOT NULL,
    UNIQUE (folder, name)
) STRICT;
CREATE INDEX files_queue ON files (size_class, mtime_ns DESC) WHERE pending > 0;
CREATE INDEX files_identity ON files (inode, volume) WHERE verdict = '';
CREATE INDEX files_content ON files (content) WHERE content IS NOT NULL;
CREATE INDEX files_upcoming ON files (upcoming) WHERE upcoming IS NOT NULL;
CREATE INDEX files_state ON files (state, root);
CREATE INDEX files_in_flight ON files (in_flight) WHERE in_flight > 0;
CREATE INDEX files_unnamed ON files (id) WHERE stem IS NULL AND content IS NOT NULL;

CREATE TABLE spaces (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    active INTEGER NOT NULL DEFAULT 0,
    record TEXT NOT NULL,                    -- facts of the model, a JSON object
    added_ns INTEGER NOT NULL
) STRICT;

CREATE TABLE doc_spaces (
    doc INTEGER NOT NULL REFERENCES docs ON DELETE CASCADE,
    space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
    state TEXT NOT NULL,
    embedded INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (doc, space)
) STRICT, WITHOUT ROWID;

-- Words of whole documents, until version 11.
CREATE TABLE lexicon_terms (
    term TEXT PRIMARY KEY,
    id INTEGER NOT NULL,
    df INTEGER NOT NULL,                     -- deleted documents included
    language TEXT NOT NULL                   -- in which it was first met
) STRICT, WITHOUT ROWID;
CREATE TABLE lexicon_stems (
    stem TEXT NOT NULL,
    term TEXT NOT NULL,
    PRIMARY KEY (stem, term)
) STRICT, WITHOUT ROWID;
CREATE TABLE lexicon_segments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    base INTEGER NOT NULL,
    docs BLOB NOT NULL,
    lengths BLOB NOT NULL
) STRICT;
CREATE TABLE lexicon_chunks (
    id INTEGER PRIMARY KEY,
    segment INTEGER NOT NULL,
    first_term INTEGER NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (segment, first_term)
) STRICT;
CREATE TABLE lexicon_pending (
    doc INTEGER PRIMARY KEY,
    language TEXT NOT NULL,
    length INTEGER NOT NULL,
    terms INTEGER NOT NULL,
    data BLOB NOT NULL
) STRICT;
CREATE TABLE lexicon_dead (doc INTEGER PRIMARY KEY) STRICT;
CREATE TRIGGER docs_dead AFTER DELETE ON docs WHEN old.passages_state = 'done' BEGIN
    DELETE FROM lexicon_pending WHERE doc = old.doc;
    INSERT OR IGNORE INTO lexicon_dead VALUES (old.doc);
END;

-- Names of all files, whatever became of them; the words are ours, so every character but the
-- space belongs to one.
CREATE VIRTUAL TABLE file_words USING fts5 (
    name, folder, detail = column,
    tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~'"
);
CREATE VIRTUAL TABLE file_vocabulary USING fts5vocab (file_words, row);
CREATE TRIGGER files_words AFTER DELETE ON files BEGIN
    DELETE FROM file_words WHERE rowid = old.id;
END;

CREATE TABLE name_vectors (
    space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
    name INTEGER NOT NULL REFERENCES names ON DELETE CASCADE,
    vector BLOB NOT NULL,
    PRIMARY KEY (space, name)
) STRICT, WITHOUT ROWID;
"""

# The earlier document of the same file: an edited document reuses the vectors of unchanged text.
_EARLIER = """
CREATE TABLE earlier_docs (
    doc INTEGER PRIMARY KEY REFERENCES docs ON DELETE CASCADE,
    earlier INTEGER NOT NULL REFERENCES docs ON DELETE CASCADE
) STRICT;
CREATE INDEX earlier_docs_of ON earlier_docs (earlier);
"""

# The volume of a root, so that another drive at its mount point is not mistaken for it.
_ROOT_LOCATION = """
ALTER TABLE roots ADD COLUMN volume TEXT NOT NULL DEFAULT '';
ALTER TABLE roots ADD COLUMN inside BLOB NOT NULL DEFAULT x'';
ALTER TABLE roots ADD COLUMN inode INTEGER NOT NULL DEFAULT 0;
"""

# Files that the person asked for are read first; failed files are retried after a delay.
_ORDER = """
ALTER TABLE files ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;  -- asked for, the latest highest
ALTER TABLE files ADD COLUMN due_ns INTEGER NOT NULL DEFAULT 0;    -- the next try, after a failure
DROP INDEX files_queue;
CREATE INDEX files_queue ON files (priority DESC, size_class, mtime_ns DESC) WHERE pending > 0;
CREATE INDEX files_due ON files (due_ns) WHERE due_ns > 0;
"""

# Documents that were being embedded when the engine crashed, see indexer.library.crashes.
_CRASHES = """
ALTER TABLE doc_spaces ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;
CREATE INDEX doc_spaces_unfinished ON doc_spaces (state, doc) WHERE state <> 'done';
"""

# Checksums of a document's rows in the store, see indexer.store.checksums.
_SUMS = """
ALTER TABLE docs ADD COLUMN passages_sum INTEGER;
ALTER TABLE docs ADD COLUMN profile_sum INTEGER;
ALTER TABLE doc_spaces ADD COLUMN vectors_sum INTEGER;
"""

# Columns renamed by version 7: (table, old, new). Repair reads older catalogs with these too.
RENAMED_COLUMNS = (
    ("roots", "only", "file_name"),
    ("roots", "inside", "volume_path"),
    ("roots", "scan", "generation"),
    ("folders", "scan", "generation"),
    ("files", "verdict", "fixed_state"),
    ("files", "lost", "volume_missing"),
    ("files", "upcoming", "next_content"),
    ("docs", "passages_sum", "passages_checksum"),
    ("docs", "profile_sum", "profile_checksum"),
    ("doc_spaces", "vectors_sum", "vectors_checksum"),
)
# Values renamed by version 7; idempotent.
RENAMED_VALUES = """
UPDATE doc_spaces SET state = 'partial' WHERE state = 'part';
UPDATE contents SET code = 'ocr_pending' WHERE code = 'scan_waits';
UPDATE meta SET key = 'next_term' WHERE key = 'terms';
UPDATE meta SET key = 'cohort' || substr(key, 11) WHERE key GLOB 'background_*';
"""
_NAMES = f"""
{"".join(f"ALTER TABLE {t} RENAME COLUMN {old} TO {new};" for t, old, new in RENAMED_COLUMNS)}
ALTER TABLE lexicon_dead RENAME TO lexicon_deleted;
DROP TRIGGER docs_dead;
CREATE TRIGGER docs_deleted AFTER DELETE ON docs WHEN old.passages_state = 'done' BEGIN
    DELETE FROM lexicon_pending WHERE doc = old.doc;
    INSERT OR IGNORE INTO lexicon_deleted VALUES (old.doc);
END;
{RENAMED_VALUES}
"""  # built from constants

# Extractor 4 splits words and sentences differently from 3, except in English, whose documents
# therefore need not be read again.
_ENGLISH = """
UPDATE contents SET extractor_version = 4 WHERE extractor_version = 3
    AND (doc IS NULL OR doc IN (SELECT doc FROM docs WHERE language = 'en'));
"""

# Extractor 5 converts traditional to simplified Chinese characters; no other language changed.
_SIMPLIFIED = """
UPDATE contents SET extractor_version = 5 WHERE extractor_version = 4
    AND (doc IS NULL OR doc IN (SELECT doc FROM docs WHERE language NOT IN ('', 'zh', 'ja', 'ko')));
"""

# Sentence vectors are packed in 4 bits, see indexer.store.conversion; their sums are made again by
# indexer.library.recovery.
PACKED_IN_4_BITS = 10  # the version of this step
FORGET_SUMS = "UPDATE doc_spaces SET vectors_checksum = NULL;"

# The words of documents are in a derived file of the store, see indexer.store.document_parts.
_NO_LEXICON = """
DROP TRIGGER docs_deleted;
DROP TABLE lexicon_terms;
DROP TABLE lexicon_stems;
DROP TABLE lexicon_segments;
DROP TABLE lexicon_chunks;
DROP TABLE lexicon_pending;
DROP TABLE lexicon_deleted;
DELETE FROM meta WHERE key = 'next_term';
"""

_PACKED_WORDS = """
CREATE TABLE packed_words (
    kind TEXT PRIMARY KEY,                   -- 'titles' or 'names'
    version INTEGER NOT NULL,
    last INTEGER NOT NULL,                   -- the id of the last text
    checksum INTEGER NOT NULL,               -- CRC-32 of the bytes
    packed BLOB NOT NULL
) STRICT;
"""

# The words of names (with "=", their initialisms) and of titles ("stem|word" for their stems).
_SHORT_WORDS = """
DROP TABLE packed_words;
CREATE TABLE name_words (
    word TEXT NOT NULL,
    name INTEGER NOT NULL,                   -- ascend with time, and are never reused
    PRIMARY KEY (word, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE title_words (
    word TEXT NOT NULL,
    doc INTEGER NOT NULL,
    times INTEGER NOT NULL,                  -- 0 of stems
    PRIMARY KEY (word, doc)
) STRICT, WITHOUT ROWID;
"""

MIGRATIONS: Sequence[str] = (
    _FIRST, _EARLIER, _ROOT_LOCATION, _ORDER, _CRASHES, _SUMS, _NAMES, _ENGLISH, _SIMPLIFIED,
    FORGET_SUMS, _NO_LEXICON, _PACKED_WORDS, _SHORT_WORDS,
)  # fmt: skip
