"""What a comparison of two documents answers: the statements that the other one lacks.

Owns its fields; offsets are code points of the canonical text, paths absolute text. Standard
library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that states something, and where: ``start`` and ``end`` in the canonical text."""

    page: int
    page_last: int
    start: int
    end: int
    heading_path: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class LoneStatement(Statement):
    """A statement that the other document lacks; ``near`` is what comes closest there."""

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
        alone: How many of them the other document lacks.
        only: Those, in order; the most different where there are too many.
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
    """Two statements that say the same but for a number or a negation."""

    first: Statement
    second: Statement


@dataclass(frozen=True, slots=True)
class Comparison:
    """What each of two documents states that the other does not.

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
