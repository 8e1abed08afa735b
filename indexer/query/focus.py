"""The question in a query, apart from its context.

In "Consider the lease with Acme; when does it end?" the context says which document is meant, so
ranking weighs documents by the whole query and pages by the question as well. A query of one part
is its own question. Pure functions of text.
"""

from __future__ import annotations

import re
from itertools import pairwise

from indexer.text.sentences import split

# A semicolon or colon sets a question off as a full stop does.
_CLAUSE_END = re.compile(r"[;:]\s+(?=\S)")
_ASKS = re.compile(
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|has|have|had|"
    r"can|could|should|would|will|may|among|under what|in which|to what|for which)\b",
    re.IGNORECASE,
)
_CLOSING = "\"'\u201d\u2019)]\u00bb "
_QUESTION_MARKS = ("?", "\uff1f", "\u061f")
# A question of one word ("Why?") says nothing without what stands around it.
FEWEST_WORDS = 3


def split_clauses(query: str) -> list[str]:
    """Cut a query at sentences, semicolons and colons; the parts make up the query.

    >>> split_clauses("Consider the lease; when does it end?")
    ['Consider the lease;', 'when does it end?']
    """
    starts = {0, *split(query)}
    starts.update(found.end() for found in _CLAUSE_END.finditer(query))
    borders = [*sorted(starts), len(query)]
    parts = (query[low:high].strip() for low, high in pairwise(borders))
    return [part for part in parts if part]


def question(query: str) -> str:
    """Return the part of a query that asks, or all of it where none stands out.

    >>> question("Consider the lease with Acme; when does it end?")
    'when does it end?'
    >>> question("retention of title")
    'retention of title'
    """
    parts = split_clauses(query)
    if len(parts) < 2:
        return query
    asking = [part for part in parts if part.rstrip(_CLOSING).endswith(_QUESTION_MARKS)]
    if not asking:
        asking = [part for part in parts if _ASKS.match(part)]
    found = " ".join(asking)
    return found if len(found.split()) >= FEWEST_WORDS else query
