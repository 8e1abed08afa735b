"""The input and output types of an embedder, and the prefix of a passage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from indexer.api.types import HEADING_SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class EmbedInput:
    """One passage to embed; ``title`` and ``heading_path`` become a prefix of ``view``.

    Sentence ``i`` is ``view[view_starts[i]:view_starts[i + 1]]``; ``view_starts`` begins with 0
    and ascends, and may be empty for an empty view.
    """

    title: str
    heading_path: tuple[str, ...]
    view: str
    view_starts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PassageVectors:
    """The vectors of one passage, each of length 1.

    Attributes:
        vector: float32, shape ``(dimension,)``.
        sentences: float32, shape ``(len(view_starts), dimension)``, from the same run.
        tokens: The tokens the model read for it, prefix and special tokens included. Those shared
            by several passages are counted once, so a sum over passages is right.
    """

    vector: NDArray[np.float32]
    sentences: NDArray[np.float32]
    tokens: int


class Embedder(Protocol):
    """What indexing needs of an embedder. Thread-safe."""

    def encode_batches(
        self,
        passages: Sequence[EmbedInput],
        *,
        runs: Sequence[int] | None = None,
        budget: Callable[[], int] | None = None,
    ) -> Iterator[list[tuple[int, PassageVectors]]]:
        """See ``indexer.embed.embedder.OnnxEmbedder``."""
        ...


def passage_prefix(title: str, heading_path: Sequence[str]) -> str:
    """The prefix of a passage: ``"title. heading path: "``, or ``""``.

    >>> passage_prefix("Annual report", ("Risks",))
    'Annual report. Risks: '
    >>> passage_prefix("Annual report", ())
    'Annual report: '
    """
    headings = HEADING_SEPARATOR.join(part for part in map(_one_line, heading_path) if part)
    parts = [part for part in (_one_line(title), headings) if part]
    return ". ".join(parts) + ": " if parts else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())
