"""Finds exact phrases in a passage. Pure; it must not know what is done with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.search.explain_match import find_in_text
from indexer.text.terms import word_spans, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.api.types import Span


def phrase_spans(passage: Mapping[str, Any], phrases: Sequence[str]) -> tuple[Span, ...]:
    """Return the spans of phrases in a passage, as offsets into its ``text``, ascending.

    Args:
        passage: With ``text`` and ``view``.
        phrases: As they were quoted; only words are compared, not what separates them.
    """
    spans = word_spans(passage["view"])
    found = [passage["view"][first:last] for first, last in spans]
    flat = [(at, word) for at, shown in enumerate(found) for word in words(shown)]
    runs = {
        (flat[start][0], flat[start + len(sequence) - 1][0])
        for sequence in filter(None, map(words, phrases))
        for start in range(len(flat) - len(sequence) + 1)
        if [word for _, word in flat[start : start + len(sequence)]] == sequence
    }
    if not runs:
        return ()
    places = find_in_text(passage["text"], passage["view"], spans)
    ends = ((places[first], places[last]) for first, last in sorted(runs))
    return tuple((first[0], last[1]) for first, last in ends if first and last)
