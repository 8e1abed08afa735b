"""The words of a text that its tokens make up, and where a view's words stand in the text it shows.

Owns the way from tokens to what a person can see: words, and offsets into the canonical text. Pure
functions of texts and arrays; it must not know models or documents.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from indexer.text.view import make_view

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Span = tuple[int, int]

_WORD = re.compile(r"\w+(?:['\u2019.,\-]\w+)*")
# Scripts without spaces begin here; there a token is the nearest thing to a word.
_UNSPACED = "\u0e00"
# A word of the view that stands further on than this is another one: a running head is shorter.
_REACH = 600


def word_spans(text: str, starts: NDArray[np.int32]) -> list[Span]:
    """The words of a text, as spans.

    Args:
        text: What was tokenized.
        starts: Where its tokens begin; negative ones are ignored.
    """
    spans: list[Span] = []
    borders = np.unique(starts[starts >= 0])
    for match in _WORD.finditer(text):
        first, last = match.span()
        inside: list[int] = []
        if max(match[0]) >= _UNSPACED:
            inside = borders[(borders > first) & (borders < last)].tolist()
        spans += zip([first, *inside], [*inside, last], strict=True)
    return spans


def owners(spans: list[Span], starts: NDArray[np.int32]) -> NDArray[np.int64]:
    """The word that each token belongs to, as its index; -1 for none.

    Args:
        spans: Words, ascending.
        starts: Where tokens begin, shape (n,); negative ones belong to no word.
    """
    if not spans:
        return np.full(len(starts), -1, np.int64)
    firsts, lasts = np.array(spans, np.int64).T
    at = np.searchsorted(firsts, starts, side="right") - 1
    inside = (at >= 0) & (starts < lasts[at])
    return np.where(inside, at, -1)


def gather(values: NDArray[np.float32], owner: NDArray[np.int64], words: int) -> list[float]:
    """Add up what belongs to each word: (n,) to one number a word, without what has no owner."""
    owned = owner >= 0
    sums = np.bincount(owner[owned], weights=values[owned].astype(np.float64), minlength=words)
    found: list[float] = sums.tolist()
    return found


def find_in_text(text: str, view: str, spans: list[Span]) -> list[Span | None]:
    """Where words of a passage's view stand in its text; None for those that cannot be found.

    The view left out what was furniture on the page and folded the rest in the same way as here,
    so its words follow each other in the text, with gaps at most.

    Args:
        text: Canonical text of the passage.
        view: Its view.
        spans: Words in the view, ascending.
    """
    folded = make_view(text)
    found: list[Span | None] = []
    cursor = 0
    for first, last in spans:
        at = folded.text.find(view[first:last], cursor, cursor + _REACH)
        if at < 0:
            found.append(None)
            continue
        cursor = at + last - first
        found.append((folded.to_canonical(at), folded.to_canonical(cursor - 1) + 1))
    return found
