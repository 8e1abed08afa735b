"""The text of mails of all formats: subject, people, date, bodies, attachments.

The mail's own text comes first, then its attachments, each under its name. Of alternative bodies
the plain text is preferred to HTML. An attachment that crashes the reader is left out, in a mailbox
together with the other attachments of that mail. The text of the mail is always read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct, field

from indexer.api.types import BlockKind
from indexer.extract.base import Metadata, PageSource, RawPage, is_left_out
from indexer.extract.document import Budget
from indexer.extract.embedded.attachments import (
    MAX_NAME_CHARS,
    Attachment,
    AttachmentReader,
    named,
    unread_reason,
)
from indexer.extract.markup.html import parse_markup, read_tree
from indexer.extract.page_writer import PageWriter
from indexer.extract.plain.text import plain_blocks

if TYPE_CHECKING:
    from contextlib import ExitStack

    from indexer.config import Limits

_MAX_NAMES = 200
_MAX_NESTED = 5
_MAX_TIMES = 16  # all mails of a mailbox may unpack to this many times the limit of one
_MAX_HEADER_CHARS = 2_000
# HTML up to this size is parsed even in a mail that crashed the reader, since an attachment is a
# likelier cause.
_HARMLESS_HTML_BYTES = 1024**2
# Digital signatures have no text.
_SIGNATURES = frozenset({
    "application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature",
})  # fmt: skip


class Html(Struct, frozen=True):
    """A body in HTML, with its declared encoding."""

    data: bytes
    charset: str = ""


class InnerMail(Struct, frozen=True):
    """An attached mail, named by its subject; ``read`` parses it."""

    name: str
    read: Callable[[], Mail]


class InlinePart(Struct, frozen=True):
    """A picture in the body, or a digital signature, neither read nor reported as unread."""

    name: str


class Mail(Struct):
    """The visible headers, the bodies and the attachments of a mail. Every field may be empty."""

    subject: str = ""
    sender: str = ""
    to: str = ""
    copy: str = ""
    date: str = ""  # ISO date, with the time if it is known
    bodies: list[str | Html] = field(default_factory=list)
    attached: list[Attachment | InnerMail | InlinePart] = field(default_factory=list)

    @property
    def metadata(self) -> Metadata:
        day = self.date[:10]
        return Metadata(self.subject[:500], self.sender[:500], day, (day, day))

    @property
    def names(self) -> list[str]:
        """The names of its attachments."""
        return [each.name for each in self.attached if not isinstance(each, InnerMail)]

    def shows(self, identifier: str) -> bool:
        """Return whether the HTML refers to a picture by its Content-ID."""
        mark = b"cid:" + identifier.encode("utf-8", "replace")
        return bool(identifier) and any(
            mark in body.data for body in self.bodies if isinstance(body, Html)
        )

    @property
    def parts(self) -> list[Attachment | InnerMail]:
        """The attachments to be read."""
        return [each for each in self.attached if not isinstance(each, InlinePart)]


def attached(
    name: str, kind: str, pieces: Callable[[Budget], Iterable[bytes]], *, shown: bool
) -> Attachment | InlinePart:
    """Return an inline part for a signature or a picture in the body, else an attachment."""
    name = one_line(name)[:MAX_NAME_CHARS].strip()
    if kind in _SIGNATURES or (shown and kind.startswith("image/")):
        return InlinePart(name)
    return Attachment(name or kind or "?", kind, pieces)


class MailReader:
    """Yields the pages of the mails of one document.

    ``limits`` apply to the document, and again to the attachments of each mail. ``on_page`` is
    called with the page at each step.
    """

    def __init__(self, limits: Limits, on_page: Callable[[int], None]) -> None:
        self.writer = PageWriter(Budget(limits))
        self._limits = limits
        self._unpacked = 0
        self._attachments = AttachmentReader(self.writer, limits, lambda: on_page(self.writer.page))

    def mail(self, mail: Mail, *, alone: bool = False) -> Iterator[RawPage]:
        """Yield a mail as one page, ``alone`` (without attachments) if they crashed a reader."""
        budget = Budget(self._limits)
        if self._unpacked > _MAX_TIMES * self._limits.unpacked_bytes:
            budget.unpacked = self._limits.unpacked_bytes  # nothing is left
        before = budget.unpacked
        self._own_words(mail, 1, careful=alone)
        yield from self._attached(mail, budget, 1, alone=alone)
        self._unpacked += budget.unpacked - before

    def parts(self, mail: Mail, skip: Collection[int]) -> Iterator[RawPage]:
        """Yield a mail and its attachments, each on its own page; those in ``skip`` stay unread."""
        self._own_words(mail, 1, careful=1 in skip)
        yield from self.writer.finish()
        budget = Budget(self._limits)
        for page, part in enumerate(mail.parts, 2):
            self.writer.page = page
            yield from self._part(part, budget, 2, alone=is_left_out(page, skip))

    def _attached(
        self, mail: Mail, budget: Budget, level: int, *, alone: bool
    ) -> Iterator[RawPage]:
        yield from self.writer.finish()
        for part in mail.parts:
            yield from self._part(part, budget, level + 1, alone=alone)

    def _part(
        self, part: Attachment | InnerMail, budget: Budget, level: int, *, alone: bool
    ) -> Iterator[RawPage]:
        if budget.depth + level > _MAX_NESTED + 1:
            yield self._unread(part, "part_too_deep")
        elif isinstance(part, InnerMail):
            try:
                mail = part.read()
                self._own_words(mail, level, careful=alone)
            except Exception as error:  # noqa: BLE001  # the mail around it is read without it
                yield from self.writer.abandon()
                yield self._unread(part, unread_reason(error))
            else:
                inner = self._attached(mail, budget, level, alone=alone)
                yield from named(inner, _short(part.name))
        elif alone:
            yield self._unread(part, "stops_reader")
        else:
            yield from self._attachments.read_attachment(part, budget, level)

    def _unread(self, part: Attachment | InnerMail, reason: str) -> RawPage:
        return RawPage(self.writer.page, "", unreadable=reason, part=_short(part.name))

    def _own_words(self, mail: Mail, level: int, *, careful: bool) -> None:
        writer = self.writer
        writer.add_block(one_line(mail.subject), BlockKind.HEADING, level)
        people = (("From", mail.sender), ("To", mail.to), ("Cc", mail.copy), ("Date", mail.date))
        writer.add_block("\n".join(f"{name}: {one_line(value)}" for name, value in people if value))
        for body in mail.bodies:
            if isinstance(body, Html):
                if not careful or len(body.data) <= _HARMLESS_HTML_BYTES:
                    writer.append(*read_tree(parse_markup(body.data, body.charset)))
            else:
                text = body.replace("\r\n", "\n").replace("\r", "\n").rstrip()
                writer.append(text, plain_blocks(text))
        names = [name for name in mail.names[:_MAX_NAMES] if name]
        if names:
            writer.add_block("Attachments: " + ", ".join(names))


class MailSource(PageSource):
    """An open mail: a page with its own text, and one for each attachment."""

    nests = True

    def __init__(self, mail: Mail, limits: Limits, held: ExitStack) -> None:
        self._mail = mail
        self._limits = limits
        self.held = held
        self.metadata = mail.metadata
        self.page_count = 1 + len(mail.parts)

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        reader = MailReader(self._limits, self.on_page)
        return reader.parts(self._mail, skip)

    def close(self) -> None:
        self._mail = Mail()
        super().close()


def _short(name: str) -> str:
    return one_line(name)[:MAX_NAME_CHARS].strip() or "?"


def one_line(text: str) -> str:
    return " ".join(text[:_MAX_HEADER_CHARS].split())
