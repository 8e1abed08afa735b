"""Edits of the query's text, which adds and removes filters, and links to passages.

``indexer.query.grammar`` reads the grammar that is written here. The text is what counts; chips are
made from it. A link, ``lectern://passage?text=…``, holds words of the passage and no path, so it
still works after the file was renamed, moved or saved again, and following it is a search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

from indexer.query.grammar import clauses
from ui.search.safe_text import plain, shown

if TYPE_CHECKING:
    from indexer.api.types import Hit
    from indexer.query.grammar import Clause


# Operators that a query has once: a second one would only narrow the first.
_SINGLE = frozenset({"date", "after", "before", "size", "page", "like", "lang", "type", "ext"})
_DATES = frozenset({"date", "after", "before"})
_KINDS = frozenset({"type", "ext"})
STEERING = frozenset({"more", "less"})
_QUOTES = '"\u201c\u201d\u201e\u201f\uff02'


def written(operator: str, value: str, *, excluded: bool = False) -> str:
    """Write a clause in the grammar, quoted where needed.

    The grammar cannot express a quotation mark inside a value, so the text before the first one is
    used, or the text after it if that is empty.
    """
    for mark in _QUOTES:
        value = value.replace(mark, '"')
    value = " ".join(next((part for part in value.split('"') if part.strip()), "").split())
    sign = "-" if excluded else ""
    if not operator:
        return f'{sign}"{value}"'
    bare = value.replace("/", "").replace(":", "")[:1] and value[0] not in ":/"
    if bare and not any(char.isspace() for char in value):
        return f"{sign}{operator}:{value}"
    return f'{sign}{operator}:"{value}"'


def with_filter(text: str, operator: str, value: str, *, excluded: bool = False) -> str:
    """Add a filter to a query, in place of those that it replaces."""
    replaced = _replaced(operator)
    rivals = [each for each in clauses(text) if each.excluded == excluded]
    rivals = [each for each in rivals if each.operator in replaced | {operator}]
    same = [each for each in rivals if (each.operator, each.value) == (operator, value)]
    if same and (not replaced or len(rivals) == 1):
        return text
    for clause in reversed(rivals):
        if clause.operator in replaced:
            text = without(text, clause)
    return _joined(text, written(operator, value, excluded=excluded))


def without(text: str, clause: Clause) -> str:
    """Remove a clause from the query that it was parsed from."""
    before, after = text[: clause.start].rstrip(), text[clause.end :].lstrip()
    if not before or not after:
        return before or after
    return f"{before} {after}"


def parted(text: str) -> tuple[list[str], str]:
    """Split a query into its filters, each in the grammar, and the rest."""
    filters = [clause for clause in clauses(text) if clause.operator]
    for clause in reversed(filters):
        text = without(text, clause)
    return [written(each.operator, each.value, excluded=each.excluded) for each in filters], text


def without_filters(text: str) -> str:
    """Remove all filters; phrases and excluded words stay."""
    for clause in reversed(clauses(text)):
        if clause.operator:
            text = without(text, clause)
    return text


def quoted_phrases(text: str) -> str:
    """Return the phrases of a query in quotation marks, for display."""
    phrases = [each.value for each in clauses(text) if not (each.operator or each.excluded)]
    return ", ".join(f"“{each}”" for each in phrases)


def inside(path: str, text: str = "") -> str:
    """Restrict a query to one document, in place of other restrictions to files."""
    for clause in reversed(clauses(text)):
        if clause.operator in {"in", "like"}:
            text = without(text, clause)
    return _joined(text, written("in", path))


def similar(path: str, span: tuple[int, int] | None = None) -> str:
    """Return the query for what resembles a document, or one passage of it."""
    return written("like", place_of(path, span) if span else path)


def place_of(path: str, span: tuple[int, int]) -> str:
    """Return how the filters name a passage of a document."""
    return f"{path}#{span[0]}-{span[1]}"


def steered(text: str, operator: str, path: str, span: tuple[int, int]) -> str:
    """Add ``more`` or ``less`` of a passage to a query, in place of the other."""
    value = place_of(path, span)
    for clause in reversed(clauses(text)):
        if clause.operator in STEERING and clause.value == value:
            text = without(text, clause)
    return _joined(text, written(operator, value))


def _joined(text: str, clause: str) -> str:
    """Append a clause to a query, or prepend it if a quote is still open."""
    behind = f"{text.rstrip()} {clause} ".lstrip()
    kept = any(behind[each.start : each.end] == clause for each in clauses(behind)[-1:])
    return behind if kept else f"{clause} {text.strip()}"


def _replaced(operator: str) -> frozenset[str]:
    if operator in _DATES:
        return _DATES
    if operator in _KINDS:
        return _KINDS
    return frozenset({operator}) if operator in _SINGLE else frozenset()


SCHEME = "lectern"
_PLACE = "passage"
# This many words in a row occur once; mail programs break longer links.
_WORDS = 10
_LEAST = 4


def link_of(hit: Hit) -> str:
    """Return the link to a passage; "" if it has too few words to be found by."""
    made = plain(hit, [hit.best])  # without running heads, which no phrase of the library has
    best = made.text[slice(*made.spans[0])] if made.spans else ""
    for text in (best, made.text):
        words = text.replace('"', " ").split()[:_WORDS]
        if len(words) >= _LEAST:
            return f"{SCHEME}://{_PLACE}?text={quote(' '.join(words))}"
    return ""


def is_link(text: str) -> bool:
    """Whether a text has the scheme of our links."""
    return text.strip().lower().startswith(f"{SCHEME}:")


def query_of(link: str) -> str:
    """Return the query that follows a link; "" if the link is not valid."""
    try:
        parts = urlsplit(link.strip())
        text = parse_qs(parts.query).get("text", [""])[0]
    except ValueError:
        return ""
    words = " ".join(shown(text).text.split())
    return written("", words) if parts.netloc == _PLACE and words else ""
