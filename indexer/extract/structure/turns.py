"""The labels of speakers' turns, which look like headings and come again and again.

Owns telling them apart, line by line as a document is read. It must not know any format. Pure.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from dataclasses import dataclass, field

# The label of a turn ("Grad C: Nice."), or a name with a time beside it.
_TURN = re.compile(
    r"\W*(?P<label>[^\W\d_][^:\uff1a\n]{0,40}?)\s*"
    r"(?:[\[(]?\d{1,2}(?::\d\d)+[\])]?|(?::\s+|\uff1a)\S.*)\s*$"
)
_TURNS = 3  # lines with one label that make it a speaker
_RECENT = 40  # possible headings among which the names of speakers take turns
_LONGEST = 40  # characters of a name that stands alone
_MAX_LABELS = 10_000  # when there are more, those that came once are forgotten


@dataclass(slots=True)
class Turns:
    """Counts labels; ``begins`` is valid when all lines were added."""

    _labels: Counter[str] = field(default_factory=Counter)
    _recent: deque[str] = field(default_factory=lambda: deque(maxlen=_RECENT))
    _speakers: set[str] = field(default_factory=set)

    def add(self, line: str) -> None:
        """Add a line that may be, or begin with, a label."""
        if found := _TURN.match(line):
            self._labels[found["label"]] += 1
            if len(self._labels) > _MAX_LABELS:
                self._labels = Counter({k: n for k, n in self._labels.items() if n > 1})

    def add_alone(self, text: str) -> None:
        """Add a block that would be a heading: a name above what its bearer says.

        Headings come again too ("Overview"), but between headings that do not; names of speakers
        come again between each other.
        """
        self._recent.append(text if len(text) <= _LONGEST else "")
        recent = list(self._recent)
        often = {label for label, count in Counter(recent).items() if label and count >= _TURNS}
        if text in often:
            between = sum(
                one != text == middle != other and {one, other} <= often
                for one, middle, other in zip(recent, recent[1:], recent[2:], strict=False)
            )
            if between >= _TURNS - 1:
                self._speakers.add(text)

    def begins(self, line: str) -> bool:
        """Return whether a line begins a turn."""
        found = _TURN.match(line)
        return line in self._speakers or bool(found and self._labels[found["label"]] >= _TURNS)
