"""Every failure a person can meet in the window: a label, a sentence, a next step.

Owns the window's words for the codes of ``indexer.errors``, which speaks to people at a command
line. A code that is not here is shown as the engine says it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING

from indexer.errors import CODES
from ui.words.codes import FAILURES, PATTERN, PATTERN_PREFIX, REASONS
from ui.words.mark import QT_TRANSLATE_NOOP, say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.errors import LecternError
    from indexer.types import FileRow
    from ui.words.codes import Failure

BAD_PAGES = QT_TRANSLATE_NOOP("Words", "Pages that could not be read: {pages}.")


def reason(code: str) -> str:
    """A label of a few words for a reason code; "" for none."""
    known = _find(code)
    return say(known.label) if known else code.replace("_", " ")


def sentence(code: str, detail: Mapping[str, object] | str = "") -> str:
    """The sentence of a reason code.

    Args:
        code: A key of ``indexer.errors.CODES``, or "".
        detail: The values of its placeholders, as a mapping or as the JSON text of one.
    """
    known = _find(code)
    if known:
        return _filled(say(known.sentence), detail)
    return _filled(CODES[code].message, detail) if code in CODES else ""


def step(code: str, detail: Mapping[str, object] | str = "") -> str:
    """What the person can do about it; "" where that is nothing."""
    known = _find(code)
    return _filled(say(known.step), detail) if known else ""


def failure(error: LecternError) -> str:
    """An error as one notice: its sentence and the next step."""
    told = sentence(error.code, error.detail) or error.message
    return " ".join(part for part in (told, step(error.code, error.detail)) if part)


def row_reason(row: FileRow) -> str:
    """Why a file is in its state, with the pages that could not be read."""
    told = sentence(row.code, row.detail)
    if row.bad_pages:
        pages = ", ".join(str(page) for page in row.bad_pages[:20])
        if len(row.bad_pages) > 20:
            pages += ", …"
        told = " ".join((told, say(BAD_PAGES).format(pages=pages))).strip()
    return told


def _find(code: str) -> Failure | None:
    return FAILURES.get(code)


def _filled(text: str, detail: Mapping[str, object] | str) -> str:
    if "{" not in text:
        return text
    values = defaultdict(lambda: "?", {key: _told(value) for key, value in _values(detail)})
    try:
        return text.format_map(values)
    except (ValueError, IndexError, AttributeError):
        return text


def _values(detail: Mapping[str, object] | str) -> list[tuple[str, object]]:
    if not isinstance(detail, str):
        return list(detail.items())
    try:
        known = json.loads(detail)
    except ValueError:
        return [("reason", detail)] if detail else []
    return list(known.items()) if isinstance(known, dict) else []


def _told(value: object) -> str:
    """A detail as the engine gives it, in the person's language where that is known."""
    text = str(value)
    if text.startswith(PATTERN_PREFIX):
        return say(PATTERN).format(pattern=text.removeprefix(PATTERN_PREFIX))
    return say(REASONS[text]) if text in REASONS else text
