"""Data in JSON, as programs export chats, notes, bookmarks and tables: sentences and names.

Each object is a paragraph of its values that are text, below its title if it has one. Numbers,
addresses and codes are left out, but not dates. A file without any sentence has no text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.api.errors import WorldError
from indexer.api.types import BlockKind
from indexer.extract.base import check_size
from indexer.extract.markup.html import parse_markup, read_tree
from indexer.extract.page_writer import PageWriter, WrittenSource
from indexer.extract.plain.decode import decoded

if TYPE_CHECKING:
    from indexer.config import Limits

_TITLES = ("title", "name", "subject", "summary")
_SENTENCE = re.compile(
    r"[^\W\d_]{2,}[^\w\n]*\s+\S*[^\W\d_]|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}"
)
_WORD = re.compile(r"[^\W\d_][^\W_]*(?:[ .@'’-][^\W_]+)*\.?")
_WHEN = re.compile(r"time|date|created|updated|edited|^ts$", re.IGNORECASE)
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d))?")
_HTML = re.compile(r"</?(?:p|br|div|b|i|a|span|li|ul|h\d)\b[^<>]{0,500}>", re.IGNORECASE)
_NAME_CHARS = 80
_LONGEST = 100_000
# The years 1990 to 2100 in seconds since 1970. Thousandths and millionths are converted.
_FIRST, _LAST = 631_152_000, 4_102_444_800


class RecordSource(WrittenSource[list[Any]]):
    """An open file of JSON."""

    def write_pages(self, writer: PageWriter) -> Iterator[None]:
        # The walk is depth first, without recursion, in the order of the file.
        waiting = self._file[::-1]
        while waiting:
            value = waiting.pop()
            self.budget.spend_elements(1)
            if isinstance(value, dict):
                self._write_object(value, writer)
                waiting.extend(each for each in reversed(value.values()) if _is_nested(each))
                yield
            elif isinstance(value, list):
                waiting.extend(each for each in reversed(value) if _is_nested(each))
                writer.add_block("\n".join(filter(None, (_sentence(each) for each in value))))

    def _write_object(self, record: dict[str, Any], writer: PageWriter) -> None:
        shown = {key: _shown(str(key), value) for key, value in record.items()}
        texts = {key: text for key, text in shown.items() if text}
        if not any(_sentence(record[key]) for key in texts):
            return
        title = next((key for key in _TITLES if _sentence(record.get(key)) and len(texts) > 1), "")
        if title:
            writer.add_block(texts.pop(title)[:300], BlockKind.HEADING, 1)
        said = [text for text in texts.values() if _SENTENCE.search(text)]
        about = " · ".join(text for text in texts.values() if text not in said)
        writer.add_block("\n".join(filter(None, (about, *said))))


def open_source(path: Path, password: str | None, limits: Limits) -> RecordSource:
    """Open a file of JSON, or of one JSON value on each line (``indexer.extract.base.Opener``)."""
    check_size(path, limits.notebook_bytes)
    text = decoded(path.read_bytes()).removeprefix("\ufeff")
    try:
        return RecordSource([json.loads(text)], limits)
    except (ValueError, RecursionError) as error:
        roots = list(_lines(text))
        if not roots:
            said = str(error)[:200]
            raise WorldError("unreadable", reason="not_json", said=said) from error
        return RecordSource(roots, limits)


def _lines(text: str) -> Iterator[Any]:
    for line in text.splitlines():
        if line.lstrip()[:1] in ("{", "["):
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                continue


def _is_nested(value: object) -> bool:
    return isinstance(value, (dict, list))


def _sentence(value: object) -> str:
    """Return a value if it is a text of several words, else ""."""
    return _clean(value) if isinstance(value, str) and _SENTENCE.search(value[:2_000]) else ""


def _shown(key: str, value: object) -> str:
    """Return the text to show of a value, which is a sentence, a name, or a date and time."""
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        value = value["name"]  # the sender's name
    if _WHEN.search(key) and isinstance(value, (str, int, float)) and not isinstance(value, bool):
        return _time(value)
    if not isinstance(value, str):
        return ""
    named = len(value) <= _NAME_CHARS and _WORD.fullmatch(value) is not None
    return _sentence(value) or (value if named and not value.islower() else "")


def _time(value: str | float) -> str:
    if isinstance(value, str) and (found := _DATE.match(value)):
        return " ".join(filter(None, found.groups()))
    try:
        seconds = float(value)
    except (ValueError, OverflowError):
        return _sentence(value)
    while seconds > _LAST * 100 and seconds < _LAST * 10**7:
        seconds /= 1_000
    if not _FIRST < seconds < _LAST:
        return ""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def _clean(text: str) -> str:
    text = text[:_LONGEST]
    # Some programs write each byte of UTF-8 as a character.
    if not text.isascii() and max(text) <= "\xff":
        try:
            text = text.encode("latin-1").decode("utf-8")
        except UnicodeDecodeError:
            pass
    if _HTML.search(text):
        text = read_tree(parse_markup(text.encode("utf-8", "replace"), "utf-8"))[0]
    return text.strip()
