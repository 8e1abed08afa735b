"""Reads embedded documents: attachments and archive members.

Each is written to a temporary folder, its format is detected, and its opener reads it in two
passes, so that its headings are final before they are nested below its name. An error affects that
document only.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from indexer.api.errors import WorldError
from indexer.api.formats import Format, extension_of
from indexer.api.phrases import read_detail, reason_in, reason_of
from indexer.api.types import BlockKind, DocumentInfo
from indexer.extract.base import RawBlock, RawPage, scratch_folder
from indexer.extract.document import Budget, CanonicalText, Spool
from indexer.extract.registry import IMAGE, by_name, identify, opener

if TYPE_CHECKING:
    from indexer.config import Limits
    from indexer.extract.base import PageSource
    from indexer.extract.page_writer import PageWriter

MAX_NAME_CHARS = 120
# A heading path has six titles. With this many levels in a document, its name stays in the path.
_LEVELS = 4
_JOINT = " \u203a "
# Why an embedded document is unread, as a code of ``indexer.api.phrases``, by the error's code.
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


class Attachment(Struct, frozen=True):
    """An embedded document: its name in one line, and its media type, "" if unknown.

    ``pieces`` yields its bytes, and charges a budget for them. If it is ``imported``, its text is
    part of the document around it.
    """

    name: str
    kind: str
    pieces: Callable[[Budget], Iterable[bytes]]
    imported: bool = False

    def part_of(self, inner: str) -> str:
        """Return the name of one of its parts in the outer document, "" for text of the latter."""
        return inside(self.name, inner) if inner or not self.imported else ""


class AttachmentReader:
    """Reads the embedded documents of one document into the current page of ``writer``.

    Together they may have half of the characters of ``limits``. ``on_page`` is called at each step.
    """

    def __init__(self, writer: PageWriter, limits: Limits, on_page: Callable[[], None]) -> None:
        self._writer = writer
        self._left = limits.characters // 2
        self._on_page = on_page

    def read_attachment(
        self, attachment: Attachment, budget: Budget, level: int
    ) -> Iterator[RawPage]:
        """Yield the pages of an embedded document, with unreadable ones for its unread parts.

        ``budget`` belongs to the document around it, ``level`` to the heading with its name.
        """
        self._on_page()
        name = attachment.name
        try:
            yield from self._read(attachment, budget, level)
        except Exception as error:  # noqa: BLE001  # the document around it is read without it
            reason = unread_reason(error)
            yield from named(self._writer.abandon(), attachment.part_of(""))
            if not isinstance(error, WorldError) or error.code != "empty":
                yield RawPage(self._writer.page, "", unreadable=reason, part=name)

    def _read(self, attachment: Attachment, budget: Budget, level: int) -> Iterator[RawPage]:
        budget.spend_document()
        with scratch_folder() as folder, Spool() as spool:
            path = Path(folder) / f"attachment{_suffix(attachment)}"
            with path.open("wb") as file:
                file.writelines(attachment.pieces(budget))
            known = identify(path)
            if known is IMAGE:
                raise WorldError("unreadable", reason="part_of_pictures")
            document = CanonicalText(spool)
            with closing(_opened(known, path, budget)) as source:
                try:
                    document.read_pages(source, lambda _page: self._on_page())
                except WorldError as error:
                    if error.code == "no_text" and source.textless:
                        raise WorldError("unreadable", reason="part_of_pictures") from error
                    raise
                info = document.info(source, known.name, lambda _text: "")
                reasons = _unread(info, source)
                deepest = 99 if source.nests else level + _LEVELS
            if not attachment.imported:
                self._writer.add_block(attachment.name, BlockKind.HEADING, level)
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
                    yield from named(self._writer.finish(), attachment.part_of(part))
                    part = page.part
                self._writer.append(page.text, blocks)
                yield from named(self._writer.completed(), attachment.part_of(part))
            if part or not attachment.imported:
                yield from named(self._writer.finish(), attachment.part_of(part))
        for inner, reason in reasons:
            name = inside(attachment.name, inner)
            yield RawPage(self._writer.page, "", unreadable=reason, part=name)


def _opened(known: Format, path: Path, budget: Budget) -> PageSource:
    try:
        return opener(known)(path, None, budget.nested_limits())
    except PermissionError as error:
        if known.needs_program:  # a confined reader may not start programs
            raise WorldError("unreadable", reason="part_of_programs") from error
        raise


def charged(pieces: Iterable[bytes], budget: Budget) -> Iterator[bytes]:
    """Charge a budget for bytes, and yield them."""
    for piece in pieces:
        budget.spend_bytes(len(piece))
        yield piece


def unread_reason(error: Exception) -> str:
    """Return why an embedded document was not read, a code of ``indexer.api.phrases``.

    Raises a ``BrokenPipeError`` again, as the engine has ended.
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
    """Yield pages with the name of an embedded document as their part."""
    for page in pages:
        yield replace(page, part=inside(name, page.part)) if name else page


def inside(name: str, part: str) -> str:
    """Return the name of a part of an embedded document."""
    return f"{name}{_JOINT}{part}" if part else name


def _unread(info: DocumentInfo, source: PageSource) -> list[tuple[str, str]]:
    """Return a document's unread parts ("" for its own pages), and why each is unread."""
    detail = read_detail(info.lost)
    found = [(str(name), str(reason)) for name, reason in detail.get("unread", ())]
    if info.lost and not found:
        found.append(("", reason_in(detail, "content_damaged")))
    if source.textless:
        found.append(("", "part_of_pictures"))
    return found


def _suffix(attachment: Attachment) -> str:
    """Return the extension of the name, or "" for a text with an unknown one."""
    suffix = extension_of(attachment.name)
    unknown = by_name(PurePosixPath(f"a{suffix}")) is None
    return "" if unknown and attachment.kind.startswith("text/") else suffix
