"""Records that describe how models read text, and the models that are published on a hub.

Code reads these fields and never branches on the name of a model. ``PUBLISHED`` is the content of
``resources/models/published.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from indexer.api.codec import decode
from indexer.api.models import ModelInfo, ModelState, Origin
from indexer.config import Precision

TOKENIZER = "tokenizer.json"
# The version of the graphs' results. Graphs that only compute more exactly keep it, so that nothing
# is embedded again.
_NUMBERS = 7
_LAYERS = 12
# Versions of the layout of a sequence, which are part of a space's name.
LATE, ALONE = "late-3", "alone-1"


class Pooling(StrEnum):
    """How a vector is computed from token states."""

    MEAN = "mean"
    CLS = "cls"  # the state of the first token
    LAST = "last"  # the state of the last token


class PoolScope(StrEnum):
    """The tokens over which mean pooling averages the vector of a passage."""

    SEQUENCE = "sequence"  # title, headings, passage and special tokens
    PASSAGE = "passage"  # the passage's own tokens


class Side(StrEnum):
    """The texts that an encoder reads. Some models have one for each (``ModelRecord.adapted``)."""

    PASSAGES = "passages"
    QUERIES = "queries"


class ModelFile(Struct, frozen=True):
    """A file of a model's folder, with its SHA-256 and its size in bytes."""

    name: str
    sha256: str
    size: int


class GraphFile(Struct, frozen=True):
    """An ONNX file of a model; ``data`` are the files beside it with its weights.

    ``side`` is set for a model with two encoders. A ``card`` graph is made for accelerators: it
    reads sequences of different lengths in one batch, and sums states itself.
    """

    name: str
    precision: Precision
    side: Side | None = None
    card: bool = False
    data: tuple[str, ...] = ()


class ModelContent(Struct, frozen=True):
    """The content of a model's folder; ``made`` identifies the source of its graphs."""

    graphs: tuple[GraphFile, ...]
    files: tuple[ModelFile, ...]
    made: str = ""

    def find_graph(self, precision: Precision, side: Side, *, card: bool) -> GraphFile | None:
        """The graph of a precision, else the float32 graph; None if the side has no graph."""
        own = [each for each in self.graphs if each.side in {side, None}]
        fits = [each for each in own if each.precision in {precision, Precision.FP32}]
        usable = [each for each in fits if card or not each.card or each.precision is precision]
        return max(
            usable, key=lambda each: (each.precision is precision, each.card == card), default=None
        )


class ModelRecord(Struct, frozen=True):
    """The properties of one model.

    ``window`` is the longest sequence in tokens, including special tokens. ``late`` says whether
    the model was trained for late chunking, i.e. to pool passages inside a whole window, which
    requires mean pooling. If not, each passage is encoded alone. ``overlap`` is the number of
    tokens that two windows share. Without mean pooling a sentence has the vector of its passage.

    If ``query_window`` is not 0, the model has two encoders. The encoder of queries reads up to
    ``query_window`` tokens; all other fields describe the encoder of passages. For the tokens that
    are pooled in a query, see ``OnnxEmbedder.query_states``.

    ``(cosine - cosine_centre) / cosine_spread`` maps cosines of questions and passages to the
    distribution of MiniLM's cosines, to which ranking is fitted. ``cosine_between`` is the centre
    of cosines of two passages.

    ``edition`` is part of the name of the model's space, as vectors of different files with one id
    must not be mixed. A model from a hub has the ``repository`` and the commit that was fetched
    (``revision``).

    """

    id: str
    dimension: int
    vocabulary: int
    pooling: Pooling
    pool_scope: PoolScope
    window: int
    late: bool
    overlap: int
    max_prefix: int  # the most tokens of title and headings
    query_prefix: str
    document_prefix: str
    languages: tuple[str, ...]  # ISO 639-1; empty if not known
    licence: str | None  # licence of the weights, as an SPDX expression; None if unknown
    homepage: str = ""
    edition: str = ""
    query_window: int = 0
    cosine_centre: float = 0.0
    cosine_spread: float = 1.0
    cosine_between: float = 0.0
    repository: str = ""
    revision: str = ""
    layers: int | None = None  # of the encoder of passages
    parameters: int | None = None  # of both encoders together, if there are two

    @property
    def adapted(self) -> bool:
        """Whether queries and passages have different encoders."""
        return self.query_window > 0

    @property
    def depth(self) -> int:
        """The layers of the encoder of passages; the usual number if unknown."""
        return self.layers or _LAYERS

    def encoder_of(self, side: Side) -> ModelRecord:
        """The record of one encoder as a separate model; the same record if it has only one."""
        if not self.adapted or side is Side.PASSAGES:
            return self
        scope = PoolScope.SEQUENCE
        return replace(self, window=self.query_window, late=False, pool_scope=scope)


def space_of(record: ModelRecord, precision: Precision) -> str:
    """The name of the space of a model's vectors. Vectors of equal spaces are comparable."""
    mode = LATE if record.late else ALONE
    edition = f"/{record.edition}" if record.edition else ""
    return f"{record.id}/{precision}-{_NUMBERS}/{mode}{edition}"


HUB = "https://huggingface.co/"


def completed(record: ModelRecord, card: ModelInfo, revision: str) -> ModelRecord:
    """Complete a record, read from the files of a commit, with values from the model's card."""
    return replace(
        record,
        repository=card.repository,
        revision=revision,
        languages=card.languages or (),
        licence=card.licence,
        homepage=card.homepage or "",
        query_prefix=record.query_prefix or card.query_prefix or "",
        document_prefix=record.document_prefix or card.document_prefix or "",
    )


def _published(facts: dict[str, Any]) -> ModelInfo:
    repository = facts["repository"]
    own = {"id": repository.rpartition("/")[2], "homepage": HUB + repository, "late": False}
    state = {"origin": Origin.PUBLISHED, "state": ModelState.ABSENT}
    return decode(ModelInfo, {**own, **state, **facts})


_CARDS = Path(__file__).resolve().parents[2] / "resources" / "models" / "published.json"
PUBLISHED: Mapping[str, ModelInfo] = {
    row.id: row for row in map(_published, json.loads(_CARDS.read_text("utf-8")))
}
