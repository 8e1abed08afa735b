"""Reads a document in two passes, within limits: pages are read and counted, then yielded as text.

Running heads, headings and the title depend on the whole document, so pages wait in a temporary
file between the passes; memory does not grow with their number.

Limits on the bytes, elements, characters and embedded documents of one document stop files that
expand without end. An embedded document also spends from the limits of the documents around it,
except for characters, which are counted where they are written.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Self

from msgspec.json import Decoder, Encoder
from msgspec.structs import replace

from indexer.api.errors import WorldError
from indexer.api.types import Block, BlockKind, DocumentInfo
from indexer.config import Limits
from indexer.extract.base import (
    EXTRACTOR_VERSION,
    PageSource,
    PageText,
    RawBlock,
    RawPage,
    shown_size,
)
from indexer.extract.structure.headings import FirstOccurrences, FurnitureDetector, HeadingDetector
from indexer.extract.structure.titles import TITLE_PAGES, choose_title, plausible_author
from indexer.ocr.tesseract import SCRIPT_REASON
from indexer.text.view import without_surrogates

PAGE_JOINT = "\n"
IN_MEMORY_BYTES = 4 * 1024**2
_MAX_DOCUMENTS = 256  # in one document, at any depth; archives and mailboxes set their own
_TITLE_CHARS = 6_000
_MAX_LISTED = 20
_SAMPLE_CHARS = 40_000
_SAMPLE_CHARS_A_PAGE = 2_000
_WORD_OR_DIGIT = re.compile(r"[^\W_]")
_SIGNS = re.compile(r"[\W_]+")
PROPERTIES = "properties"  # the part with an author's words about a document
_AROUND = frozenset({BlockKind.BOILERPLATE, BlockKind.FURNITURE})
_ENCODER, _DECODER = Encoder(), Decoder(RawPage)


class NestedLimits(Limits, frozen=True):
    """The limits of a document embedded in ``depth`` others; ``parent`` is charged as well."""

    parent: Budget | None = None
    depth: int = 0


class Budget:
    """The counters of one document.

    The ``spend`` methods raise ``WorldError`` ``too_complex`` when a limit is exceeded.
    """

    def __init__(self, limits: Limits, documents: int = _MAX_DOCUMENTS) -> None:
        self.limits = limits
        self._most_documents = documents
        self.unpacked = 0
        self.elements = 0
        self.characters = 0
        self.documents = 0
        self.depth = limits.depth if isinstance(limits, NestedLimits) else 0
        self._parent = limits.parent if isinstance(limits, NestedLimits) else None

    def nested_limits(self) -> NestedLimits:
        """Return the limits of an embedded document: half of the rest, as others may follow."""
        known = {name: getattr(self.limits, name) for name in Limits.__struct_fields__}
        left = {
            "unpacked_bytes": (self.limits.unpacked_bytes - self.unpacked) // 2,
            "elements": (self.limits.elements - self.elements) // 2,
            "characters": self.limits.characters // 2,
        }
        return NestedLimits(**{**known, **left}, parent=self, depth=self.depth + 1)

    @property
    def spent(self) -> bool:
        """Whether a limit was exceeded, so that nothing more may be unpacked."""
        own = self.unpacked > self.limits.unpacked_bytes or self.documents > self._most_documents
        return own or (self._parent is not None and self._parent.spent)

    def spend_document(self) -> None:
        """Count an embedded document."""
        self.documents += 1
        if self.documents > self._most_documents:
            limit = f"{self._most_documents:,} documents"
            raise WorldError("too_complex", limit=limit, reason="too_many_inside")
        if self._parent is not None:
            self._parent.spend_document()

    def spend_bytes(self, count: int) -> None:
        """Count unpacked bytes."""
        self.unpacked += count
        if self.unpacked > self.limits.unpacked_bytes:
            raise WorldError("too_complex", limit=shown_size(self.limits.unpacked_bytes))
        if self._parent is not None:
            self._parent.spend_bytes(count)

    def spend_elements(self, count: int) -> None:
        """Count XML elements, or similar parts of a format."""
        self.elements += count
        if self.elements > self.limits.elements:
            raise WorldError("too_complex", limit=f"{self.limits.elements:,} elements")
        if self._parent is not None:
            self._parent.spend_elements(count)

    def spend_characters(self, count: int) -> None:
        """Count characters of extracted text."""
        self.characters += count
        if self.characters > self.limits.characters:
            raise WorldError("too_complex", limit=f"{self.limits.characters:,} characters")


class Spool:
    """A list of pages that is written once and iterated repeatedly. A long one is on disk."""

    def __init__(self, in_memory_bytes: int = IN_MEMORY_BYTES) -> None:
        self._file = tempfile.SpooledTemporaryFile(in_memory_bytes)  # noqa: SIM115  # closed by ``close``
        self.pages = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, page: RawPage) -> None:
        self.pages += 1
        self._file.write(_ENCODER.encode(page) + b"\n")

    def __iter__(self) -> Iterator[RawPage]:
        """Yield the pages in the order of ``append``."""
        self._file.seek(0)
        yield from map(_DECODER.decode, self._file)


def pages_of(source: PageSource, skip: Collection[int] = ()) -> Iterator[RawPage]:
    """Yield a document's pages, then the lines about it by its author that the pages lack."""
    said, left = [], _SAMPLE_CHARS
    for page in source.pages(skip):
        if left > 0:
            said.append(page.text[:left])
            left -= len(page.text)
        yield page
    known = letters_of("".join(said)) if source.metadata.about else ""
    lines = [
        line for line in source.metadata.about if letters_of(line.partition(": ")[2]) not in known
    ]
    if text := without_surrogates("\n".join(lines)):
        block = RawBlock(0, len(text), BlockKind.ASIDE)
        yield RawPage(1, text, (block,), part=PROPERTIES)


