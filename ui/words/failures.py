"""Failures and notes of the engine in the person's language; other texts stay as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from indexer.api.errors import CODES, LecternError, WorldError
from indexer.api.phrases import PHRASES, Note, fill_with, read_detail, reason_in
from indexer.api.translation import N_
from ui.words import say

if TYPE_CHECKING:
    from indexer.api.types import FileRow

BAD_PAGES = N_("Pages that could not be read: {pages}.")
BAD_PAGES_WHY = N_("Pages that could not be read: {pages} ({reason}).")


def reason(code: str) -> str:
    """A label of a few words for a reason code; "" for none."""
    return say(CODES[code].label) if code in CODES else code.replace("_", " ")


def sentence(code: str, detail: Mapping[str, object] | str = "") -> str:
    """The sentence of a reason code.

    ``code`` is a key of ``indexer.api.errors.CODES``, or ""; ``detail`` are the values of its
    placeholders, as a mapping or as the JSON text of one.
    """
    return _filled(say(CODES[code].message), detail) if code in CODES else ""


def step(code: str, detail: Mapping[str, object] | str = "") -> str:
    """The next step for the person; "" if there is none."""
    return _filled(say(CODES[code].step_in_window), detail) if code in CODES else ""


def failure(error: LecternError) -> str:
    """An error as one notice: its sentence and the next step."""
    parts = (sentence(error.code, error.detail), step(error.code, error.detail))
    return " ".join(filter(None, parts))


def row_reason(row: FileRow) -> str:
    """Why a file is in its state, with the pages or parts that could not be read."""
    reason = sentence(row.code, row.detail)
    detail = read_detail(row.detail)
    if not row.code and reason_in(detail) == "parts_unread":
        return phrase("parts_unread", detail)  # this sentence names the parts
    if row.bad_pages:
        pages = ", ".join(str(page) for page in row.bad_pages[:20])
        if len(row.bad_pages) > 20:
            pages += ", …"
        reason = " ".join((reason, _bad_pages(pages, row))).strip()
    return reason


def cause(row: FileRow) -> str:
    """The cause of a file's reason code, in a few words; "" if unknown."""
    detail = read_detail(row.detail)
    return phrase(reason_in(detail), detail)


def _bad_pages(pages: str, row: FileRow) -> str:
    known = {} if row.code else read_detail(row.detail)
    if reason := reason_in(known):
        return say(BAD_PAGES_WHY).format(pages=pages, reason=phrase(reason, known))
    return say(BAD_PAGES).format(pages=pages)


def note(item: Note) -> str:
    """A note beside an answer, as a sentence."""
    if item.code in CODES:
        return failure(WorldError(item.code, **item.detail))
    return phrase(item.code, item.detail)


def notes(items: Iterable[Note]) -> str:
    """Notes in one line."""
    return "; ".join(map(note, items))


def phrase(code: str, detail: Mapping[str, object]) -> str:
    """A phrase of the engine in the person's language; a text that is no code stays as it is."""
    return _filled(say(PHRASES[code]), detail) if code in PHRASES else code


def _filled(text: str, detail: Mapping[str, object] | str) -> str:
    known = read_detail(detail) if isinstance(detail, str) else detail
    return fill_with(phrase, text, known)
