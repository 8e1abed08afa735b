"""Mailboxes in mbox format; each mail is a page, with its attachments.

``mailbox.mbox`` of the standard library takes every line that begins with "From " as a border,
opens the file for writing, and scans all of it before the first mail.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from indexer.api.errors import WorldError
from indexer.extract.base import (
    MAX_LABELS,
    Metadata,
    PageSource,
    RawPage,
    check_size,
    is_left_out,
    too_large,
)
from indexer.extract.mail.eml import BodySpool, read_mail
from indexer.extract.mail.message import MailReader
from indexer.extract.page_writer import salvage
from indexer.extract.registry import BORDER

if TYPE_CHECKING:
    from indexer.config import Limits

_QUOTED_BORDER = re.compile(rb">+From ")
_LONGEST_LINE = 1 << 20
# With a day or a month, and a time: "From anna@example.org Fri Nov 20 13:32:27 2026".
_DATED_BORDER = re.compile(
    rb"From \S.{0,200}\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w*[ ,]"
    rb".{0,20}\b\d{1,2}:\d\d\b.{0,30}$",
    re.IGNORECASE,
)
_FIELD = re.compile(rb">?[A-Za-z][\w-]{1,60}:[ \t]|>?From \S")


class MboxSource(PageSource):
    """An open mailbox. Its number of pages and its dates are known after all mails were read."""

    nests = True

    def __init__(self, path: Path, limits: Limits) -> None:
        self._path = path
        self._limits = limits

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        reader = MailReader(self._limits, self.on_page)
        return salvage(self._pages(reader, skip), reader.writer)

    def _pages(self, reader: MailReader, skip: Collection[int]) -> Iterator[RawPage]:
        days: list[str] = []
        try:
            yield from self._mails(reader, skip, days)
        finally:
            known = sorted(filter(None, days))
            sent = (known[0], known[-1]) if known else ("", "")
            self.metadata = Metadata(sent=sent, labels=tuple(days[:MAX_LABELS]))

    def _mails(
        self, reader: MailReader, skip: Collection[int], days: list[str]
    ) -> Iterator[RawPage]:
        with self._path.open("rb") as file:
            mails = _Mails(file, self._limits.message_bytes)
            while mails.go_on():
                number = mails.number
                self.page_count = reader.writer.page = number
                self.on_page(number)
                alone = is_left_out(number, skip)
                days.append("")
                with closing(BodySpool()) as aside:
                    try:
                        mail = read_mail(mails.lines(), aside)
                        days[-1] = mail.date[:10]
                        yield from reader.mail(mail, alone=alone)
                    except WorldError as error:
                        if error.code not in ("unreadable", "too_large"):
                            raise
                        reason = "mail_too_large" if error.code == "too_large" else error.reason
                        yield RawPage(number, "", unreadable=reason)
        if not mails.number:
            raise WorldError("unreadable", reason="not_mailbox")


class _Mails:
    """Splits a file into mails, line by line. ``number`` counts the current mail from 1."""

    def __init__(self, file: BinaryIO, largest: int) -> None:
        self.number = 0
        self._file = file
        self._largest = largest
        self._after_empty = True
        self._next = b""  # the line after one that may be a border
        self._at_border = False

    def go_on(self) -> bool:
        """Skip the rest of the current mail, and return whether there is another."""
        for _ in self._rest():
            pass
        found, self._at_border = self._at_border, False
        self.number += found
        return found

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of the current mail.

        Raises ``too_large``.
        """
        size = 0
        for line in self._rest():
            size += len(line)
            if size > self._largest:
                raise too_large(self._largest)
            yield line[1:] if _QUOTED_BORDER.match(line) else line

    def _rest(self) -> Iterator[bytes]:
        while not self._at_border and (line := self._read()):
            if self._is_border(line):
                self._at_border = True
            else:
                self._after_empty = not line.strip()
                yield line

    def _read(self) -> bytes:
        line, self._next = self._next, b""
        return line or self._file.readline(_LONGEST_LINE)

    def _is_border(self, line: bytes) -> bool:
        """Return whether a line begins a mail, and is not a sentence that begins with "From"."""
        if not line.startswith(b"From "):
            return False
        bare = line.rstrip(b"\r\n")
        if self._after_empty and _DATED_BORDER.match(bare):
            return True
        if not BORDER.match(bare):
            return False
        self._next = self._read()
        dated = _DATED_BORDER.match(bare) is not None
        return (self._after_empty or dated) and _FIELD.match(self._next) is not None


def open_source(path: Path, password: str | None, limits: Limits) -> MboxSource:
    """Open a mailbox (``indexer.extract.base.Opener``)."""
    check_size(path, limits.mailbox_bytes)
    return MboxSource(path, limits)
