"""Finds a document's statements: sentences that are not tables, headings, lists or contents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from indexer.api.answers import Statement
from indexer.text.differences import MARKER
from indexer.text.sentences import split_sentences
from indexer.text.stop_words import NEGATIONS, NUMBER_WORDS, PLACES
from indexer.text.terms import stop_words, words

if TYPE_CHECKING:
    from indexer.store.values import StoredPassage

# Text with fewer words is a list marker, a cell of a table or a caption. A fragment that begins in
# the middle of a sentence needs more.
FEWEST_WORDS = 5
FEWEST_OF_PIECE = 8
# A sentence that was joined to another needs this many words to mean something alone.
FEWEST_OF_JOINED = 3
# A line of capitalised words up to this length is a heading; with a full stop, up to the second.
HEADING_WORDS = 12
STOPPED_HEADING_WORDS = 7
# The least share of letters among visible characters; rows of numbers have less.
LETTERS = 0.6
# The least share of stop words; names and columns have fewer. In a whole sentence with a year, such
# as the first one of a contract, one is enough.
COMMON = 0.15
# The number of consecutive words that make the same wording.
RUN = 4
# An entry like "Termination ..... 12", a line to sign on, "Name: Jane Doe".
_NO_SENTENCE = re.compile(
    r"(?:\.{3}|\u2026) ?\d+\s*$"
    r"|\b(?:By|BY|Name|NAME|Title|TITLE|Its|ITS) ?(?::\s*(?:$|\W|[A-Z])|:?\s*_{3})"
)
# Lines of a table of contents without dots: each begins with a number or is one of several, and
# ends with a number.
_ENTRY = re.compile(r"(?P<number>\W*(?:[^\W\d_]+ )?[\dIVX]+\S*\s)?.*\s\d+$")
# Two amounts at the end of a line make it a row of a table, but not "December 31, 2019".
_AMOUNT = r"[($]*(?:\d(?:[\d,.]*\d)?|[\u2013\u2014-])[)%]*"
_ROW = re.compile(rf"(?:^|\s){_AMOUNT}\s+(?:[$%]\s+)?{_AMOUNT}\s*$")
_CAPTION = re.compile(r":\W*$")
_STOPPED = re.compile(r"[.!?]\W*$")
_DATED = re.compile(r"\b[12]\d{3}\b.*[.!?]$", re.DOTALL)


class ReadStatement(Struct, frozen=True):
    """A statement as it is compared.

    Attributes:
        row: The row of its vector among those of all sentences that were read.
        passage: The ordinal of its passage.
        statement: Its view without headings, and its place.
        words: Its folded words, in order.
    """

    row: int
    passage: int
    statement: Statement
    words: tuple[str, ...]

    @property
    def numbers(self) -> frozenset[str]:
        """Its numbers, in digits or in letters, without numbers of sections and other places."""
        text = self.statement.text
        marker = MARKER.match(text)
        said = words(text[marker.end() :]) if marker else self.words
        return frozenset(
            word
            for before, word in pairwise(("", *said))
            if before not in PLACES
            and (word in NUMBER_WORDS or any(character.isdigit() for character in word))
        )

    @property
    def negations(self) -> frozenset[str]:
        """Its negations."""
        return NEGATIONS.intersection(self.words)


def statements(passages: Iterable[StoredPassage], language: str) -> list[ReadStatement]:
    """Find the statements of passages; ``row`` numbers all of their sentences from 0."""
    found: list[ReadStatement] = []
    row = 0
    for passage in passages:
        headings = [words(heading) for heading in passage.heading_path]
        for start, end, sentence in _sentences(passage):
            text = _without_headings(sentence, headings)
            said = words(text)
            if _states(text, said, language):
                at, pages = passage.char_start, (passage.page_first, passage.page_last)
                statement = Statement(
                    *pages, at + start, at + end, passage.heading_path, text,
                    original=passage.text[start:end],
                )  # fmt: skip
                found.append(ReadStatement(row, passage.ordinal, statement, tuple(said)))
            row += 1
    return found


def _sentences(passage: StoredPassage) -> Iterator[tuple[int, int, str]]:
    """Yield the span of each sentence in the passage's text, and its view."""
    text, view = passage.text, passage.view
    borders = pairwise([*passage.text_starts, len(text)])
    for (start, end), (low, high) in zip(
        borders, pairwise([*passage.view_starts, len(view)]), strict=True
    ):
        yield *trimmed(text, start, end), view[low:high].strip()


