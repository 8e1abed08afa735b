"""The answer to a comparison of two documents: the statements that only one of them has.

Owns its fields; offsets are code points of the canonical text, paths absolute text. Standard
library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence and its place: ``start`` and ``end`` are offsets into the canonical text."""

    page: int
    page_last: int
    start: int
    end: int
    heading_path: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class LoneStatement(Statement):
    """A statement that only one document has; ``near`` is the closest one of the other."""

    near: Statement | None
    cosine: float

    @classmethod
    def beside(cls, statement: Statement, near: Statement | None, cosine: float) -> Self:
        return cls(
            statement.page, statement.page_last, statement.start, statement.end,
            statement.heading_path, statement.text, near, cosine,
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
    """Two counterparts that differ in a number or a negation."""

    first: Statement
    second: Statement


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
