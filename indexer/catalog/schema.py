"""The tables of the catalog."""

from indexer.database import Layout

# Paths are bytes (os.fsencode, "/" between components), because names need not be UTF-8.
# Integers replace hashes and paths wherever a row refers to another.
_TABLES = r"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE roots (
    id INTEGER PRIMARY KEY,
    path BLOB NOT NULL,
    file_name BLOB NOT NULL DEFAULT x'',     -- the one file of a root that is a file
    state TEXT NOT NULL DEFAULT 'online',
    patterns TEXT NOT NULL DEFAULT '',       -- gitignore syntax, one a line
    generation INTEGER NOT NULL DEFAULT 0,   -- how often it was walked to the end
    -- Where it is on its volume, so that another drive at its mount point is not mistaken for it.
    volume TEXT NOT NULL DEFAULT '',
    volume_path BLOB NOT NULL DEFAULT x'',
    inode INTEGER NOT NULL DEFAULT 0,
    UNIQUE (path, file_name)
) STRICT;

-- Numbers are never reused: what is kept in memory about a name stays true.
CREATE TABLE names (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE folders (
    id INTEGER PRIMARY KEY,
    root INTEGER NOT NULL REFERENCES roots ON DELETE CASCADE,
    path BLOB NOT NULL,                      -- relative to the root, x'' for the root itself
    name INTEGER REFERENCES names,           -- of its last component, bound late
    generation INTEGER NOT NULL DEFAULT 0,
    UNIQUE (root, path)
) STRICT;

CREATE TABLE docs (
    doc INTEGER PRIMARY KEY,                 -- given out by the catalog, never reused
    text_id TEXT NOT NULL UNIQUE,
    title_used TEXT NOT NULL,
    title TEXT NOT NULL,
    author TEXT NOT NULL,
    created TEXT NOT NULL,
    sent_first_ns INTEGER,                   -- of mails, noon of their dates
    sent_last_ns INTEGER,
    language TEXT NOT NULL,
    labels TEXT NOT NULL,                    -- of its first pages, a JSON list, or ''
    pages INTEGER NOT NULL,
    characters INTEGER NOT NULL,
    passages INTEGER NOT NULL DEFAULT 0,
    passages_state TEXT NOT NULL DEFAULT 'none'
) STRICT;
CREATE INDEX docs_unfinished ON docs (passages_state) WHERE passages_state <> 'done';

-- The earlier document of the same file: an edited document reuses the vectors of unchanged text.
CREATE TABLE earlier_docs (
    doc INTEGER PRIMARY KEY REFERENCES docs ON DELETE CASCADE,
    earlier INTEGER NOT NULL REFERENCES docs ON DELETE CASCADE
) STRICT;
CREATE INDEX earlier_docs_of ON earlier_docs (earlier);

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
    next_content INTEGER REFERENCES contents ON DELETE SET NULL,  -- its document is being written
    fixed_state TEXT NOT NULL DEFAULT '',    -- the state when its name or kind alone decides it
    state TEXT NOT NULL DEFAULT 'queued',    -- derived, see indexer.catalog.states
    code TEXT NOT NULL DEFAULT '',
    detail TEXT NOT NULL DEFAULT '',
    attempts INTEGER NOT NULL DEFAULT 0,
    crashes INTEGER NOT NULL DEFAULT 0,
    volume_missing INTEGER NOT NULL DEFAULT 0,  -- its volume is not there, though its root is
    pending INTEGER NOT NULL DEFAULT 0,      -- 1 to be read, 2 to be read again quietly
    in_flight INTEGER NOT NULL DEFAULT 0,    -- 1 taken, 2 being read, 3 alone with room
    size_class INTEGER NOT NULL,
    priority INTEGER NOT NULL DEFAULT 0,     -- asked for, the latest highest
    due_ns INTEGER NOT NULL DEFAULT 0,       -- the next try, after a failure
    UNIQUE (folder, name)
) STRICT;
CREATE INDEX files_queue ON files (priority DESC, size_class, mtime_ns DESC) WHERE pending > 0;
CREATE INDEX files_identity ON files (inode, volume) WHERE fixed_state = '';
CREATE INDEX files_content ON files (content) WHERE content IS NOT NULL;
CREATE INDEX files_upcoming ON files (next_content) WHERE next_content IS NOT NULL;
CREATE INDEX files_state ON files (state, root);
CREATE INDEX files_in_flight ON files (in_flight) WHERE in_flight > 0;
CREATE INDEX files_unnamed ON files (id) WHERE stem IS NULL AND content IS NOT NULL;
CREATE INDEX files_due ON files (due_ns) WHERE due_ns > 0;

CREATE TABLE spaces (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    active INTEGER NOT NULL DEFAULT 0,
    record TEXT NOT NULL                     -- facts of the model, a JSON object
) STRICT;

CREATE TABLE doc_spaces (
    doc INTEGER NOT NULL REFERENCES docs ON DELETE CASCADE,
    space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
    state TEXT NOT NULL,
    embedded INTEGER NOT NULL DEFAULT 0,
    crashes INTEGER NOT NULL DEFAULT 0,      -- of the engine while it was being embedded
    PRIMARY KEY (doc, space)
) STRICT, WITHOUT ROWID;
CREATE INDEX doc_spaces_unfinished ON doc_spaces (state, doc) WHERE state <> 'done';

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

-- The words of names (with "=", their initialisms) and of titles ("stem|word" for their stems).
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

LAYOUT = Layout("catalog", 0x4C656374, 17, _TABLES)  # "Lect"