def trimmed(text: str, start: int = 0, end: int | None = None) -> tuple[int, int]:
    """The span of a part of a text without surrounding space."""
    part = text[start:end]
    first = start + len(part) - len(part.lstrip())
    return first, first + len(part.strip())


def _without_headings(text: str, headings: list[list[str]]) -> str:
    """Remove headings from the first lines, as short ones may be joined to the next sentence."""
    lines = text.split("\n")
    while lines and words(lines[0]) in headings:
        del lines[0]
    return "\n".join(lines)


def _states(text: str, said: list[str], language: str) -> bool:
    """Whether a sentence is a statement."""
    fewest = FEWEST_OF_PIECE if text[:1].islower() else FEWEST_WORDS
    if len(said) < fewest or _NO_SENTENCE.search(text) or _ROW.search(text) or _is_contents(text):
        return False
    seen = sum(not character.isspace() for character in text)
    if sum(character.isalpha() for character in text) < LETTERS * seen:
        return False
    common = stop_words(language)
    few = sum(word in common for word in said)
    if common and few < COMMON * len(said) and not (few and _DATED.search(text)):
        return False
    return not _is_heading(text, said, common)


def _is_contents(text: str) -> bool:
    entries = [_ENTRY.fullmatch(line) for line in text.split("\n")]
    return all(entries) and (len(entries) > 1 or bool(entries[0] and entries[0]["number"]))


def _is_heading(text: str, said: list[str], common: frozenset[str]) -> bool:
    if _CAPTION.search(text) and len(said) <= STOPPED_HEADING_WORDS:
        return True
    most = STOPPED_HEADING_WORDS if _STOPPED.search(text) else HEADING_WORDS
    content = [word for word in text.split() if not common.issuperset(words(word))]
    return len(said) <= most and not any(word[:1].islower() for word in content)


def overlap(first: ReadStatement, second: ReadStatement) -> float:
    """The share of words that two statements have in common, 0 to 1."""
    return dice(set(first.words), set(second.words))


def dice(one: set[str], other: set[str]) -> float:
    """Dice's coefficient of two sets of words, 0 to 1."""
    return 2 * len(one & other) / max(len(one) + len(other), 1)


class Wording:
    """The word sequences of a document.

    Args:
        known: All statements of the document.
    """

    def __init__(self, known: Iterable[ReadStatement]) -> None:
        self._runs = {run for statement in known for run in _runs(statement.words)}

    def share(self, statement: ReadStatement) -> float:
        """The share of a statement, 0 to 1, that the document has in the same wording."""
        runs = _runs(statement.words)
        return len(runs & self._runs) / len(runs)

    def has(self, said: tuple[str, ...]) -> bool:
        """Whether the document has a run of these words."""
        return not _runs(said).isdisjoint(self._runs) or any(
            said == run[at : at + len(said)]
            for run in self._runs if len(said) < RUN
            for at in range(RUN - len(said) + 1)
        )  # fmt: skip


def new_pieces(statement: ReadStatement, wording: Wording, language: str) -> list[Statement]:
    """Return short sentences that were joined to a statement and are not in the wording."""
    whole = statement.statement
    views, texts = _pieces(whole.text, language), _pieces(whole.original, language)
    if len(texts) < 2 or len(views) != len(texts):
        return []
    return [
        replace(
            whole,
            start=whole.start + start,
            end=whole.start + start + len(text),
            text=view,
            original=text,
        )
        for (_, view), (start, text) in zip(views, texts, strict=True)
        if (said := tuple(words(view)))
        and len(said) >= FEWEST_OF_JOINED
        and not wording.has(said)
        and _STOPPED.search(view)
    ]


def _pieces(text: str, language: str) -> list[tuple[int, str]]:
    """Return the start and the text of each sentence, without surrounding space."""
    # A line feed would end a sentence, and pages have one after each line.
    borders = pairwise([*split_sentences(text.replace("\n", " "), language), len(text)])
    return [
        (end - len(text[start:end].lstrip()), text[start:end].strip()) for start, end in borders
    ]


def _runs(said: tuple[str, ...]) -> set[tuple[str, ...]]:
    return {said[at : at + RUN] for at in range(max(1, len(said) - RUN + 1))}
