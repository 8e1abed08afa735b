"""Mails as text, wherever they come from: the subject, who wrote to whom and when, the words.

Owns how a mail is written into a page, for single mails, mailboxes and those of Outlook. The plain
text is taken where there is one, else the HTML. Attachments are named and not opened; mails inside
mails are read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.extract.base import Metadata
from indexer.extract.html import parse_markup, read_tree
from indexer.extract.text import plain_blocks
from indexer.types import BlockKind

if TYPE_CHECKING:
    from indexer.extract.page_writer import PageWriter

_MAX_NAMES = 200
_MAX_NESTED = 3
_MAX_HEADER_CHARS = 2_000


@dataclass(slots=True)
class Mail:
    """What a person sees of a mail; every field may be empty."""

    subject: str = ""
    sender: str = ""
    to: str = ""
    copy: str = ""
    date: str = ""  # ISO date, with the time if it is known
    plain: str = ""
    html: bytes = b""
    charset: str = ""  # of the HTML
    attachments: list[str] = field(default_factory=list)
    inside: list[Mail] = field(default_factory=list)

    @property
    def metadata(self) -> Metadata:
        return Metadata(self.subject[:500], self.sender[:500], self.date[:10])


def write_mail(mail: Mail, writer: PageWriter, depth: int = 0) -> None:
    """Write a mail into the page under way."""
    writer.add(_line(mail.subject), BlockKind.HEADING, depth + 1)
    people = (("From", mail.sender), ("To", mail.to), ("Cc", mail.copy), ("Date", mail.date))
    writer.add("\n".join(f"{name}: {_line(value)}" for name, value in people if value))
    if mail.plain.strip():
        text = mail.plain.replace("\r\n", "\n").replace("\r", "\n").rstrip()
        writer.append(text, plain_blocks(text))
    elif mail.html:
        writer.append(*read_tree(parse_markup(mail.html, mail.charset)))
    names = [_line(name) for name in mail.attachments[:_MAX_NAMES] if name.strip()]
    if names:
        writer.add("Attachments: " + ", ".join(names))
    if depth < _MAX_NESTED:
        for inner in mail.inside[:_MAX_NAMES]:
            write_mail(inner, writer, depth + 1)


def _line(text: str) -> str:
    return " ".join(text[:_MAX_HEADER_CHARS].split())
