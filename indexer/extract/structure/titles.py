"""The title of a document, from its content and metadata but not its file name.

Owns the order of the sources of a title, and the rules for particular kinds of documents
(``TITLE_RULES``). The last source is the most prominent text of the first page. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from indexer.api.types import BlockKind
from indexer.extract.structure.agreements import agreement_title
from indexer.extract.structure.filings import filing_title
from indexer.extract.structure.wording import (
    MAX_TITLE_CHARS,
    is_boilerplate,
    is_plausible_title,
    tidy_capitals,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from indexer.extract.base import RawBlock, RawPage

TITLE_PAGES = 5  # the cover may follow pages of decoration
_OUTSTANDING = 1.2  # times the median size of the page
_LEAD_BLOCKS = 12
_BYTE_ORDER_MARK = "\ufeff"  # counts in offsets, so texts keep it
_ODD_SPACES = re.compile(r"[\u00a0\u2000-\u200a\u202f\u3000]")


@dataclass(frozen=True, slots=True)
class TitleRule:
    """A rule for the title of one kind of document.

    Attributes:
        kind: The kind of document.
        read: Returns the title from the text of the first ``pages`` pages, "" for other documents.
        pages: See ``read``.
        before_metadata: Whether it has priority over the title in the metadata.
    """

    kind: str
    read: Callable[[list[str]], str]
    pages: int
    before_metadata: bool = False


def choose_title(
    metadata_title: str,
    first_pages: Sequence[RawPage],
    *,
    collection: bool = False,
    rules: Sequence[TitleRule] | None = None,
) -> str:
    """Return the best title, "" if there is none.

    Args:
        metadata_title: The title in the metadata.
        first_pages: The first pages, or the beginnings of them.
        collection: Whether several headings share the highest level: then each is the title of a
            part, and none that of the document.
        rules: Rules for kinds of documents; ``TITLE_RULES`` by default.
    """
    texts = [_ODD_SPACES.sub(" ", page.text) for page in first_pages]
    rules = TITLE_RULES if rules is None else rules

    def by_rule(*, before_metadata: bool) -> str:
        chosen = (rule for rule in rules if rule.before_metadata == before_metadata)
        return next(filter(None, (rule.read(texts[: rule.pages]) for rule in chosen)), "")

    return _short(
        by_rule(before_metadata=True)
        or (metadata_title if is_plausible_title(metadata_title) else "")
        or by_rule(before_metadata=False)
        or _visible_title(first_pages, collection=collection)
    )


def _short(title: str) -> str:
    title = tidy_capitals(title.removeprefix(_BYTE_ORDER_MARK))
    if len(title) <= MAX_TITLE_CHARS:
        return title
    return title[:MAX_TITLE_CHARS].rsplit(" ", 1)[0].rstrip(" ,;:-")


TITLE_RULES = (
    TitleRule("covers of US company filings", filing_title, TITLE_PAGES, before_metadata=True),
    TitleRule("contracts in English", agreement_title, 2),
)


def _visible_title(pages: Sequence[RawPage], *, collection: bool) -> str:
    """Return the most prominent text of the first page with letters."""
    for page in pages:
        if not any(c.isalpha() for c in page.text):
            continue
        if page.blocks and page.blocks[0].style is None:
            return "" if collection else _marked_title(page) or _first_line(page)
        return _largest(page) or _first_heading(page)
    return ""


def _marked_title(page: RawPage) -> str:
    """Return the first plausible heading of the highest level, as marked by the format."""
    headings = [block for block in page.blocks[:40] if block.kind is BlockKind.HEADING]
    if not headings:
        return ""
    highest = min(block.level for block in headings)
    texts = (_text(page, block) for block in headings if block.level == highest)
    return next((text for text in texts if is_plausible_title(text)), "")


def _first_line(page: RawPage) -> str:
    """Return the first line of an unmarked text, if it may be a title."""
    text = page.text.removeprefix(_BYTE_ORDER_MARK).lstrip()
    first = text.split("\n", 1)[0]
    line = tidy_capitals(first)
    sentence = line.endswith((".", ",", ";", ":")) or ":" in line
    if len(line) > 90 or sentence or not is_plausible_title(line) or not line[:1].isupper():
        return ""
    rest = text[len(first) :]
    alone = re.match(r"\r?\n\s*\r?\n", rest) or not rest.strip()
    return line if alone else ""


def _largest(page: RawPage) -> str:
    """Return the text in the largest type in the upper part of a page, if it is outstanding."""
    placed = [block for block in page.blocks if block.style is not None and _names(page, block)]
    sizes = [
        block.style.size for block in page.blocks if block.style and len(_text(page, block)) > 1
    ]
    upper = [block for block in placed if block.style and block.style.top < 0.75]
    if not upper:
        return ""
    size = max(block.style.size for block in upper if block.style)
    if size < _OUTSTANDING * median(sizes) and len(sizes) > 2:
        return ""
    first = next(
        i for i, b in enumerate(page.blocks) if b in upper and b.style and b.style.size == size
    )
    parts: list[str] = []
    for block in page.blocks[first:]:
        style = block.style
        if style is None or abs(style.size - size) > 0.05 * size or not _names(page, block):
            break
        parts.append(_text(page, block))
        if sum(map(len, parts)) > MAX_TITLE_CHARS:
            break
    return " ".join(parts)


def _first_heading(page: RawPage) -> str:
    """Return the first short block in bold or capitals."""
    for block in page.blocks[:_LEAD_BLOCKS]:
        text = _text(page, block)
        outstanding = (block.style is not None and block.style.bold) or text.isupper()
        if outstanding and len(text) <= 120 and _names(page, block):
            return text
    return ""


def _names(page: RawPage, block: RawBlock) -> bool:
    text = _text(page, block)
    return (
        block.kind is not BlockKind.TABLE
        and len(text) <= 2 * MAX_TITLE_CHARS
        and is_plausible_title(text)
    )


def _text(page: RawPage, block: RawBlock) -> str:
    lines: Iterator[str] = (
        line for line in page.text[block.start : block.end].split("\n") if not is_boilerplate(line)
    )
    return tidy_capitals(" ".join(lines))
