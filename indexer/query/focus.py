"""Finds the question in a query that also has context.

In "Consider the lease with Acme; when does it end?" the context identifies the document. Therefore
documents are ranked by the whole query, and pages by the question as well. The question is the
clause with a question mark. Without a question mark the library helps, as it knows the words that
name a document: a clause that is mostly such words is context. If several clauses remain, those
that begin like a question are the question. A part of it between commas that has many names is
context too. A query of one part is its own question. All functions here are pure.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import pairwise

from indexer.text.sentences import split_sentences
from indexer.text.stop_words import ALL_STOP_WORDS
from indexer.text.terms import word_spans, words

# A semicolon or colon separates a question as a full stop does.
_CLAUSE_END = re.compile(r"[;:]\s+(?=\S)")
# A Latin, Arabic or Chinese comma. A comma inside a number has no space after it.
_COMMA = re.compile(r"[,\u060c][\"'\u201d\u2019]*\s+(?=\S)|\uff0c(?=\S)")
_ASKS = re.compile(
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|has|have|had|"
    r"can|could|should|would|will|may|among|under what|in which|to what|for which)\b",
    re.IGNORECASE,
)
_CLOSING = "\"'\u201d\u2019)]\u00bb "
_QUESTION_MARKS = ("?", "\uff1f", "\u061f")
# A question keeps at least this many words when the words of a name are removed.
_FEWEST_LEFT = 2
# A clause is context if this share of its words, without stop words, belongs to names.
NAMING = 0.5
# Parts between commas are context if they have this many more words of names than other words.
MORE_NAMES = 3
# A question of one or two words ("Why?") has no meaning without its context.
FEWEST_WORDS = 3


def split_clauses(query: str) -> list[str]:
    """Cut a query at the ends of sentences, at semicolons and at colons.

    >>> split_clauses("Consider the lease; when does it end?")
    ['Consider the lease;', 'when does it end?']
    """
    starts = {0, *split_sentences(query)}
    starts.update(found.end() for found in _CLAUSE_END.finditer(query))
    borders = [*sorted(starts), len(query)]
    parts = (query[low:high].strip() for low, high in pairwise(borders))
    return [part for part in parts if part]


def question(query: str, names: frozenset[str] = frozenset()) -> str:
    """Return the question in a query, or all of it if there is none.

    >>> question("Consider the lease with Acme; when does it end?")
    'when does it end?'
    >>> question("Acme lease: the end of it", frozenset({"acme", "lease"}))
    'the end of it'
    >>> question("retention of title")
    'retention of title'

    Args:
        query: The whole query.
        names: The folded words that name a document in this library.
    """
    parts = split_clauses(query)
    if len(parts) < 2:
        return query
    asking = [part for part in parts if part.rstrip(_CLOSING).endswith(_QUESTION_MARKS)]
    if not asking:
        left = [part for part in parts if not _names(part, names)]
        asking = [part for part in left if _ASKS.match(part)] or left
    found = " ".join(asking)
    return found if len(found.split()) >= FEWEST_WORDS else query


def _names(clause: str, names: frozenset[str]) -> bool:
    """Whether most words of a clause belong to names."""
    found = [word for word in words(clause) if word not in ALL_STOP_WORDS]
    return bool(found) and sum(word in names for word in found) >= NAMING * len(found)


def without_context(question: str, names: frozenset[str]) -> str:
    """Return a question without the parts between commas that say which document is meant.

    In these neighbouring parts, words of names most outnumber other words, stop words aside. The
    whole question is returned if they do not by much, or if hardly anything else is left.

    >>> names = frozenset({"acme", "lamp", "lease"})
    >>> without_context("In the lease of Acme to Lamp, when is the rent due?", names)
    'when is the rent due?'
    >>> without_context("Of the lease, when is the rent due?", names)
    'Of the lease, when is the rent due?'

    Args:
        names: The folded words that name a document, and those of names in its first lines.
    """
    ends = (found.end() for found in _COMMA.finditer(question))
    outside = (end for end in ends if question.count("(", 0, end) <= question.count(")", 0, end))
    borders = [0, *outside, len(question)]
    parts = [question[low:high] for low, high in pairwise(borders)]
    best = beyond = low = high = begin = 0
    for at, part in enumerate(parts):
        if beyond <= 0:
            beyond, begin = 0, at
        beyond += _names_beyond(part, names)
        if beyond > best:
            best, low, high = beyond, begin, at + 1
    left = "".join(parts[:low] + parts[high:]).rstrip()
    return left if best >= MORE_NAMES and len(left.split()) >= FEWEST_WORDS else question


def _names_beyond(part: str, names: frozenset[str]) -> int:
    """By how much words of names outnumber other words in a text, without stop words."""
    found = [word for word in words(part) if word in names or word not in ALL_STOP_WORDS]
    return sum(1 if word in names else -1 for word in found)


def without_words(question: str, left_out: frozenset[str]) -> str:
    """Return a question without some folded words, or all of it if hardly anything is left.

    Words with digits stay, as the year of a report is also the head of its columns.

    >>> without_words("Acme Robotics: governing law", frozenset({"acme", "robotics"}))
    'governing law'
    >>> without_words("the lease", frozenset({"lease"}))
    'the lease'
    """
    shown = [question[start:end] for start, end in word_spans(question)]
    kept = [
        one for one in shown if any(map(str.isdigit, one)) or not left_out.issuperset(words(one))
    ]
    return " ".join(kept) if _FEWEST_LEFT <= len(kept) < len(shown) else question


def places_of(part: str, query: str) -> list[tuple[int, int]]:
    """Return the places in a query of the words of a part, which another function returned.

    >>> query = "Of the lease of Acme, when is the lease due?"
    >>> [query[start:end] for start, end in places_of("when is the lease due?", query)]
    ['when', 'is', 'the', 'lease', 'due']
    >>> places_of("when is the lease due?", query)[0]
    (22, 26)
    """
    spans = word_spans(query)
    shown = [query[start:end] for start, end in spans]
    asked = [part[start:end] for start, end in word_spans(part)]
    same = SequenceMatcher(None, shown, asked, autojunk=False).get_matching_blocks()
    return [span for block in same for span in spans[block.a : block.a + block.size]]
