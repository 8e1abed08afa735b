"""The answers to comparisons: of two documents, and of a text with the whole library.

Owns its fields; offsets are code points of the canonical text, paths absolute text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from indexer.api.types import Hit, Span


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence and its place: ``start`` and ``end`` are offsets into the canonical text.

    ``original`` is that range of it; ``text`` is without hyphens at the ends of lines and headings.
    """

    page: int
    page_last: int
    start: int
    end: int
    heading_path: tuple[str, ...]
    text: str
    original: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class LoneStatement(Statement):
    """A statement that only one document has; ``near`` is the closest one of the other."""

    near: Statement | None
    cosine: float

    @classmethod
    def beside(cls, statement: Statement, near: Statement | None, cosine: float) -> Self:
        return cls(
            statement.page, statement.page_last, statement.start, statement.end,
            statement.heading_path, statement.text, near, cosine, original=statement.original,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ComparisonSide:
    """One side of a comparison.

    Attributes:
        statements: How many were compared.
        alone: How many of them the other document does not have.
        only: Those, in order; the most different if there are too many.
    """

    path: str
    file: str
    title: str
    format: str
    pages: int
    statements: int
    alone: int
    only: tuple[LoneStatement, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Two counterparts that differ in a number or a negation.

    Attributes:
        first_marks: The numbers, dates and names of the first that the second does not have, as
            offsets into its text; ``second_marks`` likewise.
    """

    first: Statement
    second: Statement
    first_marks: tuple[Span, ...] = ()
    second_marks: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Parallel:
    """A sentence that says nearly what another one says.

    Attributes:
        hit: Its passage; ``hit.best`` is the sentence.
        source: The sentence that it is like.
        cosine: Of the two.
        same: They share most of their words, too.
        marks: The numbers, dates and names of the sentence that the other one does not have, as
            offsets into ``hit.text``; ``source_marks`` likewise, into ``source``.
        pairs: What stands for what: in the source, in the sentence.

    Values are compared only if they are the ``same``.
    """

    hit: Hit
    source: str
    cosine: float
    same: bool
    marks: tuple[Span, ...]
    source_marks: tuple[Span, ...]
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The statements that only one of two documents has.

    Attributes:
        changes: How many counterparts differ in a number or a negation; some in ``changed``.
        border: The cosine from which statements count as the same.
    """

    first: ComparisonSide
    second: ComparisonSide
    changes: int
    changed: tuple[Change, ...]
    border: float
    seconds: float
