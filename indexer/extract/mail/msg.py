"""Mails of Outlook (MS-OXMSG): properties in an OLE file.

olefile opens the container, compressed-rtf unpacks rich text, and attachments are read one at a
time. Libraries for the whole format read all attachments into memory first; extract-msg also needs
fifteen packages, among them a disassembler of macros, and python-oxmsg supports neither rich text
nor mails in mails.
"""

from __future__ import annotations

import struct
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import compressed_rtf
import olefile

from indexer.api.errors import WorldError
from indexer.extract.base import check_size, damage_as_unreadable, too_large
from indexer.extract.document import Budget
from indexer.extract.mail.message import Html, InnerMail, Mail, MailSource, attached
from indexer.extract.office.rtf import RtfSource
from indexer.extract.plain.decode import known_encoding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.config import Limits

_SUBJECT, _TO, _COPY, _BODY, _HTML, _RTF = "0037", "0E04", "0E03", "1000", "1013", "1009"
_SENDER_NAME, _SENDER_MAIL, _SENDER_ADDRESS = "0C1A", "5D01", "0C1F"
_FILE_NAMES = ("3707", "3704", "3001")
_PROPERTIES = "__properties_version1.0"
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".emf", ".wmf", ".svg", ".webp")
_KIND, _IDENTIFIER, _DATA = "370E", "3712", "3701"
_SENT, _RECEIVED = 0x00390040, 0x0E060040
_CODEPAGES = (0x3FFD0003, 0x3FDE0003)  # the message's and the machine's code page
_MAX_STREAM_BYTES = 16 * 1024**2
_MAX_PACKED_BYTES = 4 * 1024**2  # unpacks to up to eight times as much, at 2 MB/s
_MAX_ATTACHED = 2_000
_MAX_DATA_BYTES = 64 * 1024**2  # olefile reads a whole stream into memory
_ROOT_HEADER_BYTES, _INNER_HEADER_BYTES = 32, 24
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)


def open_source(path: Path, password: str | None, limits: Limits) -> MailSource:
    """Open a mail (``indexer.extract.base.Opener``)."""
    check_size(path, limits.package_bytes)
    with ExitStack() as held:
        file = held.enter_context(path.open("rb"))
        with damage_as_unreadable("container_damaged"):
            container = held.enter_context(olefile.OleFileIO(file))
            mail = _Storage(container, Budget(limits), []).mail()
        return MailSource(mail, limits, held.pop_all())


