"""The rows of the tables, and what each of them asks of an answer.

A table is TOML, one ``[[row]]`` for each question:

    kind = "inflected"           # one of KINDS
    query = "Schlüsseln"         # as typed, in Lectern's grammar
    leads = "zwei Schlüssel"     # stands in the passage that must come first, and in no other
    never = ["im Heizungskeller"]  # stand in passages that the words of the query must not find
    marked = ["Schlüssel"]       # must be highlighted in the first passage, and no other word

What stands in round brackets in ``marked`` may be highlighted and need not be. Where words have
spaces between them, the rest of the word may be, too.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.api.types import Span

TEXTS = Path(__file__).parent / "texts"
TABLES = Path(__file__).parent / "tables"
# The languages of one library, as a person may have them. One for each language would take twice
# as long; one for all would stem words in the commonest languages only.
LIBRARIES = (
    ("german", "greek", "thai"),
    ("spanish", "arabic", "japanese"),
    ("polish", "hebrew", "korean"),
    ("turkish", "russian", "hindi"),
    ("vietnamese", "chinese"),
)
LANGUAGES = tuple(language for library in LIBRARIES for language in library)
KINDS = (
    "word", "inflected", "phrase", "prefix", "typo", "name", "mark", "heading", "mixed",
)  # fmt: skip

# Scripts without spaces, where the word that holds a string has no visible end.
_UNSPACED = re.compile("[\u0e00-\u0eff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff]")
_INSIDE = "'\u2019-\u200c\u05f3\u05f4"  # of a word
_OPTIONAL = re.compile(r"[()]")


@dataclass(frozen=True, slots=True)
class Row:
    """One question; the module's docstring says what the fields mean."""

    id: str  # "german-typo-2"
    language: str
    kind: str
    query: str
    leads: str
    never: tuple[str, ...]
    marked: tuple[str, ...]

    @property
    def quoted(self) -> bool:
        return self.query.startswith('"')


def rows(language: str) -> Iterator[Row]:
    """The table of a language."""
    table = tomllib.loads((TABLES / f"{language}.toml").read_text(encoding="utf-8"))
    seen: Counter[str] = Counter()
    for row in table["row"]:
        seen[row["kind"]] += 1
        yield Row(
            f"{language}-{row['kind']}-{seen[row['kind']]}",
            language,
            row["kind"],
            row["query"],
            row["leads"],
            tuple(row["never"]),
            tuple(row["marked"]),
        )


def unmarked(row: Row, text: str, spans: Sequence[Span]) -> list[str]:
    """What should be highlighted in a text and is not."""
    done = _characters(spans)
    return [
        wanted
        for wanted in row.marked
        if _OPTIONAL.split(wanted)[::2] != ["", ""]
        and not any(done.issuperset(must) for must, _ in _occurrences(wanted, text))
    ]


def overmarked(row: Row, text: str, spans: Sequence[Span]) -> list[str]:
    """What is highlighted in a text and should not be."""
    allowed: set[int] = set()
    for wanted in row.marked:
        for _, may in _occurrences(wanted, text):
            allowed |= may
    return [text[first:last] for first, last in spans if not allowed.issuperset(range(first, last))]


def _characters(spans: Sequence[Span]) -> set[int]:
    return {at for first, last in spans for at in range(first, last)}


def _occurrences(wanted: str, text: str) -> Iterator[tuple[set[int], set[int]]]:
    """For each place of a string: which characters must be highlighted, and which may be."""
    parts = _OPTIONAL.split(wanted)  # every second one stands in brackets
    whole = "".join(parts)
    at = text.find(whole)
    while at >= 0:
        must: set[int] = set()
        place = at
        for number, part in enumerate(parts):
            if number % 2 == 0:
                must.update(place + i for i, char in enumerate(part) if not char.isspace())
            place += len(part)
        first, last = at, place
        while first > 0 and _goes_on(text[first - 1]):
            first -= 1
        while last < len(text) and _goes_on(text[last]):
            last += 1
        yield must, set(range(first, last))
        at = text.find(whole, at + 1)


def _goes_on(char: str) -> bool:
    return not _UNSPACED.match(char) and (unicodedata.category(char)[0] in "LMN" or char in _INSIDE)
