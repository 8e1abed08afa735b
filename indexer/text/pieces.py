"""Splits pages into pieces, the smallest parts of passages, and gives each its heading path.

A piece is a sentence, a short run of sentences or a row of a table, with its offsets; passages are
cut between pieces only. Pages are streamed, and only pages that are still needed are held. Heading
paths combine the headings that the extractor detected with the document's own bookmarks.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from msgspec import Struct

from indexer.api.types import Block, BlockKind, OutlineEntry
from indexer.text.sentences import merge_short, split_sentences
from indexer.text.view import continues, make_view, regions

_MAX_TITLE = 120  # characters of a heading that are kept in a path
_MAX_DEPTH = 6
# A section counts as ended this many characters after its last heading, because the heading of the
# next section was probably not recognised.
_END_OF_SECTION = 100_000
_DEEPEST = 9  # level of a heading whose level is unknown
_BELOW_OUTLINE = 10  # added to levels of detected headings, if bookmarks give the real ones
_REACH = 400  # characters of a block that are compared with a bookmark's title
_LONGER = 1.5  # a paragraph up to this many times as long as the title is a heading
# A chapter, "1 Definitions", and clauses that are not below it: "2.1 Term", "2.1 The seller …".
_CHAPTER = re.compile(r"(\d{1,2})[.)]?\s+[^\W\d_]")
_CLAUSE = re.compile(r"(\d{1,2})(?:\.\d{1,2})+[.)]?\s+(?=[^\W\d_])")
_NOT_A_TITLE = re.compile(r"(?:page|seite|slide|folie|p\.?)?\s*\d*$", re.IGNORECASE)


class Headings:
    """The current path of headings while a document is read from front to back.

    A section of the outline begins at the block of its page that begins with the bookmark's title,
    else at the top of the page.
    """

    def __init__(self, outline: Sequence[OutlineEntry] = ()) -> None:
        self._by_page: dict[int, list[OutlineEntry]] = {}
        for entry in outline:
            if not _NOT_A_TITLE.match(entry.title.strip()):
                self._by_page.setdefault(entry.page, []).append(entry)
        self._guess = _BELOW_OUTLINE if self._by_page else 0
        self._entries: dict[int, list[OutlineEntry]] = {}
        self._stack: list[tuple[int, str]] = []
        self._last = 0  # the offset of the last heading

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(title for _, title in self._stack[-_MAX_DEPTH:])

    @property
    def level(self) -> int:
        """The level of the current section, 0 before the first."""
        return self._stack[-1][0] if self._stack else 0

    def turn_page(self, number: int, text: str, offset: int, blocks: Sequence[Block]) -> None:
        """Find the blocks at which the bookmarks of a page begin; ``blocks`` has furniture too.

        ``offset`` is the canonical offset of the page's text.
        """
        entries = self._by_page.pop(number, [])
        visible = [block for block in blocks if block.kind not in _AROUND]
        if not entries or not visible:
            return
        starts = [block.start - offset for block in visible]
        ends = [min(block.end - offset, block.start - offset + _REACH) for block in visible]
        labels = [_key(text[start:end]) for start, end in zip(starts, ends, strict=True)]
        at = 0
        for entry in entries:
            title = _key(entry.title)
            found = next((i for i in range(at, len(visible)) if labels[i].startswith(title)), at)
            self._entries.setdefault(visible[found].start, []).append(entry)
            at = min(found + 1, len(visible) - 1)

    def enter_section(self, block: Block, title: str) -> int:
        """Enter the section that begins with a block, if any, and leave sections that have ended.

        ``title`` is the block's view. Returns the level of the heading, 0 if it is none.
        """
        level = 0
        self._leave(block, title)
        for entry in self._entries.pop(block.start, ()):
            depth = max(entry.level, 1)
            self._push(depth, entry.title)
            key, wanted = _key(title[:_REACH]), _key(entry.title)
            short = block.kind is BlockKind.HEADING or len(key) <= len(wanted) * _LONGER
            if key.startswith(wanted) and short:
                level = depth
        if level == 0 and block.kind is BlockKind.HEADING:
            level = self._guess + (block.level or _DEEPEST)
            self._push(level, title)
        if level:
            self._last = block.start
        return level

    def _leave(self, block: Block, title: str) -> None:
        """Leave sections if the heading after them was missed. Sections of bookmarks stay."""
        first = sum(level < self._guess for level, _ in self._stack)
        clause = _CLAUSE.match(title)
        if clause is not None and title[clause.end()].isupper():
            for at, (_, heading) in enumerate(self._stack[first:], first):
                chapter = _CHAPTER.match(heading)
                if chapter is not None and int(chapter[1]) == int(clause[1]):
                    self._last = block.start
                elif chapter is not None:
                    del self._stack[at:]
                    return
        if block.start - self._last > _END_OF_SECTION:
            del self._stack[first:]

    def _push(self, level: int, title: str) -> None:
        while self._stack and self._stack[-1][0] >= level:
            self._stack.pop()
        self._stack.append((level, " ".join(title.split())[:_MAX_TITLE]))


def _key(text: str) -> str:
    """Reduce text to letters and digits, to compare a bookmark with it."""
    return "".join(filter(str.isalnum, text.casefold()))


MIN_SENTENCE = 40  # characters; a shorter sentence shares a vector with its neighbour
_MAX_PARAGRAPH = 20_000  # characters that are folded at once
_AROUND = frozenset({BlockKind.BOILERPLATE, BlockKind.FURNITURE})
_TORN_WORD = re.compile("(?<![-\u2010\u2011\xad\\s])\\s+(?=\\S)")
# Vowel signs and other marks count as letters.
_LETTER = "\\w\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0900-\u0963\u0970-\u0dff"
_TOKEN = re.compile(rf"[{_LETTER}]+|[^{_LETTER}\s]")
# The class of each ASCII character: "a" a letter, " " white space, "." a token by itself.
_CLASSES = re.sub(
    "[^a ]", ".", re.sub(r"\s", " ", re.sub(r"\w", "a", "".join(map(chr, range(128)))))
)
_ASCII_CLASSES = _CLASSES.encode().ljust(256)
_WORDS_PER_TOKEN = 0.7  # in running English; figures and symbols have more tokens than words
# English words per character in scripts whose spaces do not separate words.
_DENSE = tuple(
    (re.compile(f"[{characters}]"), words)
    for characters, words in (
        ("\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff", 0.55),
        ("\u3001-\u30ff", 0.3),
        ("\uac00-\ud7a3", 0.38),
        ("\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff", 0.2),
    )
)


class PageLike(Protocol):
    """A page from the extractor. Pages are in order and separated by a line feed."""

    @property
    def number(self) -> int: ...
    @property
    def offset(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def blocks(self) -> Sequence[Block]: ...
    @property
    def part(self) -> str:
        """The embedded document to which the page belongs, "" for the document's own pages."""
        ...


