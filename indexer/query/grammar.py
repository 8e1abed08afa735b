"""The parser of queries.

Operators and their values are declared in ``indexer.query.filters``. No input is an error: an
invalid operator is searched as text, with a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from indexer.api.codec import from_json, to_json
from indexer.api.phrases import Note
from indexer.query.filters import OPERATORS, DateRange, Filters, NumberRange, Operator, clean
from indexer.text.stop_words import STOP_WORDS
from indexer.text.terms import words
from indexer.text.view import make_view

MAX_CHARACTERS = 10_000

_QUOTES = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u201f\uff02", '"'))
_GERSHAYIM = re.compile('(?<=[\u05d0-\u05ea])"(?=[\u05d0-\u05ea])')  # inside a Hebrew word
_TOKEN = re.compile(
    r"""
    (?P<minus>-?)
    (?:
        (?P<name>[A-Za-z]{2,}):(?:"(?P<quoted>[^"]+)"|(?P<value>[^\s"/:][^\s"]*|/(?!/)[^\s"]*))
      | (?<![A-Za-z0-9])"(?P<phrase>[^"]*)"
      | \u00ab(?P<guillemets>[^\u00bb]*)\u00bb
      | (?P<word>[^\s"]+)
    )
    | (?P<stray>["\s])
    """,
    re.VERBOSE,
)
_NO_VALUE = re.compile(r"-?([A-Za-z]{2,}):$")
_UNITS = (
    r"(?:[%\u2030\xb0$\u20ac\xa3\xa5]"
    r"|\xb0?(?:[CFK]|[kcm]?m|[km]?g|ft|dBm?|m?[VA]|EUR|USD|GBP|CHF)\b)"
)
# A negative number, with its unit if no space is between them: "-40", "-1.5e-3", "-12\xb0C".
_NEGATIVE = re.compile(
    rf"[$\u20ac\xa3\xa5]?\d+(?:[.,]\d+)*(?:e-?\d+)?{_UNITS}?[.,;:!?)\]]*$", re.IGNORECASE
)
# A minus after words excludes a year ("annual report -2019"), unless a unit follows the year.
_YEAR = re.compile(r"(?:19|20)\d\d[.,;:!?)\]]*$")
_UNIT = re.compile(rf"\s+{_UNITS}")
_EDGES = ".,;:!?()[]{}"
_QUESTION = re.compile(r"[?\uff1f\u061f][\"')\]\u201d\u2019\u00bb\s]*$")
# Keywords have fewer stop words than a sentence. One is enough if a question mark ends the query.
_SENTENCE_STOP_WORDS = 3
_QUESTION_STOP_WORDS = 1


class Query(Struct, frozen=True):
    """A parsed query.

    ``text`` is embedded: the free words and those of quotes, as typed. ``terms`` are its folded
    words. ``phrases`` must occur; they are the quotes among keywords, but not those inside a
    sentence, which define or name something. With ``last_word_open`` the last word may be
    incomplete. Notes explain parts that may not have been parsed as the person meant them.
    """

    text: str = ""
    terms: tuple[str, ...] = ()
    last_word_open: bool = False
    phrases: tuple[str, ...] = ()
    excluded_words: tuple[str, ...] = ()
    excluded_phrases: tuple[str, ...] = ()
    filters: Filters = field(default_factory=Filters)
    notes: tuple[Note, ...] = ()

    def __bool__(self) -> bool:
        """Whether the query is not empty."""
        return bool(self.terms or self.filters)

    def to_values(self) -> dict[str, Any]:
        """The parsed query as JSON-able values, without empty ones."""
        plain = from_json(to_json(self))
        filters = plain["filters"].items()
        plain["filters"] = {name: _known(value) for name, value in filters if _used(value)}
        return {name: value for name, value in plain.items() if _used(value)}


class Clause(Struct, frozen=True):
    """A part of a query that is not a free word, at ``text[start:end]``.

    ``operator`` is the name of an operator, "" for a phrase (``quoted``) or an excluded word.
    ``value`` is the typed value without quotes.
    """

    start: int
    end: int
    operator: str
    value: str
    excluded: bool = False
    quoted: bool = False


def clauses(text: str) -> tuple[Clause, ...]:
    """Find the filters, phrases and excluded words that ``parse`` understands, in their order."""
    text = text[:MAX_CHARACTERS]
    sentence = _is_sentence(text)
    found = (_clause(match, text) for match in _scan(text))
    every = (one for one in found if isinstance(one, Clause))
    # Quotes in a sentence are not clauses.
    return tuple(one for one in every if not sentence or one.operator or one.excluded)


def without(text: str, clause: Clause) -> str:
    """Remove a clause from the query that it was parsed from."""
    before, after = text[: clause.start].rstrip(), text[clause.end :].lstrip()
    if not before or not after:
        return before or after
    return f"{before} {after}"


def without_filters_of(text: str, other: str) -> str:
    """Remove the filters from a query that another query has too."""
    gone = {(each.operator, each.value, each.excluded) for each in clauses(other) if each.operator}
    for clause in reversed(clauses(text)):
        if (clause.operator, clause.value, clause.excluded) in gone:
            text = without(text, clause)
    return text


def parse(text: str) -> Query:
    """Parse a query. Never fails.

    ``text`` is the typed text; a trailing space means that the last word is complete.
    """
    draft = _Draft()
    if len(text) > MAX_CHARACTERS:
        draft.note("query_cut", limit=f"{MAX_CHARACTERS:,}")
        text = text[:MAX_CHARACTERS]
    draft.sentence = _is_sentence(text)
    for match in _scan(text):
        draft.handle(match, _clause(match, text))
    draft.last_is_word &= bool(text) and not text[-1].isspace()
    return draft.finish()


def _scan(text: str) -> Iterator[re.Match[str]]:
    """Scan a query into tokens. The offsets are those of ``text``, from which values are taken."""
    return _TOKEN.finditer(_GERSHAYIM.sub("\u05f4", text.translate(_QUOTES)))


def _is_sentence(text: str) -> bool:
    """Whether the words outside quotes form a sentence, in any language.

    A query that begins with a quote is never a sentence, as it is about that phrase.
    """
    found = [match for match in _scan(text) if not match["stray"]]
    if found and not found[0]["word"] and not found[0]["name"]:
        return False
    free = words(" ".join(one["word"] for one in found if one["word"] and not one["minus"]))
    empty = max(sum(word in each for word in free) for each in STOP_WORDS.values())
    needed = _QUESTION_STOP_WORDS if _QUESTION.search(text) else _SENTENCE_STOP_WORDS
    return needed <= empty < len(free)


def _clause(match: re.Match[str], text: str) -> Clause | Note | None:
    """Return the clause of a token, None for a free word, or a note why a filter is invalid.

    ``text`` is the query before quotes were normalised.
    """
    if match["stray"]:
        return None
    if match["name"]:
        return _operator_clause(match, text)
    if match["word"] is None:
        phrase = match["phrase"] or match["guillemets"] or ""
        if not words(_folded(phrase)):
            return None
        return Clause(*match.span(), "", phrase.strip(), bool(match["minus"]), quoted=True)
    if _excludes_word(match, text):
        return Clause(*match.span(), "", match["word"].strip(_EDGES), excluded=True)
    return None


def _excludes_word(match: re.Match[str], text: str) -> bool:
    """Whether the minus before a word excludes it; in a question "-control" is just a word."""
    if not match["minus"] or not words(match["word"]):
        return False
    before = text[: match.start()].split()
    is_year = before and _YEAR.match(match["word"]) and not _UNIT.match(text, match.end())
    if _NEGATIVE.match(match["word"]) and not is_year:
        return False
    opens = all(word.startswith("-") or ":" in word for word in before)
    return opens or _QUESTION.search(text) is None


def _operator_clause(match: re.Match[str], text: str) -> Clause | Note:
    """Return a filter with its value, or a note why it is invalid."""
    operator, minus = OPERATORS.get(match["name"].lower()), bool(match["minus"])
    quoted = match["value"] is None
    value = text[slice(*match.span("quoted" if quoted else "value"))].strip()
    if operator is None:
        return Note("no_operator", {"name": match["name"]})
    if minus and not operator.can_be_excluded:
        return Note("not_excludable", {"name": operator.name})
    try:
        _with_condition(Filters(), operator, value, minus=minus)
    except ValueError as error:
        return Note("not_a_value", {"typed": match[0], "reason": str(error)})
    return Clause(*match.span(), operator.name, value, minus, quoted)


class _Draft:
    """A query while it is parsed."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.notes: list[Note] = []
        self.last_is_word = False
        self.sentence = False  # whether quotes are not phrases
        self._phrases: list[str] = []
        self._excluded_words: list[str] = []
        self._excluded_phrases: list[str] = []
        self._filters = Filters()

    def handle(self, match: re.Match[str], read: Clause | Note | None) -> None:
        """Add one token; ``read`` is what ``_clause`` returned for it."""
        if match["stray"]:
            self.last_is_word &= not match["stray"].isspace()
            return
        self.last_is_word = False
        if isinstance(read, Note):
            self.note(read.code, **read.detail)
            self._word(match[0].replace('"', ""))
        elif read is None:
            if match["word"]:
                self._word(match[0])
        elif read.operator:
            operator = OPERATORS[read.operator]
            self._filters = _with_condition(
                self._filters, operator, read.value, minus=read.excluded
            )
        elif read.quoted:
            self._phrase(_folded(read.value), excluded=read.excluded)
        else:
            self._excluded_words.append(clean(read.value).strip(_EDGES))

    def note(self, code: str, **detail: str) -> None:
        """Add a note with a phrase of ``indexer.api.phrases``."""
        self.notes.append(Note(code, {name: clean(value) for name, value in detail.items()}))

    def finish(self) -> Query:
        text = _folded(" ".join(self.words))
        left_out = self._excluded_words or self._excluded_phrases
        if left_out and not text and not self._filters:
            self.note("only_left_out")
        if text and not words(text) and not self._filters:
            self.note("only_signs", typed=text)
        return Query(
            text=text,
            terms=tuple(words(text)),
            last_word_open=self.last_is_word and bool(words(text)),
            phrases=tuple(self._phrases),
            excluded_words=tuple(self._excluded_words),
            excluded_phrases=tuple(self._excluded_phrases),
            filters=self._filters,
            notes=tuple(note for at, note in enumerate(self.notes) if note not in self.notes[:at]),
        )

    def _word(self, word: str) -> None:
        without_value = _NO_VALUE.match(word)
        if without_value is not None and without_value[1].lower() in OPERATORS:
            self.note("no_value", typed=word)
        self.words.append(word)
        self.last_is_word = True

    def _phrase(self, phrase: str, *, excluded: bool) -> None:
        if excluded:
            self._excluded_phrases.append(phrase)
            return
        self.words.append(phrase)
        if not self.sentence:
            self._phrases.append(phrase)


def _with_condition(filters: Filters, operator: Operator, value: str, *, minus: bool) -> Filters:
    """The filters with one more condition.

    Raises ``ValueError`` with a code of ``indexer.api.phrases`` if the value is invalid.
    """
    if operator.read is None or not value:
        raise ValueError("value_missing")
    name = f"not_{operator.field}" if minus else operator.field
    before, read = getattr(filters, name), operator.read(value)
    if isinstance(read, DateRange):
        read = DateRange(
            max(filter(None, (before.first, read.first)), default=None),
            min(filter(None, (before.last, read.last)), default=None),
        )
    elif isinstance(read, NumberRange):
        firsts = [edge for edge in (before.first, read.first) if edge is not None]
        lasts = [edge for edge in (before.last, read.last) if edge is not None]
        labels = tuple(dict.fromkeys((*before.labels, *read.labels)))
        read = NumberRange(max(firsts, default=None), min(lasts, default=None), labels)
    elif isinstance(read, tuple):
        read = tuple(dict.fromkeys((*before, *read)))
    return replace(filters, **{name: read})


def _folded(text: str) -> str:
    """Fold text as in the search view, so that pasted text is found."""
    return " ".join(make_view(clean(text)).text.split())


def _used(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_used, value.values()))
    return bool(value)


def _known(value: object) -> object:
    """Leave out the open ends of a range."""
    if isinstance(value, dict):
        return {name: item for name, item in value.items() if item is not None}
    return value
