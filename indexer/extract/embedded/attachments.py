"""Embedded documents: attachments and archive members, read like files of their own.

Owns how such a document is opened, what it may cost, and the reason of one that was not read. It is
written to a temporary folder, identified by its content, and read by the opener of its format in
two passes, so that its headings are final before they are put below its name. A failure costs that
document alone. It must not know where documents come from.
"""

from __future__ import annotations

import re
import traceback
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from indexer.api.errors import WorldError
from indexer.api.phrases import read_detail, reason_of
from indexer.api.types import BlockKind
from indexer.extract.base import ContainerSource, HasScannedPages, RawBlock, RawPage
from indexer.extract.document import Document
from indexer.extract.process import scratch
from indexer.extract.process.spool import Spool
from indexer.extract.process.term_counts import TermCounts
from indexer.extract.registry import IMAGE, by_name, identify, opener

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from indexer.api.formats import Format
    from indexer.api.types import DocumentInfo
    from indexer.extract.base import Source
    from indexer.extract.budget import Budget
    from indexer.extract.page_writer import PageWriter

MAX_NAME_CHARS = 120
# Heading paths hold six titles: with so many levels of its own, its name stays among them.
_LEVELS = 4
_SUFFIX = re.compile(r"\.[a-z0-9]{1,10}")
_JOINT = " \u203a "
# What became of a document inside another, as a code of ``indexer.api.phrases``.
_REASONS = {
    "needs_password": "part_locked",
    "copy_protected": "part_locked",
    "unsupported": "part_unsupported",
    "no_text": "part_without_text",
    "too_large": "part_too_large",
    "out_of_memory": "part_out_of_memory",
    "out_of_time": "stopped_answering",
    "needs_libreoffice": "part_without_libreoffice",
}


@dataclass(frozen=True, slots=True)
class Attachment:
    """A document inside another.

    Attributes:
        name: What it is called, in one line.
        kind: Its declared type, "" if unknown.
        save: Writes its bytes into a file, paid for by a budget.
    """

    name: str
    kind: str
    save: Callable[[Path, Budget], None]


class AttachmentReader:
    """Reads what is attached to the mails of one document.

    Args:
        writer: Where the text goes; its page is the one that they are on.
        characters: How many they may have together.
        on_page: Called at each step.
    """

    def __init__(self, writer: PageWriter, characters: int, on_page: Callable[[], None]) -> None:
        self._writer = writer
        self._left = characters
        self._on_page = on_page

    def read(self, attachment: Attachment, budget: Budget, level: int) -> Iterator[RawPage]:
        """Yield the text of an attachment, and what of it was not read.

        Args:
            attachment: The document.
            budget: Of the mail, which pays for it.
            level: Of the heading that its name becomes.
        """
        self._on_page()
        name = attachment.name
        try:
            yield from self._read(attachment, budget, level)
        except Exception as error:  # noqa: BLE001  # the mail is read without it
            reason = unread_reason(error)
            yield from named(self._writer.abandon(), name)
            if not isinstance(error, WorldError) or error.code != "empty":
                yield RawPage(self._writer.page, "", unreadable=reason, part=name)

    def _read(self, attachment: Attachment, budget: Budget, level: int) -> Iterator[RawPage]:
        budget.spend_document()
        with scratch.folder() as folder, Spool() as spool:
            path = Path(folder) / f"attachment{_suffix(attachment)}"
            attachment.save(path, budget)
            known = identify(path)
            if known is IMAGE:
                raise WorldError("unreadable", reason="part_of_pictures")
            document = Document(spool, TermCounts(lambda _text: ()))
            with closing(_opened(known, path, budget)) as source:
                try:
                    document.read(source, lambda _page: self._on_page())
                except WorldError as error:
                    if error.code == "no_text" and _has_pictures(source):
                        raise WorldError("unreadable", reason="part_of_pictures") from error
                    raise
                info = document.info(source, known.name, lambda _text: "")
                reasons = _unread(info, source)
                deepest = 99 if isinstance(source, ContainerSource) else level + _LEVELS
            self._writer.add(attachment.name, BlockKind.HEADING, level)
            part = ""
            for page in document.pages():
                self._left -= len(page.text)
                if self._left < 0:
                    raise WorldError("too_complex")
                blocks = (
                    RawBlock(
                        block.start - page.offset,
                        block.end - page.offset,
                        block.kind,
                        min(level + block.level, deepest) if block.level else 0,
                    )
                    for block in page.blocks
                )
                if page.part != part:
                    yield from named(self._writer.finish(), inside(attachment.name, part))
                    part = page.part
                self._writer.append(page.text, blocks)
                yield from named(self._writer.completed(), inside(attachment.name, part))
            yield from named(self._writer.finish(), inside(attachment.name, part))
        for inner, reason in reasons:
            name = inside(attachment.name, inner)
            yield RawPage(self._writer.page, "", unreadable=reason, part=name)


def _opened(known: Format, path: Path, budget: Budget) -> Source:
    try:
        return opener(known)(path, None, budget.nested_limits())
    except PermissionError as error:
        if known.needs_program:  # a reader of documents may start none
            raise WorldError("unreadable", reason="part_of_programs") from error
        raise


def unread_reason(error: Exception) -> str:
    """Return why a document inside another was not read, as a code of ``indexer.api.phrases``.

    Raises:
        BrokenPipeError: Passed on, since the engine is gone.
    """
    if isinstance(error, WorldError):
        known = _REASONS.get(error.code) or error.reason
        return "content_damaged" if known == error.code else known
    if isinstance(error, MemoryError):
        return "part_out_of_memory"
    if isinstance(error, BrokenPipeError):
        raise error
    if isinstance(error, OSError):
        return reason_of(error)
    traceback.print_exception(error)
    return "content_damaged"


def named(pages: Iterator[RawPage], name: str) -> Iterator[RawPage]:
    """Yield pages as those of a document inside."""
    for page in pages:
        yield replace(page, part=inside(name, page.part))


def inside(name: str, part: str) -> str:
    """Return what a part of a document inside is called."""
    return f"{name}{_JOINT}{part}" if part else name


def _unread(info: DocumentInfo, source: Source) -> list[tuple[str, str]]:
    """Return what of a document was not read: parts of it, "" for its own pages, and reasons."""
    detail = read_detail(info.lost)
    found = [(str(name), str(reason)) for name, reason in detail.get("unread", ())]
    if info.lost and not found:
        found.append(("", str(detail.get("reason", "content_damaged"))))
    if _has_pictures(source):
        found.append(("", "part_of_pictures"))
    return found


def _has_pictures(source: Source) -> bool:
    """Return whether a document has pages whose text would have to be recognised."""
    return isinstance(source, HasScannedPages) and bool(source.textless)


def _suffix(attachment: Attachment) -> str:
    """Return the extension of the name, "" for plain text with one that no format has."""
    suffix = PurePosixPath(attachment.name).suffix.lower()
    if not _SUFFIX.fullmatch(suffix):
        return ""
    unknown = by_name(PurePosixPath(f"a{suffix}")) is None
    return "" if unknown and attachment.kind == "text/plain" else suffix
