"""Single mails as mail programs save them, and web pages saved whole, which have the same form.

Owns MIME: parts, encodings, headers; the parser is that of the standard library in its forgiving
mode. Long attachments are dropped before they are parsed, so that memory does not grow with them.
"""

from __future__ import annotations

import email.errors
import email.header
import email.message
import email.parser
import email.policy
import email.utils
import re
from typing import TYPE_CHECKING

from indexer.errors import WorldError
from indexer.extract.base import Limits, RawPage, too_large
from indexer.extract.budget import Budget
from indexer.extract.decode import encoding_of
from indexer.extract.html import known_encoding
from indexer.extract.mail import Mail, write_mail
from indexer.extract.page_writer import PageWriter

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from indexer.types import OutlineEntry

_BASE64_LINE = re.compile(rb"[A-Za-z0-9+/=]{40,}\s*$")
_KEPT_BASE64_LINES = 60_000  # 3.4 MB: no text that a person wrote is longer
_LONGEST_LINE = 1 << 20
_MAX_PARTS = 2_000
_MAX_DEPTH = 20
_MAX_HTML_BYTES = 16 * 1024**2
_APPLE_COUNT = re.compile(rb"\s*\d+\s*\n")


class EmlSource:
    """An open mail."""

    outline: tuple[OutlineEntry, ...] = ()
    page_count = 1

    def __init__(self, mail: Mail, limits: Limits) -> None:
        self._mail = mail
        self._limits = limits
        self.metadata = mail.metadata

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        writer = PageWriter(Budget(self._limits))
        write_mail(self._mail, writer)
        self._mail = Mail()
        yield from writer.finish()

    def close(self) -> None:
        self._mail = Mail()


def open_source(path: Path, password: str | None, limits: Limits) -> EmlSource:
    """Open a mail (``indexer.extract.base.Opener``)."""
    size = path.stat().st_size
    if size == 0:
        raise WorldError("empty")
    if size > limits.message_bytes:
        raise too_large(limits.message_bytes)
    with path.open("rb") as file:
        first = file.readline(_LONGEST_LINE)
        if not _APPLE_COUNT.fullmatch(first):  # Apple's mails begin with their length
            file.seek(0)
        mail = read_mail(iter(lambda: file.readline(_LONGEST_LINE), b""))
    if not (mail.subject or mail.sender or mail.plain.strip() or mail.html or mail.inside):
        raise WorldError("unreadable", reason="not_mail")
    return EmlSource(mail, limits)


def read_mail(lines: Iterable[bytes]) -> Mail:
    """Parse a mail.

    Raises:
        WorldError: ``unreadable`` where even the forgiving parser gives up.
    """
    parser = email.parser.BytesFeedParser(policy=email.policy.compat32)
    try:
        for line in _without_bulk(lines):
            parser.feed(line)
        return _mail(parser.close(), 0)
    except (MemoryError, WorldError):
        raise
    except Exception as error:  # the parser is known for what it lets through
        raise WorldError("unreadable", reason="parts_damaged", said=str(error)[:200]) from error


def _without_bulk(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines, but of what is long and encoded only the beginning."""
    run = 0
    for line in lines:
        run = run + 1 if _BASE64_LINE.match(line) else 0
        if run <= _KEPT_BASE64_LINES:
            yield line


def _mail(message: email.message.Message, depth: int) -> Mail:
    mail = Mail(
        _header(message, "Subject"),
        _header(message, "From"),
        _header(message, "To"),
        _header(message, "Cc"),
        _date(message),
    )
    _collect(message, mail, depth, [0])
    return mail


def _collect(part: email.message.Message, mail: Mail, depth: int, count: list[int]) -> None:
    """Take the words and the names of attachments out of a part and of the parts in it."""
    count[0] += 1
    if count[0] > _MAX_PARTS or depth > _MAX_DEPTH:
        return
    kind = part.get_content_type()
    payload = part.get_payload()
    if kind == "message/rfc822" and isinstance(payload, list):
        mail.inside += [_mail(inner, depth + 1) for inner in _parts(payload)[:1]]
    elif isinstance(payload, list):
        for inner in _parts(payload):
            _collect(inner, mail, depth + 1, count)
    elif name := _name(part):
        mail.attachments.append(name)
    elif kind == "text/html" and not mail.html:
        mail.html = _bytes(part)[:_MAX_HTML_BYTES]
        mail.charset = part.get_content_charset("") or ""
    elif kind in ("text/plain", "/"):  # the latter is what nonsense comes out as
        mail.plain += ("\n" if mail.plain else "") + _text(part)


def _parts(payload: Iterable[object]) -> list[email.message.Message]:
    return [part for part in payload if isinstance(part, email.message.Message)]


def _name(part: email.message.Message) -> str:
    """Return what an attachment is called, "" if the part is no attachment."""
    attached = part.get_content_disposition() == "attachment"
    if not attached and part.get_content_maintype() == "text":
        return ""
    name = part.get_filename() or ""
    return _decoded(name) or (part.get_content_type() if attached else "")


def _bytes(part: email.message.Message) -> bytes:
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _text(part: email.message.Message) -> str:
    data = _bytes(part)
    declared = (part.get_content_charset("") or "").strip()
    found = encoding_of(data)
    if declared.startswith("utf-7"):
        found = "utf-7"
    elif not found.startswith("utf") or (declared.startswith("iso-2022") and data.isascii()):
        found = known_encoding(declared) or found
    return data.decode(found, "replace")


def _header(message: email.message.Message, name: str) -> str:
    return _decoded(str(message.get(name, "")))


def _decoded(value: str) -> str:
    """Decode the words of a header; one that is damaged stays as it is."""
    value = " ".join(value.split())[:10_000]
    try:
        pieces = email.header.decode_header(value)
    except (email.errors.HeaderParseError, ValueError):
        return value
    shown = []
    for piece, charset in pieces:
        if isinstance(piece, str):
            shown.append(piece.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
        else:
            encoding = _encoding(charset, piece)
            shown.append(piece.decode(encoding, "replace"))
    return " ".join("".join(shown).split())


def _encoding(charset: str | None, data: bytes) -> str:
    if charset and charset.lower().startswith("utf-8"):
        return "utf-8"
    return known_encoding(charset or "") or encoding_of(data)


def _date(message: email.message.Message) -> str:
    try:
        moment = email.utils.parsedate_to_datetime(str(message.get("Date", "")))
    except (TypeError, ValueError, IndexError, OverflowError):
        return ""
    return f"{moment:%Y-%m-%d %H:%M}" if moment.year > 1970 else ""
