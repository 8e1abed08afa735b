"""The stamp that shows whether a file has changed, and the rule for a file's state.

One rule maps facts (name, root, failures, content, document, vectors in the active space) to a
``FileState``, and a table maps reason codes to states. The state is stored, so that lists and
counts need no joins. Code that changes a fact calls ``derive`` in the same transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from indexer.api.types import FileState

if TYPE_CHECKING:
    import os
    import sqlite3


_LATEST_NS = (1 << 63) - 1


class Stamp(Struct, frozen=True):
    """The size, times and identity of a file, compared to detect changes."""

    size: int
    mtime_ns: int
    volume: int
    inode: int

    @classmethod
    def from_status(cls, found: os.stat_result) -> Stamp:
        return cls(found.st_size, mtime_ns(found), found.st_dev, found.st_ino)


def mtime_ns(found: os.stat_result) -> int:
    """Return the modification time, clipped to 64 bits, which end in the year 2262."""
    return max(-_LATEST_NS, min(_LATEST_NS, found.st_mtime_ns))


# Failures caused by the bytes, which every copy shares.
CONTENT_CODES = {
    "needs_password": FileState.NEEDS_PASSWORD,
    "wrong_password": FileState.NEEDS_PASSWORD,
    "unreadable": FileState.UNREADABLE,
    **dict.fromkeys(("no_text", "ocr_pending", "needs_ocr", "ocr_off"), FileState.NO_TEXT),
    "empty": FileState.EMPTY,
    "too_large": FileState.TOO_LARGE,
    "too_complex": FileState.TOO_LARGE,
    "copy_protected": FileState.UNSUPPORTED,
    "needs_libreoffice": FileState.UNSUPPORTED,
    "unsupported": FileState.UNSUPPORTED,
}
# Failures of a file, not of its bytes, that have a state of their own.
FILE_CODES = {"placeholder": FileState.PLACEHOLDER}
# Failures that the next scan retries.
TRANSIENT_CODES = frozenset(
    {"changed_while_read", "vanished", "read_error", "path_denied", "reader_killed"}
)
# Transient failures that may end without a change of the file are also retried after a delay.
PASSING_CODES = frozenset({"changed_while_read", "read_error", "reader_killed"})
# Codes of files that crashed a process twice. They are not retried automatically.
SET_ASIDE_CODES = frozenset({"crashed_engine", "child_died", "out_of_time", "out_of_memory"})
# The crash counter of a file in progress grows by this after a fault, and after an end of unknown
# cause, such as a kill by the person or at shutdown.
FAULT, UNEXPLAINED = 2, 1
# Stands for an increment if the system killed the engine for lack of memory. The file must then be
# read alone, and counts as the cause only if it was already alone with room in memory.
FOR_MEMORY = -1
# The counter at which a file is not retried: two faults, or four ends of unknown cause.
MAX_CRASHES = 4


def state_of_code(code: str) -> FileState:
    """Return the state of a reason code; codes without their own are failures."""
    return _STATES.get(code, FileState.FAILED)


_STATES = {**CONTENT_CODES, **FILE_CODES}
_FAILURES = " ".join(f"WHEN '{code}' THEN '{state}'" for code, state in _STATES.items())

# The first rule that applies decides.
_RULE = f"""
CASE
  WHEN (SELECT state FROM roots WHERE id = files.root) = 'offline' OR volume_missing
    THEN '{FileState.OFFLINE}'
  WHEN fixed_state <> '' THEN fixed_state
  WHEN pending = 1 THEN '{FileState.QUEUED}'
  WHEN code <> '' THEN CASE code {_FAILURES} ELSE '{FileState.FAILED}' END
  WHEN content IS NULL THEN '{FileState.QUEUED}'
  ELSE (
    SELECT CASE
      WHEN c.state <> '' THEN c.state
      WHEN d.passages_state IS NULL OR d.passages_state <> 'done' THEN '{FileState.QUEUED}'
      WHEN v.state = 'crashed' THEN '{FileState.FAILED}'
      WHEN v.state IS NULL OR v.state <> 'done' THEN '{FileState.TEXT_ONLY}'
      WHEN c.bad_pages <> '' AND c.detail <> '' THEN '{FileState.PARTIAL}'
      ELSE '{FileState.INDEXED}' END
    FROM contents c LEFT JOIN docs d ON d.doc = c.doc
    LEFT JOIN doc_spaces v ON v.doc = c.doc AND v.space = (SELECT id FROM spaces WHERE active)
    WHERE c.id = files.content)
END
"""  # built from the constants above


def derive(connection: sqlite3.Connection, where: str, *values: object) -> None:
    """Store the state of the files that ``where`` selects, inside the caller's transaction."""
    connection.execute(f"UPDATE files SET state = {_RULE} WHERE {where}", values)


def queue_quietly(connection: sqlite3.Connection, where: str, *values: object) -> int:
    """Queue files to be read again, and count them; their state and text stay until then."""
    queued = f"UPDATE files SET pending = 2 WHERE pending = 0 AND {where}"
    return connection.execute(queued, values).rowcount


def derive_docs(connection: sqlite3.Connection, docs: str, *values: object) -> None:
    """Store the state of all files of some documents; ``docs`` is a condition on ``doc``."""
    selected = f"content IN (SELECT id FROM contents WHERE {docs})"
    derive(connection, selected, *values)