class Piece(Struct):
    """Text that is never cut: its ``view``, and ``start`` and ``end`` in the canonical text."""

    start: int
    end: int
    view: str
    gap: str  # between it and the next piece: "", a space or a line feed
    size: float  # in words
    page: int
    kind: BlockKind
    paragraph: int  # pieces of one paragraph or table share it
    group: int  # pieces of one list share it too
    level: int  # the level of a heading, else 0
    rises: bool  # whether it is a heading that ends the section above it
    path: tuple[str, ...]
    language: str
    part: tuple[str, int] = ("", 0)  # the embedded document, and its page in this document


class TextBuffer:
    """The part of the canonical text that is still needed."""

    def __init__(self) -> None:
        self._offsets: list[int] = []
        self._pages: list[tuple[int, str, str]] = []

    def append_page(self, page: PageLike) -> None:
        self._offsets.append(page.offset)
        self._pages.append((page.number, page.text, page.part))

    def slice(self, start: int, end: int) -> str:
        """``document_text[start:end]``, across page borders."""
        parts: list[str] = []
        at = start
        for k in range(self._index(start), len(self._pages)):
            offset, text = self._offsets[k], self._pages[k][1]
            if offset >= end:
                break
            parts.append("\n" * (offset - at))
            parts.append(text[max(at - offset, 0) : end - offset])
            at = max(at, offset + len(text))
        return "".join(parts)

    def page_at(self, offset: int) -> int:
        return self._pages[self._index(offset)][0]

    def part_at(self, offset: int) -> tuple[str, int]:
        number, _, part = self._pages[self._index(offset)]
        return (part, number) if part else ("", 0)

    def drop_pages(self, before: int) -> None:
        """Delete the pages that end before an offset."""
        done = self._index(before)
        del self._offsets[:done], self._pages[:done]

    def _index(self, offset: int) -> int:
        return max(bisect_right(self._offsets, offset) - 1, 0)


class _Paragraph(Struct):
    """A block, or several of a paragraph that page borders split, with furniture between."""

    blocks: list[Block]
    last: Block
    language: str


