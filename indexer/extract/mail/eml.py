"""Single mails in MIME format, and web archives (MHTML), which have the same format.

The tolerant parser of the standard library keeps a whole mail in memory. So long bodies are moved
to a file first (``BodySpool``), and attachments are decoded from there one at a time.
"""

from __future__ import annotations

import binascii
import codecs
import email.errors
import email.header
import email.message
import email.parser
import email.policy
import email.utils
import quopri
import re
import secrets
import tempfile
from contextlib import ExitStack, closing, suppress
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, BinaryIO

from indexer.api.errors import WorldError
from indexer.extract.base import check_size
from indexer.extract.embedded.attachments import charged
from indexer.extract.mail.body import better, enriched_text, unflowed
from indexer.extract.mail.enclosed import (
    ENCLOSING,
    SIGNED,
    from_uu,
    outlook_parts,
    signed_content,
    without_encoded,
)
from indexer.extract.mail.message import Html, InlinePart, InnerMail, Mail, MailSource, attached
from indexer.extract.plain.cards import calendar_text
from indexer.extract.plain.decode import Encoding, decoded, find_encoding
from indexer.text.view import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from indexer.config import Limits
    from indexer.extract.document import Budget
    from indexer.extract.embedded.attachments import Attachment

_IN_MEMORY_BYTES = 1 << 20
_PIECE_BYTES = 1 << 16
# The parser gets at most this much of a body, of headers, and of a mail. Once a mail exceeds the
# last, the limit of a body is ``_REDUCED_BYTES``.
_BODY_BYTES, _HEADER_BYTES, _MAIL_BYTES = 1 << 16, 1 << 20, 32 << 20
_REDUCED_BYTES = 1 << 12
_MAX_BORDERS = 5_000


class BodySpool:
    """A file with the long bodies of one mail, each replaced by a placeholder line."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES)  # noqa: SIM115  # closed by ``close``
        self._secret = secrets.token_hex(16).encode()
        self._mark = re.compile(rb"=%s (\d+) (\d+)\r?\n?" % self._secret)

    def put(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Yield lines, with placeholders for long bodies. Possible MIME boundaries are kept."""
        kept = run = borders = 0
        room, begun, at_start = _HEADER_BYTES, -1, True
        for line in lines:
            if at_start and line.startswith(b"--") and borders < _MAX_BORDERS:
                if begun >= 0:
                    yield self._line(begun)
                borders, run, begun, room = borders + 1, 0, -1, _HEADER_BYTES
            elif not line.strip():
                room = _BODY_BYTES
            if kept > _MAIL_BYTES:
                room = _REDUCED_BYTES
            if begun < 0 and at_start and run > room:
                begun = self._file.tell()
            if begun < 0:
                run, kept = run + len(line), kept + len(line)
                yield line
            else:
                self._file.write(line)
            at_start = line.endswith(b"\n")
        if begun >= 0:
            yield self._line(begun)

    def pieces(self, body: bytes) -> Iterator[bytes]:
        """Yield a body with its placeholders replaced by the original lines."""
        at = 0
        for mark in self._mark.finditer(body):
            yield body[at : mark.start()]
            at = mark.end()
            start, end = int(mark[1]), int(mark[2])
            while start < end:
                self._file.seek(start)
                piece = self._file.read(min(_PIECE_BYTES, end - start))
                start += len(piece)
                yield piece
        yield body[at:]

    def holds(self, body: bytes) -> bool:
        """Whether a body has placeholders."""
        return self._secret in body

    def close(self) -> None:
        self._file.close()

    def _line(self, begun: int) -> bytes:
        return b"=%s %d %d\n" % (self._secret, begun, self._file.tell())


_LONGEST_LINE = 1 << 20
_MAX_PARTS = 2_000
_MAX_DEPTH = 20
_MAX_HTML_BYTES = 16 * 1024**2
_MAX_TEXT_BYTES = 64 * 1024**2
_MAILS = frozenset({"message/rfc822", "message/global", "message/news"})
_CODED = frozenset({"base64", "quoted-printable"})
_CALENDARS = frozenset({"text/calendar", "application/ics"})
_ENRICHED = frozenset({"text/enriched", "text/richtext"})
_BODIES = ("text", "multipart", "")  # parts without borders, or of an invalid type
_SILENT = frozenset({"text/css", "text/javascript", "text/x-amp-html"})
_PICTURES = ("image/", "audio/", "video/", "multipart/", "message/")
_APPLE_COUNT = re.compile(rb"\s*\d{1,15}\s*\n")
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
_NOT_BASE64 = bytes(set(range(256)) - set(_BASE64))
_APPENDED = re.compile(rb"\r?\n\r?\n(?=[^A-Za-z0-9+/=\r\n])")