class _Storage:
    """One mail in the container: the outermost or an attached one."""

    def __init__(self, container: Any, budget: Budget, place: list[str]) -> None:
        self._container = container
        self._budget = budget
        self._place = place
        self._numbers = self._fixed()
        self._encoding = self._codepage()

    def mail(self) -> Mail:
        address = self._string(_SENDER_MAIL) or self._string(_SENDER_ADDRESS)
        name = self._string(_SENDER_NAME)
        known = f"{name} <{address}>" if name and "@" in address and name != address else name
        mail = Mail(
            self._string(_SUBJECT), known or address, self._string(_TO), self._string(_COPY),
            self._date(),
        )  # fmt: skip
        plain = self._string(_BODY)
        html = self._stream(f"__substg1.0_{_HTML}0102").rstrip(b"\x00")
        html = html or self._string(_HTML).encode("utf-8", "replace")
        shown = Mail(bodies=[Html(html, self._encoding)])
        if not plain.strip() and not html:
            plain = self._rich_text()
        mail.bodies = [plain] if plain.strip() or not html else shown.bodies
        self._attachments(mail, shown)
        return mail

    def _attachments(self, mail: Mail, shown: Mail) -> None:
        """Collect the attachments, with the pictures in the HTML as inline parts."""
        for storage in self._storages()[:_MAX_ATTACHED]:
            place = [*self._place, storage]
            inner = [*place, f"__substg1.0_{_DATA}000D"]
            found = (self._string(code, place) for code in _FILE_NAMES)
            name = next((name for name in found if name), "")
            if self._container.exists([*inner, _PROPERTIES]):
                mail.attached.append(InnerMail(name, partial(self._inner, inner)))
                continue
            kind = self._string(_KIND, place).strip().lower()
            if not kind.startswith("image/") and name.lower().endswith(_PICTURES):
                kind = "image/*"
            seen = shown.shows(self._string(_IDENTIFIER, place))
            mail.attached.append(attached(name, kind, partial(self._pieces, place), shown=seen))

    def _storages(self) -> list[str]:
        depth = len(self._place)
        return sorted({
            entry[depth]
            for entry in self._container.listdir(streams=True, storages=True)
            if len(entry) > depth
            and entry[:depth] == self._place
            and entry[depth].startswith("__attach_version1.0_")
        })  # fmt: skip

    def _inner(self, place: list[str]) -> Mail:
        with damage_as_unreadable("container_damaged"):
            return _Storage(self._container, self._budget, place).mail()

    def _pieces(self, place: list[str], budget: Budget) -> Iterator[bytes]:
        """Yield the bytes of an attachment.

        Raises ``unsupported`` for an embedded OLE object, ``too_large`` or ``unreadable``.
        """
        stream = [*place, f"__substg1.0_{_DATA}0102"]
        if not self._container.exists(stream):
            raise WorldError("unsupported", format="object")
        with damage_as_unreadable("container_damaged"):
            size = self._container.get_size(stream)
            if size > _MAX_DATA_BYTES:
                raise too_large(_MAX_DATA_BYTES)
            budget.spend_bytes(size)
            with self._container.openstream(stream) as opened:
                yield opened.read()

    def _rich_text(self) -> str:
        packed = self._stream(f"__substg1.0_{_RTF}0102")
        if len(packed) > _MAX_PACKED_BYTES:
            return ""
        try:
            data = compressed_rtf.decompress(packed)
            pages = RtfSource(data, self._budget.limits).pages()
            return "\n\n".join(page.text for page in pages)
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001  # compressed_rtf raises plain exceptions for damage
            return ""

    def _string(self, code: str, place: list[str] | None = None) -> str:
        wide = self._stream(f"__substg1.0_{code}001F", place)
        if wide:
            return wide.decode("utf-16-le", "replace").rstrip("\x00")
        narrow = self._stream(f"__substg1.0_{code}001E", place)
        return narrow.decode(self._encoding, "replace").rstrip("\x00")

    def _stream(self, name: str, place: list[str] | None = None) -> bytes:
        path = [*(self._place if place is None else place), name]
        if not self._container.exists(path):
            return b""
        with self._container.openstream(path) as stream:
            data = bytes(stream.read(_MAX_STREAM_BYTES))
        self._budget.spend_bytes(len(data))
        return data

    def _fixed(self) -> dict[int, int]:
        """Return the properties of fixed length, which are numbers and times, by their tags."""
        data = self._stream(_PROPERTIES)
        start = _INNER_HEADER_BYTES if self._place else _ROOT_HEADER_BYTES
        found = {}
        for at in range(start, len(data) - 15, 16):
            tag, _, value = struct.unpack_from("<LLQ", data, at)
            found[tag] = value
        return found

    def _codepage(self) -> str:
        for tag in _CODEPAGES:
            number = self._numbers.get(tag, 0) & 0xFFFFFFFF
            name = "utf-8" if number == 65001 else known_encoding(f"cp{number}")
            if number and name:
                return name
        return "cp1252"

    def _date(self) -> str:
        ticks = self._numbers.get(_SENT) or self._numbers.get(_RECEIVED) or 0
        if not 0 < ticks < 1 << 61:
            return ""
        moment = _EPOCH + timedelta(microseconds=ticks // 10)
        return f"{moment:%Y-%m-%d %H:%M}" if moment.year > 1980 else ""
