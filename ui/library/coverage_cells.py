"""The columns of the coverage: text, tooltip and alignment of each cell. Pure functions."""

from __future__ import annotations

from enum import IntEnum
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from indexer.api.formats import BY_EXTENSION
from ui.words import amounts, failures, names

if TYPE_CHECKING:
    from indexer.api.types import FileRow


class Column(IntEnum):
    """The columns, in their order."""

    NAME = 0
    FOLDER = 1
    STATE = 2
    REASON = 3
    SIZE = 4
    MODIFIED = 5
    PAGES = 6


_NUMBERS = frozenset({Column.SIZE, Column.MODIFIED, Column.PAGES})


_END = Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter
_START = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter
ALIGNMENTS = {column: _END if column in _NUMBERS else _START for column in Column}


def text(row: FileRow, column: Column) -> str:
    folder, _, name = row.file.rpartition("/")
    root = PurePath(row.root).name or row.root
    match column:
        case Column.NAME:
            return name
        case Column.FOLDER:
            return f"{root}/{folder}" if folder else root
        case Column.STATE:
            return names.state(row.state)
        case Column.REASON:
            reason = failures.reason(row.code)
            if reason == names.state(row.state):
                reason = failures.cause(row)
            return reason[:1].upper() + reason[1:]
        case Column.SIZE:
            return amounts.size(row.size)
        case Column.MODIFIED:
            return amounts.moment(row.mtime_ns)
        case Column.PAGES:
            return amounts.count(row.pages) if row.pages and has_pages(row.file) else ""


def has_pages(file: str) -> bool:
    """Whether a file's format has pages, slides or the like; true for an unknown ending."""
    known = BY_EXTENSION.get(PurePath(file).suffix.lower())
    return known is None or bool(known.unit)


def hint(row: FileRow, column: Column) -> str:
    if column in {Column.NAME, Column.FOLDER}:
        return row.path
    if column in {Column.STATE, Column.REASON}:
        return failures.row_reason(row) or names.state_help(row.state)
    return ""
