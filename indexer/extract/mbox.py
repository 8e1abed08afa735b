"""Mailboxes: one file, mail after mail; each is a page.

Owns where a mail ends and the next begins; what is in a mail is the matter of ``eml``. Mails are
read one at a time, whatever the size of the mailbox. The standard library's own reader takes every
line that begins with "From " for a border, opens for writing, and reads all before the first mail.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.errors import WorldError
from indexer.extract.base import Limits, Metadata, RawPage, too_large
from indexer.extract.budget import Budget
from indexer.extract.eml import read_mail
from indexer.extract.mail import write_mail
from indexer.extract.page_writer import PageWriter
from indexer.extract.registry import BORDER

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from indexer.types import OutlineEntry

_QUOTED_BORDER = re.compile(rb">+From ")
_LONGEST_LINE = 1 << 20


class MboxSource:
    """An open mailbox. How many mails there are is known when all are read."""

    outline: tuple[OutlineEntry, ...] = ()

    def __init__(self, path: Path, limits: Limits) -> None:
        self._path = path
        self._limits = limits
        self.metadata = Metadata()
        self.page_count = 1

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        writer = PageWriter(Budget(self._limits))
        number = 0
        for number, lines in enumerate(self._mails(), 1):
            self.page_count = writer.page = number
            if number in skip:
                yield RawPage(number, "", unreadable="stops_reader")
                continue
            if lines is None:
                yield RawPage(number, "", unreadable="mail_too_large")
                continue
            try:
                write_mail(read_mail(lines), writer)
            except WorldError as error:
                if error.code != "unreadable":
                    raise
                yield RawPage(number, "", unreadable=error.reason)
                continue
            yield from writer.finish()
        if number == 0:
            raise WorldError("unreadable", reason="not_mailbox")

    def close(self) -> None:
        """Nothing stays open between two mails."""

    def _mails(self) -> Iterator[list[bytes] | None]:
        """Yield the lines of each mail, or nothing for one that is too large."""
        lines: list[bytes] = []
        size = 0
        inside = False
        after_empty = True
        with self._path.open("rb") as file:
            while line := file.readline(_LONGEST_LINE):
                if after_empty and BORDER.match(line.rstrip(b"\r\n")):
                    if inside:
                        yield lines if size <= self._limits.message_bytes else None
                    lines, size, inside = [], 0, True
                elif inside:
                    size += len(line)
                    if size <= self._limits.message_bytes:
                        quoted = _QUOTED_BORDER.match(line)
                        lines.append(line[1:] if quoted else line)
                    else:
                        lines = []
                after_empty = not line.strip()
        if inside:
            yield lines if size <= self._limits.message_bytes else None


def open_source(path: Path, password: str | None, limits: Limits) -> MboxSource:
    """Open a mailbox (``indexer.extract.base.Opener``)."""
    size = path.stat().st_size
    if size == 0:
        raise WorldError("empty")
    if size > limits.mailbox_bytes:
        raise too_large(limits.mailbox_bytes)
    return MboxSource(path, limits)