def split_pieces(
    pages: Iterable[PageLike],
    source: TextBuffer,
    outline: Sequence[OutlineEntry],
    language_of: Callable[[str], str],
) -> Iterator[list[Piece]]:
    """Split pages into pieces, paragraph by paragraph. Boilerplate comes before the text around it.

    The text is added to ``source``; the caller deletes parts that it no longer needs. Each
    paragraph has at least one piece. ``language_of`` returns the language of a page's text.
    """
    headings = Headings(outline)
    group = 0
    before: BlockKind | None = None
    for number, paragraph in enumerate(_paragraphs(pages, source, headings, language_of)):
        kind = paragraph.blocks[0].kind
        if kind is not before or kind is not BlockKind.LIST_ITEM:
            group += 1
        before = kind
        found = _pieces(paragraph, source, headings, number, group)
        if found:
            yield found


def _paragraphs(
    pages: Iterable[PageLike],
    source: TextBuffer,
    headings: Headings,
    language_of: Callable[[str], str],
) -> Iterator[_Paragraph]:
    current: _Paragraph | None = None
    for page in pages:
        source.append_page(page)
        blocks = regions(page.text, page.blocks, page.offset)
        headings.turn_page(page.number, page.text, page.offset, blocks)
        language = language_of(page.text)
        for block in _foldable(page, blocks):
            if block.kind is BlockKind.BOILERPLATE:
                yield _Paragraph([block], block, language)
            if block.kind in _AROUND:
                if current is not None:
                    current.blocks.append(block)
            elif current is not None and _continues(current, block, source):
                current.blocks.append(block)
                current.last = block
            else:
                if current is not None:
                    yield current
                current = _Paragraph([block], block, language)
    if current is not None:
        yield current


def _continues(paragraph: _Paragraph, block: Block, source: TextBuffer) -> bool:
    last = paragraph.last
    if block.start - paragraph.blocks[0].start > _MAX_PARAGRAPH:
        return False
    ends = source.slice(last.end - 1, last.end), source.slice(block.start, block.start + 1)
    return continues(last, block, *ends)


def _foldable(page: PageLike, blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks, and split those that are too long to fold at once between words."""
    for block in blocks:
        start = block.start
        while block.end - start > _MAX_PARAGRAPH:
            low, high = start + _MAX_PARAGRAPH // 2, start + _MAX_PARAGRAPH
            cut, resume = high, high
            for match in _TORN_WORD.finditer(page.text, low - page.offset, high - page.offset):
                cut, resume = match.start() + page.offset, match.end() + page.offset
            yield Block(start, cut, block.kind, block.page, block.level)
            start = resume
        yield block if start == block.start else Block(start, block.end, block.kind, block.page)


def _pieces(
    paragraph: _Paragraph, source: TextBuffer, headings: Headings, number: int, group: int
) -> list[Piece]:
    first, end = paragraph.blocks[0], paragraph.last.end
    text = source.slice(first.start, end)
    view = make_view(text, paragraph.blocks, first.start)
    if not view.text:
        return []
    around = first.kind in (BlockKind.BOILERPLATE, BlockKind.ASIDE)
    above = headings.level
    level = 0 if around else headings.enter_section(first, view.text)
    starts = merge_short(
        split_sentences(view.text, paragraph.language), len(view.text), MIN_SENTENCE
    )
    found = []
    for start, stop in zip(starts, [*starts[1:], len(view.text)], strict=True):
        body = view.text[start:stop].rstrip(" \n")
        begin = view.to_canonical(start)
        last = view.to_canonical(start + max(len(body), 1) - 1) + 1
        while last < end and unicodedata.category(text[last - first.start]) in {"Mn", "Cf"}:
            last += 1
        found.append(
            Piece(
                begin,
                last,
                body,
                view.text[start + len(body) : stop] or ("\n" if stop == len(view.text) else ""),
                length_in_words(body),
                source.page_at(begin),
                first.kind,
                number,
                group,
                level,
                rises=0 < level < above,
                path=() if around else headings.path,
                language=paragraph.language,
                part=source.part_at(begin),
            )
        )
    return found


def length_in_words(text: str) -> float:
    """Estimate the length of a text in words of English by the number of a model's tokens.

    A row of figures counts more than its words. Characters are counted in Korean and in scripts
    without spaces, so that a translation has about the same length as its original.
    """
    dense = 0.0
    if text.isascii():
        tokens = len(text.encode().translate(_ASCII_CLASSES).replace(b".", b" . ").split())
    else:
        for script, words in _DENSE:
            text, count = script.subn("", text)
            dense += words * count
        tokens = len(_TOKEN.findall(text))
    return dense + max(float(len(text.split())), _WORDS_PER_TOKEN * tokens)
