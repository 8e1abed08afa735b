"""Finds the title of a document in its metadata and its content, but not its file name.

The last resort is the most prominent text of the first page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

from indexer.api.types import BlockKind
from indexer.text.stop_words import ALL_STOP_WORDS, NOBODY

if TYPE_CHECKING:
    from indexer.extract.base import RawBlock, RawPage

MAX_TITLE_CHARS = 120
_FILE_NAME = re.compile(
    r"\.(?:docx?|dotx?|odt|rtf|wpd|pages|pdf|tex|dvi|e?ps|ai|cdr|indd?|qxd|qxp|pmd|p65|fm|pub|xlsx?|"
    r"ods|pptx?|odp|html?|xml|txt|md|jpe?g|png|tiff?|dwg|vsd)\s*(?:\(.*\))?$",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"(?:untitled|unbenannt|sans titre|sin título|no ?title|title|titel|document|dokument|doc|book|"
    r"presentation|präsentation|slide|folie|page|print(?:ing)?|scan(?:ned)?|image|img|fax|template|"
    r"layout|report|letter|brochure|flyer|poster|cover|draft|test|temp|tmp|new|default|normal|"
    r"adobe \w+ (?:pdf|document)|workbook|sheet|blank|file|about:blank|"
    r"full page photo|powerpoint presentation|"
    r"microsoft (?:word|excel|powerpoint).*|word document|pdf|acrobat document)"
    r"[\s\d_.#()-]*$",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(
    r"(?:\d[\d\s./_-]*|[0-9a-f]{8,}|\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?|"
    r"(?=\S*\d)[\w.-]*_[\w.-]*|[a-z]{1,4}\d[\w.-]*|[a-z]+[\d._-]+|"
    r"(?:https?|file|ftp):\S*|www\.\S+|[A-Za-z]:\\.*|/\S*)$",
    re.IGNORECASE,
)
_BOILERPLATE = re.compile(
    r"united states(?: securities and exchange commission)?$|securities and exchange commission|"
    r"washington,? d\.? ?c|(?:form|schedule) [\dsfn]{1,2}-?[a-z\d]{1,3}(?:/a)?$|mark one|"
    r"commission file|"
    r"(?:exhibit|annex|appendix|schedule)\s*\W?[\w.()]{1,8}\W?$|exhibit\s+\d|"
    r"table of contents|contents$|index$|"
    r"confidential|redacted|\[?\*\*\*|certain (?:portions|confidential|identified)|portions of|"
    r"information in this exhibit|omitted|omissions|asterisks|execution (?:version|copy)|"
    r"executed (?:version|copy)|conformed copy|for immediate release|press release|news release|"
    r"quicklinks|click here|source:|page \d|draft|final$|copy$|copyright|©|all rights reserved|"
    r"arxiv:|doi:|https?:|www\.|issn|isbn|downloaded from|accepted manuscript|preprint|volume \d|"
    r"vol\. ?\d|this is a translation|in accordance with item|pursuant to|last updated|"
    r"registration no|filed |as filed|not for|strictly|private and|dated?\b|date:|to:|from:|re:|"
    r"subject:|dear |ladies and|cover page|check box",
    re.IGNORECASE,
)
_SMALL_CAPITALS = re.compile(r"\b([A-Z]) (?=[A-Z]{3,}\b)")
_LETTER = re.compile(r"[^\W\d_]")


def tidy(text: str) -> str:
    """Normalise white space, and strip decoration."""
    return " ".join(text.replace("\ufffd", " ").split()).strip(" _-–—*|·•")


def tidy_capitals(name: str) -> str:
    """Remove the gaps of small capitals, as in "MGM R ESORTS I NTERNATIONAL"."""
    name = tidy(name)
    gaps = _SMALL_CAPITALS.findall(name)
    return _SMALL_CAPITALS.sub(r"\1", name) if len(gaps) > 1 else name


def is_boilerplate(line: str) -> bool:
    """Return whether a line is common in documents, so that it identifies none."""
    return _BOILERPLATE.match(line.strip(" \t_-–—*\"'“”[(")) is not None


def is_plausible_title(text: str) -> bool:
    """Return whether a text may be a title.

    Numbers, file names, identifiers, placeholders and boilerplate may not.
    """
    title = tidy(text)
    if not 3 <= len(title) <= 300 or len(_LETTER.findall(title)) * 3 < len(title.replace(" ", "")):
        return False
    if title.count("?") * 4 > len(title) or "\ufffd" in text:
        return False  # wrongly decoded
    wrong = _FILE_NAME.search(title) or _PLACEHOLDER.match(title) or _IDENTIFIER.match(title)
    return not wrong and not is_boilerplate(title)


_MAKERS = NOBODY - ALL_STOP_WORDS
_VERSION = re.compile(r"\d\.\d")
_INSIDE = re.compile(r"[./]")
_NAMED = re.compile(r"[^\W\d_]+")


def plausible_author(text: str) -> str:
    """Return an author as a document names it, "" for a placeholder, a program or a scanner.

    >>> plausible_author("Mina Harker"), plausible_author("Microsoft Office User")
    ('Mina Harker', '')
    >>> plausible_author("Canon iR-ADV C3530"), plausible_author("PScript5.dll Version 5.2.2")
    ('', '')
    """
    parts = _NAMED.findall(_INSIDE.sub("", text.casefold()))
    made = any(map(str.isdigit, text)) and not _MAKERS.isdisjoint(parts[:1])
    return "" if made or _VERSION.search(text) or NOBODY.issuperset(parts) else text


_KINDS = (
    "agreement|contract|amendment|addendum|lease|license|licence|memorandum of understanding|"
    "letter of intent|deed|indenture|guaranty|guarantee|undertaking|terms and conditions|"
    "terms of service|statement of work|power of attorney|promissory note"
)
_TITLE = re.compile(rf"(?:^|.*\b)(?:{_KINDS})s?(?:\b|$)", re.IGNORECASE)
_PROSE = re.compile(
    r"\b(?:this|hereby|herein|hereof|shall|entered|is made|made and|made as|has been|set forth|"
    r"have been|pursuant|sets forth)\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\b(?:contract|agreement)\s+(?:no|nr|number|id)\b|^\d+ -", re.IGNORECASE)
_TRAILING = re.compile(r"\s+(?:by\s+and\s+)?(?:between|among(?:st)?):?$", re.IGNORECASE)
_BETWEEN = re.compile(
    r"\b(?:by\s+and\s+(?:between|among(?:st)?)|between|among(?:st)?)\b:?", re.IGNORECASE
)
_ENTERED = re.compile(r"\bentered\s+into\s+by\b|^", re.IGNORECASE)
_RECITALS = re.compile(
    r"\bwhereas\b|w\s*i\s*t\s*n\s*e\s*s\s*s\s*e\s*t\s*h|\brecitals?\b", re.IGNORECASE
)
_WORD = r"(?:(?:[A-Z0-9]|i(?=[A-Z0-9]))[\w.&'’/+-]*|\([A-Z][\w.]*\)|&)"
# A party is named in capitalised words up to its description.
_PARTY = re.compile(
    rf"(?:the\s+)?({_WORD}(?:,?\s+(?:{_WORD}|of|and|the|de|d/b/a|a/k/a)(?=[\s,;:(.\"“]|$))*)"
)
_SUFFIX = (
    r"(?:inc|llc|l\.l\.c|ltd|limited|corp|corporation|lp|l\.p|llp|n\.a|s\.a|s\.p\.a|b\.v|n\.v|gmbh|ag|"
    r"plc|co|company)"
)
_WHOLE_NAME = re.compile(
    rf".*?\b{_SUFFIX}\b\.?(?![.\w])(?!,?\s*\(?{_SUFFIX}\b)(?!\s+(?:of|and\s+{_SUFFIX})\b)",
    re.IGNORECASE | re.DOTALL,
)
_ENDS_NAME = re.compile(
    r"\s+(?:This|These|Whereas|WHEREAS|Dated?|DATED?|Effective|TABLE|Table|As\s+of|Source|"
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d)"
)
_DESCRIBES = re.compile(
    r"\s*(?:[(;\"“]|,\s*(?:an?|the|with|having|whose|located|as|in\s+(?:his|her|its)|doing|its|"
    r"organi[sz]ed|acting|a\.k\.a)\b|,?\s+(?:an?|located|with|having|whose|as)\b|\n|$|"
    r",?\s+and\s+(?:the\s+)?[A-Z])"
)
_AND = re.compile(r"\band\b[\s:,-]*|--\s*AND\s*--\s*", re.IGNORECASE)
_GENERIC = re.compile(
    r"(?:the\s+)?(?:part(?:y|ies)|this|these|contract|agreement|company|seller|buyer|schedule|exhibit|section|article|state|"
    r"delaware|new\s+york|collectively|together|individually|its|each|all|any|confidential)\b",
    re.IGNORECASE,
)
_NEXT_PARTY = 500  # characters between one party and the next
_LEAD_LINES = 25
_PREAMBLE_CHARS = 2_500
_MAX_PARTIES = 2


def agreement_title(pages: list[str]) -> str:
    """Return a title such as "SERVICES AGREEMENT between A and B", "" without a contract."""
    text = "\n".join(pages)
    found = _title_line(text)
    if found is None:
        return ""
    title, end = found
    parties = _parties(text[end : end + _PREAMBLE_CHARS])
    return f"{title} between {' and '.join(parties)}" if parties else title


def _title_line(text: str) -> tuple[str, int] | None:
    """Return the first line that names a kind of agreement, and the offset of its end."""
    position, seen = 0, 0
    lines = text.split("\n")
    for i, line in enumerate(lines):
        position += len(line) + 1
        plain = _TRAILING.sub("", tidy_capitals(line))
        if not plain or is_boilerplate(plain):
            continue
        seen += 1
        if seen > _LEAD_LINES:
            return None
        if len(plain) <= MAX_TITLE_CHARS and _TITLE.match(plain) and _is_heading(plain):
            return _with_line_before(lines, i, plain), position
    return None


def _is_heading(line: str) -> bool:
    if (
        ":" in line
        or _NUMBERED.search(line)
        or _PROSE.search(line)
        or line.endswith((".", ",", ";"))
        or "\t" in line
    ):
        return False
    words = [word for word in re.findall(r"[^\W\d_]+", line) if len(word) > 3]
    return all(word[0].isupper() for word in words)


def _with_line_before(lines: list[str], i: int, title: str) -> str:
    """Join the two lines of a long title."""
    before = tidy_capitals(lines[i - 1]) if i else ""
    short = len(title.split()) <= 2 and title.isupper() == before.isupper()
    wanted = before and short and not is_boilerplate(before) and _is_heading(before)
    if (
        wanted
        and len(before) + len(title) < MAX_TITLE_CHARS
        and not re.search(r"[\d@]|\binc\b", before, re.IGNORECASE)
    ):
        return f"{before} {title}"
    return title


def _parties(preamble: str) -> list[str]:
    """Return the names of the parties after "between" or after the title, if recognised."""
    end = _RECITALS.search(preamble)
    if end is not None:
        preamble = preamble[: end.start()]
    for between in (*_BETWEEN.finditer(preamble), *_ENTERED.finditer(preamble)):
        names = _names_from(preamble, between.end())
        introduced = between[0] or any(map(_WHOLE_NAME.match, names[:1]))
        if len(names) > 1 and introduced:
            return names
    return []


def _names_from(preamble: str, start: int) -> list[str]:
    names: list[str] = []
    found = _party(preamble, len(preamble) - len(preamble[start:].lstrip(" :,\n\t-")))
    while found is not None and len(names) < _MAX_PARTIES:
        name, end = found
        if name.casefold() not in map(str.casefold, names):
            names.append(name)
        parts = _AND.finditer(preamble, end, end + _NEXT_PARTY)
        found = next(filter(None, (_party(preamble, part.end()) for part in parts)), None)
    return names


def _party(text: str, start: int) -> tuple[str, int] | None:
    """Return the party whose name begins at an offset, and the offset of its end."""
    match = _PARTY.match(text, start)
    if match is None:
        return None
    name = match[1]
    for cut in (_ENDS_NAME.search(name), re.search(r"\s+and\s+", name)):
        if cut is not None:
            name = name[: min(cut.start(), len(name))]
    whole = _WHOLE_NAME.match(name)
    if whole is not None:
        name = whole[0]
    end = match.start(1) + len(name)
    plain = re.sub(r",\s*(?:the|and)$", "", tidy(name).strip(",["))
    described = whole is not None or _DESCRIBES.match(text, end) is not None
    if not described or not 2 < len(plain) <= 80 or _GENERIC.match(plain):
        return None
    return plain, end


TITLE_PAGES = 5  # the cover may follow pages of decoration
_CONTRACT_PAGES = 2
_OUTSTANDING = 1.2  # times the median type size of the page
_LEAD_BLOCKS = 12
_BYTE_ORDER_MARK = "\ufeff"  # kept in texts, as offsets count it
_ODD_SPACES = re.compile(r"[\u00a0\u2000-\u200a\u202f\u3000]")


def choose_title(
    metadata_title: str, first_pages: Sequence[RawPage], *, collection: bool = False
) -> str:
    """Return the best title from the metadata and the beginnings of the first pages, or "".

    In a ``collection`` several headings share the highest level. Each is then the title of a part,
    and none is the document's.
    """
    texts = [_ODD_SPACES.sub(" ", page.text) for page in first_pages[:_CONTRACT_PAGES]]
    return _short(
        (metadata_title if is_plausible_title(metadata_title) else "")
        or agreement_title(texts)
        or _visible_title(first_pages, collection=collection)
    )


def _short(title: str) -> str:
    title = tidy_capitals(title.removeprefix(_BYTE_ORDER_MARK))
    if len(title) <= MAX_TITLE_CHARS:
        return title
    return title[:MAX_TITLE_CHARS].rsplit(" ", 1)[0].rstrip(" ,;:-")


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
    """Return the text in the largest type in the upper part of a page, if that stands out."""
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
    lines = page.text[block.start : block.end].split("\n")
    return tidy_capitals(" ".join(line for line in lines if not is_boilerplate(line)))
