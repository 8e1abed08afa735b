"""Notes that the library lacks what a query names: a phrase, or a name however it is written.

"J P Morgan", "JP Morgan" and "JPMorgan" are one name, so neighbouring words are looked for joined,
and a single word in parts that stand side by side. Owns these notes. It must not rank.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from indexer.api.phrases import Note
from indexer.search.named_entities import written_names
from indexer.store.values import Phrase
from indexer.text.name_words import MAX_TOGETHER, neighbours
from indexer.text.terms import stop_words, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from indexer.query.grammar import Query
    from indexer.search.lexicon import LexiconReader
    from indexer.search.query_terms import QueryTerms
    from indexer.store.store import Store

# The longest word that is looked for in parts, and how many ways to part it are searched.
LONGEST = 20
SEARCHED = 8


def unknown_names(
    terms: QueryTerms, joined: frozenset[str], reading: LexiconReader, store: Store
) -> tuple[Note, ...]:
    """A note on the names in a query that nothing in the library stands for.

    None for a query in another language, most words of which are unknown; nor for the last word
    while it is typed. A small library lacks stop words of its own language too.

    Args:
        terms: Of the query.
        joined: Folded words that the library has as parts of others, or in parts.
        reading: The library's words.
        store: Its passages.
    """
    unknown = terms.unknown.difference(joined, *map(stop_words, terms.languages))
    if not unknown or 2 * len(unknown) > len(terms.words) or terms.has_prefix:
        return ()
    names = written_names(terms.text, unknown)
    if names:
        unknown &= {word for name in names for word in words(name)}
        unknown -= _joined(terms.text, reading)
        unknown = frozenset(
            word for word in unknown if not _stands_apart(word, terms.languages, reading, store)
        )
        names = written_names(terms.text, unknown)
    return (Note("name_nowhere", {"names": _quoted(names)}),) if names else ()


def unknown_phrases(query: Query) -> Note:
    """The note that no passage contains the phrases of a query."""
    return Note("phrase_nowhere", {"phrases": _quoted(query.phrases)})


def _joined(text: str, reading: LexiconReader) -> frozenset[str]:
    """The neighbouring words of a query that the library runs together."""
    runs = neighbours(words(text))
    known = reading.df(list(map("".join, runs)))
    return frozenset(word for run in runs if known["".join(run)] for word in run)


def _stands_apart(
    word: str, languages: tuple[str, ...], reading: LexiconReader, store: Store
) -> bool:
    """Whether a passage has a word in parts, one behind the other."""
    if len(word) > LONGEST:
        return False
    ends = range(1, len(word) + 1)
    known = reading.df(list({word[start:end] for end in ends for start in range(end)}))
    parted = (
        parts
        for count in range(2, MAX_TOGETHER + 1)
        for parts in _parted(word, count, {part for part, found in known.items() if found})
    )
    ways = tuple(" ".join(one) for one in islice(parted, SEARCHED))
    return len(store.phrases([Phrase(ways, languages)], 1)) > 0


def _parted(word: str, count: int, known: Collection[str]) -> Iterator[tuple[str, ...]]:
    """The ways to part a word into so many known ones.

    >>> list(_parted("jpmorgan", 2, {"j", "p", "jp", "morgan"}))
    [('jp', 'morgan')]
    >>> list(_parted("jpmorgan", 3, {"j", "p", "jp", "morgan"}))
    [('j', 'p', 'morgan')]
    """
    if count == 1:
        yield from [(word,)] if word in known else []
        return
    for at in range(1, len(word)):
        if word[:at] in known:
            yield from ((word[:at], *rest) for rest in _parted(word[at:], count - 1, known))


def _quoted(texts: Iterable[str]) -> str:
    return ", ".join(f"“{one}”" for one in texts)
