"""Rows for tests of the store: passages of words, and vectors that stand for them."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import asdict

from indexer.api.types import Passage
from indexer.store.values import MAX_ORDINAL, PassageRow, Phrase, StoredPassage, VectorRows, key_of
from indexer.text import terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

DIMENSION = 32


def passage(ordinal: int, text: str, *, view: str | None = None, stems: str = "") -> Passage:
    view = text if view is None else view
    return Passage(
        ordinal=ordinal,
        page_first=ordinal + 1,
        page_last=ordinal + 1,
        char_start=0,
        char_end=len(text),
        heading_path=("Part", f"Chapter {ordinal}"),
        text=text,
        view=view,
        text_starts=(0,),
        view_starts=(0,),
        stems=stems or terms.stems(view, "en"),
    )


def rows(doc: int, texts: Sequence[str], first: int = 0) -> list[PassageRow]:
    return [
        PassageRow(doc, f"text-{doc}", "en", passage(first + i, text))
        for i, text in enumerate(texts)
    ]


def phrases(*ways: str) -> list[Phrase]:
    """One phrase that may be written in some ways, in passages of ``rows``."""
    return [Phrase(ways, ("en",))]


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    made: NDArray[np.float32] = (vectors / norms).astype(np.float32)
    return made


def vector_for(doc: int, ordinal: int) -> NDArray[np.float32]:
    """Always the same unit vector for the same passage."""
    seed = zlib.crc32(f"{doc}/{ordinal}".encode())
    return unit(np.random.default_rng(seed).standard_normal(DIMENSION, np.float32))


def vectors(doc: int, ordinals: Sequence[int], sentences: int = 2) -> VectorRows:
    made = np.stack([vector_for(doc, ordinal) for ordinal in ordinals])
    return VectorRows(
        keys=np.array([key_of(doc, ordinal) for ordinal in ordinals], np.int64),
        vectors=made,
        sentences=np.repeat(made, sentences, axis=0),
        offsets=np.arange(len(ordinals) + 1, dtype=np.int64) * sentences,
    )


def ordinals_of(keys: NDArray[np.int64]) -> list[int]:
    """The ordinals of passages within their documents."""
    return [key & MAX_ORDINAL for key in keys.tolist()]


def stored_passage(text: str, **known: object) -> StoredPassage:
    """A passage as it is read back, on page 1; ``known`` are other fields."""
    made = asdict(passage(0, text)) | {"page_first": 1, "page_last": 1}
    stored: dict[str, Any] = {**made, "doc": 1, "text_id": "text", "language": "en", **known}
    return StoredPassage(**stored)