def open_source(path: Path, password: str | None, limits: Limits) -> MailSource:
    """Open a mail (``indexer.extract.base.Opener``)."""
    check_size(path, limits.message_bytes)
    with ExitStack() as held:
        aside = held.enter_context(closing(BodySpool()))
        with path.open("rb") as file:
            mail = read_mail(_mail_lines(file), aside)
        if not (mail.subject or mail.sender or any(mail.bodies) or mail.attached):
            raise WorldError("unreadable", reason="not_mail")
        return MailSource(mail, limits, held.pop_all())


def _mail_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of the mail in a file. The first line of an .emlx file is its length."""
    first = file.readline(_LONGEST_LINE)
    left = -1
    if _APPLE_COUNT.fullmatch(first):
        left = int(first)
    else:
        file.seek(len(codecs.BOM_UTF8) if first.startswith(codecs.BOM_UTF8) else 0)
    while left and (line := file.readline(_LONGEST_LINE if left < 0 else min(left, _LONGEST_LINE))):
        left -= len(line) if left > 0 else 0
        yield line


def read_mail(lines: Iterable[bytes], aside: BodySpool) -> Mail:
    """Parse the lines of a mail. A long line may come in several pieces.

    ``aside`` stores long bodies until the mail is closed.

    Raises ``unreadable`` if the parser fails.
    """
    parser = email.parser.BytesFeedParser(policy=email.policy.compat32)
    try:
        for line in aside.put(lines):
            parser.feed(line)
        return _Parts(aside).mail(parser.close(), 0)
    except (MemoryError, OSError, WorldError):
        raise
    except Exception as error:  # damaged mails raise many types of exceptions in the parser
        raise WorldError("unreadable", reason="parts_damaged", said=str(error)[:200]) from error


class _Parts:
    """Collects the bodies and attachments of a mail from its MIME parts."""

    def __init__(self, aside: BodySpool) -> None:
        self._aside = aside
        self._count = 0

    def mail(self, message: email.message.Message, depth: int) -> Mail:
        encoding = _header_encoding(message)
        subject, sender, to, copy = (
            _header(message, name, encoding) for name in ("Subject", "From", "To", "Cc")
        )
        mail = Mail(subject, sender, to, copy, _date(message))
        self._collect(message, mail, depth, around="")
        return mail

    def _collect(self, part: email.message.Message, mail: Mail, depth: int, *, around: str) -> None:
        self._count += 1
        if self._count > _MAX_PARTS or depth > _MAX_DEPTH:
            return
        kind = part.get_content_type()
        payload = part.get_payload()
        if isinstance(payload, list):
            inner = [each for each in payload if isinstance(each, email.message.Message)]
            self._contained(part, inner, mail, depth)
        elif kind in _CALENDARS:
            text = calendar_text(self._text(part))
            if text not in mail.bodies:  # a calendar often comes twice, once as an attachment
                mail.bodies.append(text)
        elif kind in ENCLOSING and self._enclosed(part, kind, mail, depth):
            pass
        elif name := _name(part):
            mail.attached.append(self._attached(name, part, mail, around))
        elif part.get_content_maintype() in _BODIES:
            for body in self._body(part, kind):
                shown, files = (body, []) if isinstance(body, Html) else without_encoded(body)
                mail.bodies.append(shown)
                mail.attached += files
        elif around != "multipart/related" and not kind.startswith(_PICTURES):
            mail.attached.append(self._attached(kind, part, mail, around))

    def _enclosed(self, part: email.message.Message, kind: str, mail: Mail, depth: int) -> bool:
        """Collect the parts of a signed mail or a winmail.dat; return whether it can be read."""
        data = self._bytes(part, _MAX_TEXT_BYTES)
        if kind in SIGNED:
            inner = signed_content(data)
            if inner:
                self._collect(email.message_from_bytes(inner), mail, depth + 1, around=kind)
            return bool(inner)
        found = outlook_parts(data)
        if not any(map(_has_text, mail.bodies)):
            mail.bodies += found.bodies
        mail.attached += found.attached
        return bool(found.bodies or found.attached)

    def _contained(
        self, part: email.message.Message, parts: list[email.message.Message], mail: Mail,
        depth: int,
    ) -> None:  # fmt: skip
        """Collect from a part that has parts: a mail, a report, alternatives or a list."""
        kind, coding = part.get_content_type(), str(part.get("Content-Transfer-Encoding", ""))
        if kind in _MAILS:
            for inner in parts[:1]:
                if coding.strip().lower() in _CODED and not inner.keys():  # RFC 2046 forbids this
                    inner["Content-Transfer-Encoding"] = coding
                    mail.attached.append(self._attached("message.eml", inner, mail, kind))
                else:
                    read = partial(self.mail, inner, depth + 1)
                    mail.attached.append(InnerMail(_header(inner, "Subject"), read))
        elif kind.startswith("message/"):
            mail.bodies.append("\n\n".join(map(_fields, parts)))
        elif kind == "multipart/alternative":
            self._choose(parts, mail, depth)
        else:
            for inner in parts:
                self._collect(inner, mail, depth + 1, around=kind)

    def _body(self, part: email.message.Message, kind: str) -> Iterator[str | Html]:
        """Yield the text of a part without a name, unless it is mere style or a program."""
        if kind == "text/html":
            yield Html(self._bytes(part, _MAX_HTML_BYTES), part.get_content_charset("") or "")
        elif kind in _ENRICHED:
            yield enriched_text(self._text(part))
        elif kind not in _SILENT:
            text = self._text(part)
            if str(part.get_param("format", "")).lower() == "flowed":
                text = unflowed(text, delete=str(part.get_param("delsp", "")).lower() == "yes")
            yield text

    def _text(self, part: email.message.Message) -> str:
        data = self._bytes(part, _MAX_TEXT_BYTES)
        return _labelled(data, part.get_content_charset("") or "")

    def _choose(self, forms: list[email.message.Message], mail: Mail, depth: int) -> None:
        """Collect the best alternative, and the calendars and attachments of all of them.

        This is the plain text, unless it lacks words of the HTML.
        """
        chosen: list[str | Html] = []
        beside: list[str | Html] = []
        for form in forms:
            found = Mail()
            self._collect(form, found, depth + 1, around="multipart/alternative")
            mail.attached += found.attached
            if form.get_content_type() in _CALENDARS:
                beside += found.bodies
            elif any(map(_has_text, found.bodies)):
                chosen = better(chosen, found.bodies)
        mail.bodies += chosen + [body for body in beside if body not in mail.bodies]

    def _attached(
        self, name: str, part: email.message.Message, mail: Mail, around: str
    ) -> Attachment | InlinePart:
        identifier = str(part.get("Content-ID", "")).strip().strip("<>")
        shown = around == "multipart/related" or mail.shows(identifier)
        return attached(name, part.get_content_type(), partial(self._pieces, part), shown=shown)

    def _pieces(self, part: email.message.Message, budget: Budget) -> Iterator[bytes]:
        return charged(self._decoded(part), budget)

    def _bytes(self, part: email.message.Message, limit: int) -> bytes:
        found = bytearray()
        for piece in self._decoded(part):
            found += piece
            if len(found) > limit:
                break
        return bytes(found[:limit])

    def _decoded(self, part: email.message.Message) -> Iterator[bytes]:
        encoding = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
        body = _raw(part)
        if not self._aside.holds(body):
            if encoding == "base64":  # text that a list appended is outside it
                yield from _from_base64(iter(_APPENDED.split(body, 1)[:1]))
                return
            data = part.get_payload(decode=True)
            yield data if isinstance(data, bytes) else b""
            return
        pieces = self._aside.pieces(body)
        yield from _DECODERS[encoding](pieces) if encoding in _DECODERS else pieces


def _raw(part: email.message.Message) -> bytes:
    """Return a body without decoding its transfer encoding."""
    encoding = part["Content-Transfer-Encoding"]
    del part["Content-Transfer-Encoding"]
    data = part.get_payload(decode=True)
    if encoding is not None:
        part["Content-Transfer-Encoding"] = encoding
    return data if isinstance(data, bytes) else b""


def _from_base64(pieces: Iterator[bytes]) -> Iterator[bytes]:
    left = b""
    for piece in chain(pieces, (b"===",)):  # the padding, which may be missing
        data = left + piece.translate(None, _NOT_BASE64)
        whole = len(data) - len(data) % 4
        with suppress(binascii.Error):
            yield binascii.a2b_base64(data[:whole])
        left = data[whole:]


def _from_lines(decode: Callable[[bytes], bytes], pieces: Iterator[bytes]) -> Iterator[bytes]:
    left = b""
    for piece in pieces:
        head, end, left = (left + piece).rpartition(b"\n")
        yield decode(head + end)
    yield decode(left)


_DECODERS: dict[str, Callable[[Iterator[bytes]], Iterator[bytes]]] = {
    "base64": _from_base64,
    "quoted-printable": partial(_from_lines, quopri.decodestring),
    **dict.fromkeys(("x-uuencode", "uuencode", "uue", "x-uue"), partial(_from_lines, from_uu)),
}


def _has_text(body: str | Html) -> bool:
    return bool(body.data.strip() if isinstance(body, Html) else body.strip())


def _name(part: email.message.Message) -> str:
    """Return the name of a part if it is an attachment, else ""."""
    attached = part.get_content_disposition() == "attachment"
    if not attached and part.get_content_maintype() == "text":
        return ""
    name = part.get_filename() or ""
    return _decoded(name) or (part.get_content_type() if attached else "")


def _fields(block: email.message.Message) -> str:
    """Return the fields of a report, such as why a mail was not delivered."""
    return "\n".join(f"{name}: {_header(block, name)}" for name in dict.fromkeys(block.keys()))


def _labelled(data: bytes, label: str) -> str:
    """Decode bytes of a mail, also those of programs that label every encoding as ASCII."""
    return decoded(data, "" if label.strip().lower() == "us-ascii" else label)


def _header_encoding(message: email.message.Message) -> Encoding:
    """Return the encoding of headers with bytes outside ASCII, which is mostly the body's."""
    values = (_raw_bytes(value) for _, value in message.raw_items())
    raw = b"\n".join(value for value in values if _is_raw(value))
    if not raw:
        return Encoding("utf-8")
    labels = (part.get_content_charset("") for part in islice(message.walk(), _MAX_PARTS))
    return find_encoding(raw, (raw,), next((label for label in labels if label), ""))


