"""The one place where a file's state is decided, from everything the catalog knows about it.

Owns the rule that turns facts (name, root, failures, content, document, vectors in the active
space) into a ``FileState``, and the table from reason codes to states. The state is
stored, so lists and counts are plain reads; whoever changes a fact calls ``derive`` in the same
transaction. It must not change any fact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.api.types import FileState

if TYPE_CHECKING:
    import sqlite3

# Failures that belong to the bytes: every copy of them shares the outcome.
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
# Others that have a state of their own.
FILE_CODES = {"placeholder": FileState.PLACEHOLDER}
# Failures that may be gone at the next scan.
TRANSIENT_CODES = frozenset({"changed_while_read", "vanished", "read_error", "path_denied"})
# Of these, what may pass while the file stays the same: retried after a while.
PASSING_CODES = frozenset({"changed_while_read", "read_error"})
# Reading the file stopped a process, twice: it is not tried again by itself.
SET_ASIDE_CODES = frozenset({"crashed_engine", "child_died", "out_of_time", "out_of_memory"})
# What the crash counter of a file in progress grows by: after a fault or an out-of-memory kill, and
# after an end without a trace, as a person or the system ends programs.
FAULT, UNEXPLAINED = 2, 1
# From here on it is set aside: two faults, or four ends without a trace.
MAX_CRASHES = 4


def state_of_code(code: str) -> FileState:
    """Tell the state that a reason code stands for; codes without their own are failures."""
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


def derive_docs(connection: sqlite3.Connection, docs: str, *values: object) -> None:
    """Store the state of all files of some documents; ``docs`` is a condition on ``doc``."""
    selected = f"content IN (SELECT id FROM contents WHERE {docs})"
    derive(connection, selected, *values)
