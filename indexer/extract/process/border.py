"""Checks a reader's messages about one document before the engine believes them.

A document may have taken over its reader. So every message is checked against the engine's own
knowledge and earlier messages: the order of messages, ascending numbers, offsets within the text,
values of the declared kinds, lengths. A message that fails a check ends this document only. The
texts of failures come from the engine's own tables, and a reader only chooses among them.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
import zlib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from indexer.api.codec import Header, check_values, decode
from indexer.api.errors import CODES, Failure, InternalError, LecternError, WorldError
from indexer.api.formats import BY_NAME
from indexer.api.phrases import PHRASES
from indexer.extract.base import EXTRACTOR_VERSION, MAX_LABELS
from indexer.extract.pdf.labels import MAX_LABEL_CHARS
from indexer.extract.process.messages import (
    DocumentRead,
    Ended,
    Failed,
    FromChild,
    LinesFound,
    PageReached,
    PassagesSent,
    Textless,
    TextSent,
)
from indexer.ocr.layer import RecognisedLine, RecognisedWord, pack
from indexer.text.view import without_surrogates

if TYPE_CHECKING:
    from indexer.api.types import DocumentInfo, Passage
    from indexer.config import Limits

# The reason of failure if a reader sent a forbidden message.
BROKEN = "no_answer"
# The failures that a reader may report. Only the engine reports others.
_CODES = frozenset({
    "needs_password", "wrong_password", "unreadable", "no_text", "empty", "too_large",
    "too_complex", "copy_protected", "needs_libreoffice", "unsupported", "changed_while_read",
    "vanished", "out_of_time", "out_of_memory", "child_died", "read_error", "path_denied",
    "bad_request", "internal",
})  # fmt: skip
# The values allowed in a failure's detail, besides numbers: sizes, durations and counts with their
# unit, names of formats and of parts, and names of exceptions.
_VALUES = {
    "limit": re.compile(
        r"\d[\d,.]{0,20} (?:MB|GB|seconds|minutes|elements(?: at once)?|characters|"
        r"bytes of (?:names|one element))|a preview may take"
    ),
    "format": re.compile(r"[\w+-]{1,16}(?: (?:97|zip))?"),
    "part": re.compile(r"[\w./\[\]-]{1,80}"),
    "reason": re.compile(r"[A-Z]\w{0,60}(?:Error|Exception|Warning)"),
}
_LANGUAGE = re.compile(r"[a-z]{0,3}")
_DATE = re.compile(r"(?:\d{4}(?:-\d\d){0,2})?")
_HASH = re.compile(r"[0-9a-f]{64}")
_MOST_NUMBER = 2**31 - 1
_MOST_NAME, _MOST_LOST = 10_000, 100_000
_MOST_HEADINGS, _MOST_PART = 64, 256
# A text has at most this many characters, plus this many for each byte of its file, as a zip file
# deflates to a thousandth at most.
_LEAST_CHARACTERS, _CHARACTERS_A_BYTE = 1_000_000, 1_000
# The view of a text, and the stems of a view, are at most this many times as long, plus this.
_LONGER, _MORE = 8, 1_000
_LINES_BYTES = 32 << 20
# A file may have at most this many unreadable pages, plus one for each of its bytes.
_LEAST_PAGES = 1_000


class Border:
    """Checks in order the messages about one document, whose file has ``size`` bytes.

    ``wanted`` says whether the engine decided that it wants the text.
    """

    def __init__(self, number: int, size: int, limits: Limits) -> None:
        self._number = number
        most = max(limits.characters, 4 * size)
        self._most_pages = _LEAST_PAGES + size
        self._characters = min(_LEAST_CHARACTERS + _CHARACTERS_A_BYTE * size, most)
        self.wanted = False
        self._info: DocumentInfo | None = None
        self._told_textless = self._ended = False
        self._ordinal = self._sent = self._pages = 0

    def check(self, header: Header) -> FromChild:
        """Decode and check a message.

        Raises ``child_died`` if it may not come now.
        """
        try:
            check_values(header, "strict")  # no store can hold lone surrogates
            message = FromChild.from_header(header)
            _need(header.get("id") == self._number and not self._ended)
            return self._checked(message)
        except (WorldError, ValueError, TypeError, OverflowError) as error:
            raise broken() from error

    def _checked(self, message: FromChild) -> FromChild:
        match message:
            case PageReached(page, pages):
                _need(self._info is None and 0 <= page <= pages <= _MOST_NUMBER)
                self._pages = pages
            case Textless(pages):
                _need(self._info is None and not self._told_textless)
                _need(len(pages) <= self._most_pages and _is_ascending((0, *pages), self._pages))
                self._told_textless = True
            case DocumentRead(info):
                _need(self._info is None)
                self._info = info = self._checked_info(info)
                return DocumentRead(info)
            case PassagesSent(passages):
                _need(self.wanted)
                for passage in passages:
                    self._check_passage(passage)
            case TextSent(page, part, text):
                self._sent += len(text)
                # This includes the line feed after the last page.
                most = -1 if self._info is None else self._info.characters + 1
                _need(self.wanted and self._sent <= most)
                # Comments and embedded documents follow all pages, but have their pages' numbers.
                _need(0 <= page <= _MOST_NUMBER and len(part) <= _MOST_NAME)
            case Failed(error):
                self._ended = True
                return Failed(checked_failure(error).failure())
            case LinesFound(lines, lasting):
                _need(self._info is None)
                self._ended = True
                return LinesFound(_checked_lines(lines), lasting)
            case Ended():
                self._ended = True
        return message

    def _checked_info(self, info: DocumentInfo) -> DocumentInfo:
        _need(_HASH.fullmatch(info.text_id) is not None)
        _need(info.format in BY_NAME or info.format == "encrypted")
        _need(max(len(info.title), len(info.author)) <= _MOST_NAME and len(info.lost) <= _MOST_LOST)
        _need(all(_DATE.fullmatch(day) for day in (info.created, *info.sent)))
        _need(len(info.labels) <= min(info.pages, MAX_LABELS))
        _need(all(len(label) <= MAX_LABEL_CHARS for label in info.labels))
        _need(_LANGUAGE.fullmatch(info.language) is not None)
        _need(0 < info.pages <= _MOST_NUMBER and 0 <= info.characters <= self._characters)
        _need(all(0 < page <= _MOST_NUMBER for page in info.bad_pages))
        _need(len(info.bad_pages) == len(set(info.bad_pages)) <= self._most_pages)
        return replace(info, extractor_version=EXTRACTOR_VERSION, lost=_checked_lost(info.lost))

    def _check_passage(self, passage: Passage) -> None:
        most = -1 if self._info is None else self._info.characters
        _need(passage.ordinal == self._ordinal)
        # Passages of running heads and the like come last, so places do not always ascend.
        _need(0 <= passage.char_start < passage.char_end <= most)
        self._sent += len(passage.text)
        _need(self._sent <= 2 * most)
        _need(len(passage.text) == passage.char_end - passage.char_start)
        _need(0 <= passage.page_first <= passage.page_last <= _MOST_NUMBER)
        _need(len(passage.view) <= _LONGER * len(passage.text) + _MORE)
        _need(len(passage.stems) <= _LONGER * len(passage.view) + _MORE)
        for path in (passage.heading_path, *(path for _, path in passage.sections)):
            _need(len(path) <= _MOST_HEADINGS and sum(map(len, path)) <= _MOST_NAME)
        begins = [begin for begin, _ in passage.sections]
        _need(_is_ascending((0, *begins), len(passage.text_starts)))
        _need(len(passage.text_starts) == len(passage.view_starts))
        _need(passage.text_starts[:1] == passage.view_starts[:1] == (0,))
        _need(_is_ascending(passage.text_starts, len(passage.text)))
        _need(_is_ascending(passage.view_starts, len(passage.view)))
        self._ordinal += 1


def broken() -> WorldError:
    """Return the failure of a document whose reader sent a forbidden message."""
    return WorldError("child_died", reason=BROKEN)


def checked_failure(failure: Failure) -> LecternError:
    """Return the error that a reader reports, with only codes and values of known kinds."""
    code = failure.code if failure.code in _CODES else "internal"
    found = {key: value for key, value in failure.detail.items() if _is_known(key, value)}
    if "{reason}" in CODES[code].message:
        found.setdefault("reason", "reason_unknown")
    kind = InternalError if code == "internal" else WorldError
    return kind(code, **found)


def _is_known(key: object, value: object) -> bool:
    if key == "reason" and _is_reason(value):
        return True
    if isinstance(value, str):
        form = _VALUES.get(key) if isinstance(key, str) else None
        return form is not None and form.fullmatch(value) is not None
    return key == "page" and isinstance(value, int) and 0 <= value <= _MOST_NUMBER


def _is_reason(value: object) -> bool:
    return isinstance(value, str) and (value in PHRASES or value in CODES)


def _checked_lost(lost: str) -> str:
    """Return why parts are missing: a reason code, or JSON with the parts and their reasons."""
    if not lost or _is_reason(lost):
        return lost
    try:
        found = json.loads(lost)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, Mapping) or not isinstance(unread := found.get("unread"), list):
        return "content_damaged"
    known = [_checked_part(part) for part in unread]
    more = found.get("more")
    more = min(max(more, 0), _MOST_NUMBER) if isinstance(more, int) else 0
    return json.dumps({"reason": "parts_unread", "unread": known, "more": more}, ensure_ascii=False)


def _checked_part(part: object) -> Sequence[str]:
    match part:
        case [str(name), reason]:
            told = reason if isinstance(reason, str) and _is_reason(reason) else "content_damaged"
            return without_surrogates(name[:_MOST_PART]), told
    return "", "content_damaged"


def _checked_lines(lines: str) -> str:
    """Unpack recognised lines within limits, check them, and pack them again."""
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(base64.b64decode(lines, validate=True), _LINES_BYTES)
        rows: Any = decode(
            list[tuple[float, int, list[tuple[str, float, float, float, float]]]], json.loads(data)
        )
    except (binascii.Error, zlib.error, RecursionError) as error:
        raise ValueError("no lines") from error
    _need(unpacking.eof)
    found = []
    check_values([word[0] for row in rows for word in row[2]], "strict")
    for size, turn, words in rows:
        _need(bool(words) and 0 <= turn <= 3 and math.isfinite(size) and size >= 0)
        _need(all(word[0] and all(map(math.isfinite, word[1:])) for word in words))
        placed = tuple(RecognisedWord(word[0], tuple(word[1:])) for word in words)
        found.append(RecognisedLine(placed, size, turn))
    return base64.b64encode(pack(found)).decode("ascii")


def _is_ascending(numbers: Sequence[int], most: int) -> bool:
    """Return whether each number is greater than the one before, and none exceeds ``most``."""
    return all(one < other for one, other in pairwise(numbers)) and max(numbers, default=0) <= most


def _need(holds: bool) -> None:  # noqa: FBT001  # a condition
    if not holds:
        raise ValueError("a message that may not come")