def _is_raw(value: bytes) -> bool:
    """Return whether a header has letters outside encoded words, also Japanese ones in ASCII."""
    return not value.isascii() or b"\x1b$" in value


def _raw_bytes(value: object) -> bytes:
    return str(value).encode("utf-8", "surrogateescape")


def _header(message: email.message.Message, name: str, encoding: Encoding | None = None) -> str:
    value = next((value for key, value in message.raw_items() if key.lower() == name.lower()), "")
    raw = _raw_bytes(value)
    if not _is_raw(raw):
        return _decoded(str(value))
    encoding = encoding or _header_encoding(message)
    return _decoded(without_surrogates(encoding.decode(raw)))


def _decoded(value: str) -> str:
    """Decode the encoded words of a header; a damaged header is returned unchanged."""
    value = " ".join(value.split())[:10_000]
    try:
        pieces = email.header.decode_header(value)
    except (email.errors.HeaderParseError, ValueError):
        return value
    shown = []
    for piece, charset in pieces:
        if isinstance(piece, str):
            shown.append(piece)
        elif charset is None:  # the text between encoded words
            shown.append(piece.decode("raw-unicode-escape", "replace"))
        else:
            shown.append(_labelled(piece, charset))
    return without_surrogates(" ".join("".join(shown).split()))


def _date(message: email.message.Message) -> str:
    try:
        moment = email.utils.parsedate_to_datetime(str(message.get("Date", "")))
    except (TypeError, ValueError, IndexError, OverflowError):
        return ""
    return f"{moment:%Y-%m-%d %H:%M}" if moment.year > 1970 else ""
