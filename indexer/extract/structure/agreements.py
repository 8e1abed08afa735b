"""The title of a contract: the kind of agreement and its parties.

Pure functions of the text of the first pages.
"""

from __future__ import annotations

import re

from indexer.extract.structure.wording import is_boilerplate, tidy, tidy_capitals

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
# A party: capitalised words up to its description.
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
_MAX_TITLE = 120
_MAX_PARTIES = 2


def agreement_title(pages: list[str]) -> str:
    """Return a title such as "SERVICES AGREEMENT between A and B", "" if it is no contract.

    Args:
        pages: The text of the first pages.
    """
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
        if len(plain) <= _MAX_TITLE and _TITLE.match(plain) and _is_heading(plain):
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
        and len(before) + len(title) < _MAX_TITLE
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
    found = _party(preamble, _next_word(preamble, start))
    while found is not None and len(names) < _MAX_PARTIES:
        name, end = found
        if name.casefold() not in map(str.casefold, names):
            names.append(name)
        parts = _AND.finditer(preamble, end, end + _NEXT_PARTY)
        found = next(filter(None, (_party(preamble, part.end()) for part in parts)), None)
    return names


def _next_word(text: str, start: int) -> int:
    while start < len(text) and text[start] in " :,\n\t-":
        start += 1
    return start


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