def letters_of(text: str) -> str:
    """Return the folded letters and figures of a text, which are compared with other texts."""
    return _SIGNS.sub("", text.casefold())


class CanonicalText:
    """A document whose pages wait in ``spool``, and are final once all of it was read."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._hash = hashlib.sha256(f"{EXTRACTOR_VERSION}\n".encode())
        self._furniture = FurnitureDetector()
        self._headings = HeadingDetector()
        self._sample: list[str] = []
        self._first_pages: list[RawPage] = []
        self._marked_headings: Counter[int] = Counter()
        self._bad_pages: list[int] = []
        self._reason = ""
        self._lost: dict[tuple[str, str], None] = {}  # parts and reasons, in order
        self._characters = 0
        self._has_text = False

    def read_pages(
        self, source: PageSource, progress: Callable[[int], None], skip: Collection[int] = ()
    ) -> None:
        """Read all pages but those to skip, and collect statistics of the whole document.

        ``progress`` is called with the number of each page before it is read.

        Raises ``empty``, ``no_text``, or ``unreadable`` if no page could be read.
        """
        if source.page_count == 0:
            raise WorldError("empty")
        self._headings = HeadingDetector(source.outline)
        source.on_page = progress
        progress(1)
        for page in pages_of(source, skip):
            self._add(page)
            progress(page.number + 1)
        if self._has_text:
            return
        # Blank pages beside unreadable ones are not the reason.
        unread = self._reason.startswith(SCRIPT_REASON)
        if unread or (self._bad_pages and len(self._bad_pages) == self._spool.pages):
            raise WorldError("unreadable", reason=self._reason)
        raise WorldError("no_text")

    def info(self, source: PageSource, form: str, detect: Callable[[str], str]) -> DocumentInfo:
        """Return the metadata, after ``read_pages``. ``detect`` finds the language of a text."""
        counts = self._marked_headings
        # The format marks headings, and several have the highest level.
        collection = bool(counts) and counts[min(counts)] > 1
        return DocumentInfo(
            text_id=self._hash.hexdigest(),
            format=form,
            extractor_version=EXTRACTOR_VERSION,
            title=choose_title(source.metadata.title, self._first_pages, collection=collection),
            author=plausible_author(source.metadata.author),
            created=source.metadata.created,
            sent=source.metadata.sent,
            labels=source.metadata.labels,
            language=detect("\n".join(self._sample)),
            pages=source.page_count,
            characters=self._characters,
            bad_pages=tuple(dict.fromkeys(self._bad_pages)),
            lost=self._lost_detail(),
        )

    def pages(self) -> Iterator[PageText]:
        """Yield the pages of the canonical text with their final blocks."""
        furniture: list[dict[int, str]] = []
        first = FirstOccurrences()
        for page in self._spool:
            furniture.append(self._furniture.furniture_of(page))
            first.add_furniture(page, furniture[-1])
        if first:
            for page, around in zip(self._spool, furniture, strict=True):
                first.compare(page, around)
        offset = 0
        for page, around in zip(self._spool, furniture, strict=True):
            blocks = tuple(self._final_blocks(page, offset, around, first))
            yield PageText(page.number, offset, page.text, blocks, page.part)
            offset += len(page.text) + len(PAGE_JOINT)

    def _add(self, page: RawPage) -> None:
        if self._spool.pages:
            self._hash.update(PAGE_JOINT.encode())
            self._characters += len(PAGE_JOINT)
        self._hash.update(page.text.encode())
        self._characters += len(page.text)
        self._spool.append(page)
        if page.unreadable:
            self._bad_pages.append(page.number)
            self._reason = self._reason or page.unreadable
            if not page.damaged:
                self._lost.setdefault((page.part, page.unreadable))
            if not page.text:
                return
        self._has_text = self._has_text or _WORD_OR_DIGIT.search(page.text) is not None
        self._furniture.add_page(page)
        self._headings.add_page(page)
        self._marked_headings.update(
            block.level for block in page.blocks if block.kind is BlockKind.HEADING
        )
        if len(self._first_pages) < TITLE_PAGES and not page.part:
            self._first_pages.append(_head(page))
        if len(self._sample) * _SAMPLE_CHARS_A_PAGE < _SAMPLE_CHARS:
            self._sample.append(page.text[:_SAMPLE_CHARS_A_PAGE])

    def _lost_detail(self) -> str:
        """Return why pages are missing: a reason code, or JSON with the parts and their reasons."""
        if not any(part for part, _ in self._lost):
            return next((reason for _, reason in self._lost), "")
        unread = list(self._lost)
        detail = {
            "reason": "parts_unread",
            "unread": unread[:_MAX_LISTED],
            "more": max(len(unread) - _MAX_LISTED, 0),
        }
        return json.dumps(detail, ensure_ascii=False)

    def _final_blocks(
        self, page: RawPage, offset: int, furniture: Mapping[int, str], first: FirstOccurrences
    ) -> Iterator[Block]:
        """Yield blocks with furniture and headings detected, and split rows merged again."""
        blocks = _whole_blocks(page, furniture, first)
        levels = self._headings.levels(page, blocks)
        for block, found in zip(blocks, levels, strict=True):
            start, end = offset + block.start, offset + block.end
            heading = found and block.kind not in _AROUND
            kind, level = (BlockKind.HEADING, found) if heading else (block.kind, block.level)
            yield Block(start, end, kind, page.number, level)


def _whole_blocks(
    page: RawPage, furniture: Mapping[int, str], first: FirstOccurrences
) -> list[RawBlock]:
    """Mark all furniture but the first, and merge other split rows into the block before."""
    whole: list[RawBlock] = []
    for block in page.blocks:
        if block.start in furniture or block.kind is BlockKind.BOILERPLATE:
            taken = first.take(page, block, furniture)
            kind = BlockKind.BOILERPLATE if taken else BlockKind.FURNITURE
            whole.append(replace(block, kind=kind, level=0))
        elif block.split_off and whole and whole[-1].kind not in _AROUND:
            whole[-1] = replace(whole[-1], end=block.end)
        else:
            whole.append(block)
    return whole


def _head(page: RawPage) -> RawPage:
    blocks = tuple(block for block in page.blocks if block.end <= _TITLE_CHARS)
    return RawPage(page.number, page.text[:_TITLE_CHARS], blocks)
