"""What a record says of a late-interaction model. It must not know how one is run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interaction:
    """How a late-interaction model reads, whose vectors are of single tokens.

    It is ColBERT (Khattab and Zaharia, 2020), with the names of PyLate's files.

    Attributes:
        query_marker: The token after the first one of a query; empty without.
        passage_marker: The same of a passage.
        query_tokens: A query is cut to so many, special ones and the marker included.
        expansion: The token that fills a query up to them; empty without.
        attended: Whether the tokens of a query attend to those that fill it.
        skipped: Tokens of passages that get no vector.
        pooled: How many vectors of a passage become one (Clavié et al., 2024); 1 for all of them.
    """

    query_marker: str = ""
    passage_marker: str = ""
    query_tokens: int = 32
    expansion: str = ""
    attended: bool = False
    skipped: tuple[str, ...] = ()
    pooled: int = 2

    @property
    def unattended(self) -> bool:
        """Whether a query ends in tokens that no token attends to."""
        return bool(self.expansion) and not self.attended
