"""Models as data: what a record says of how a model reads, and those that are published on a hub.

Code reads these fields and never branches on the name of a model. A row of ``PUBLISHED`` names a
repository, an ONNX file in it and how to read it, as far as its card tells; ``indexer.embed.hub``
asks the hub for hashes and revisions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from indexer.api.models import ModelInfo, ModelKind, ModelState, Origin
from indexer.config import Precision

if TYPE_CHECKING:
    from collections.abc import Mapping


TOKENIZER = "tokenizer.json"
# Of the numbers that the graphs compute. Graphs that only compute them more exactly keep it, and
# nothing is embedded again.
_NUMBERS = 7
_LAYERS = 12
# Versions of the layout of a sequence. They are part of a space's name.
LATE, ALONE = "late-3", "alone-1"


class Pooling(StrEnum):
    """How token states become one vector."""

    MEAN = "mean"
    CLS = "cls"  # the state of the first token
    LAST = "last"  # the state of the last token


class PoolScope(StrEnum):
    """The tokens over which mean pooling averages the vector of a passage."""

    SEQUENCE = "sequence"  # title, headings, passage and special tokens
    PASSAGE = "passage"  # the passage's own tokens


class Side(StrEnum):
    """What an encoder reads; some models have an encoder for each (``ModelRecord.adapted``)."""

    PASSAGES = "passages"
    QUERIES = "queries"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file of a model's folder, with its SHA-256 and its size in bytes."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class GraphFile:
    """An ONNX file of a model; ``data`` are the files of its weights, beside it.

    ``side`` is set for a model with two encoders. A ``card`` graph is made for accelerators:
    sequences of any length share a batch, and it sums states itself.
    """

    name: str
    precision: Precision
    side: Side | None = None
    card: bool = False
    data: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelContent:
    """The content of a model's folder; ``made`` identifies what its graphs were compiled from."""

    graphs: tuple[GraphFile, ...]
    files: tuple[ModelFile, ...]
    made: str = ""

    def find_graph(self, precision: Precision, side: Side, *, card: bool) -> GraphFile | None:
        """The graph of a precision, else that of float32; None without one for the side."""
        own = [each for each in self.graphs if each.side in {side, None}]

        def fitness(each: GraphFile) -> tuple[bool, bool]:
            return each.precision is precision, each.card == card

        fits = [each for each in own if each.precision in {precision, Precision.FP32}]
        usable = [each for each in fits if card or not each.card or each.precision is precision]
        return max(usable, key=fitness, default=None)


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """The properties of one model.

    ``window`` is the longest sequence in tokens, special tokens included. ``late`` is whether the
    model was trained for late chunking, i.e. to pool passages inside a whole window, which takes
    mean pooling; if not, each passage is encoded alone. ``overlap`` is how many tokens two windows
    share. Without mean pooling a sentence has the vector of its passage.

    If ``query_window`` is not 0, the model has two encoders, and all other fields describe that of
    passages. That of queries reads up to ``query_window`` tokens; what the mean of a query runs
    over, see ``OnnxEmbedder.query_states``.

    ``(cosine - cosine_centre) / cosine_spread`` maps cosines of questions and passages to the
    distribution of MiniLM's, which ranking is fitted to. ``cosine_between`` is the centre of
    cosines between two passages.

    ``edition`` is part of the name of its space: vectors of different files of one id must not be
    mixed. A model from a hub has its ``repository`` there and the commit that was fetched
    (``revision``).

    A cross-encoder (``ModelKind.RERANKER``) scores a question with a passage; it is never the model
    of a library.
    """

    id: str
    dimension: int
    vocabulary: int
    pooling: Pooling
    pool_scope: PoolScope
    window: int
    late: bool
    overlap: int
    max_prefix: int  # tokens of title and headings at most
    query_prefix: str
    document_prefix: str
    languages: tuple[str, ...]  # ISO 639-1; empty if not known
    licence: str | None  # of the weights, as an SPDX expression; None if not known
    homepage: str = ""
    kind: ModelKind = ModelKind.EMBEDDING
    edition: str = ""
    query_window: int = 0
    cosine_centre: float = 0.0
    cosine_spread: float = 1.0
    cosine_between: float = 0.0
    repository: str = ""
    revision: str = ""
    layers: int | None = None  # of the encoder of passages
    parameters: int | None = None  # of both encoders if there are two

    @property
    def adapted(self) -> bool:
        """Whether queries and passages have different encoders."""
        return self.query_window > 0

    @property
    def scores(self) -> bool:
        return self.kind is ModelKind.RERANKER

    @property
    def depth(self) -> int:
        """The layers of the encoder of passages; those of most models if it does not say."""
        return self.layers or _LAYERS

    def encoder_of(self, side: Side) -> ModelRecord:
        """The record of one of two encoders as a model of its own; itself if there is only one."""
        if not self.adapted or side is Side.PASSAGES:
            return self
        scope = PoolScope.SEQUENCE
        return replace(self, window=self.query_window, late=False, pool_scope=scope)


def space_of(record: ModelRecord, precision: Precision) -> str:
    """The name of the space of a model's vectors; vectors of equal spaces are comparable."""
    mode = LATE if record.late else ALONE
    edition = f"/{record.edition}" if record.edition else ""
    return f"{record.id}/{precision}-{_NUMBERS}/{mode}{edition}"


HUB = "https://huggingface.co/"
_APACHE, _MIT = "Apache-2.0", "MIT"


@dataclass(frozen=True, slots=True)
class Published:
    """A published model: what its card tells.

    ``info.terms``, where they are not empty, must be accepted before it is fetched: the licence
    forbids uses, such as that in a business.
    """

    info: ModelInfo

    def completed(self, record: ModelRecord, revision: str) -> ModelRecord:
        """The record that was read from the files of a commit, with what only the card tells."""
        return replace(
            record,
            repository=self.info.repository,
            revision=revision,
            languages=self.info.languages or (),
            licence=self.info.licence,
            homepage=self.info.homepage or "",
            query_prefix=record.query_prefix or self.info.query_prefix or "",
            document_prefix=record.document_prefix or self.info.document_prefix or "",
        )


def _row(repository: str, **facts: Any) -> Published:
    info = ModelInfo(
        repository.rpartition("/")[2], Origin.PUBLISHED, ModelState.ABSENT, late=False,
        repository=repository, homepage=HUB + repository, **facts,
    )  # fmt: skip
    return Published(info)


_NOMIC: dict[str, Any] = {
    "parameters": 137_000_000, "dimensions": 768, "tokens": 8192, "pooling": Pooling.MEAN,
    "query_prefix": "search_query: ", "document_prefix": "search_document: ",
    "languages": ("en",), "licence": _APACHE,
}  # fmt: skip
_E5: dict[str, Any] = {
    "tokens": 512, "pooling": Pooling.MEAN, "query_prefix": "query: ",
    "document_prefix": "passage: ", "language_count": 100, "licence": _MIT,
}  # fmt: skip
_RERANKER: dict[str, Any] = {"kind": ModelKind.RERANKER, "pooling": Pooling.CLS}
_EN: dict[str, Any] = {"languages": ("en",), "licence": _APACHE}

_ROWS = (
    _row(
        "sentence-transformers/all-MiniLM-L6-v2", parameters=22_700_000, dimensions=384,
        tokens=256, pooling=Pooling.MEAN, query_prefix="", document_prefix="", **_EN,
    ),
    _row(
        "Alibaba-NLP/gte-modernbert-base", parameters=149_000_000, dimensions=768, tokens=8192,
        pooling=Pooling.CLS, query_prefix="", document_prefix="", **_EN,
    ),
    _row("nomic-ai/nomic-embed-text-v1.5", **_NOMIC),
    _row("nomic-ai/modernbert-embed-base", **_NOMIC | {"parameters": 149_000_000}),
    _row(
        "Snowflake/snowflake-arctic-embed-m-v2.0", parameters=305_000_000, dimensions=768,
        tokens=8192, licence=_APACHE,
    ),
    _row(
        "mixedbread-ai/mxbai-embed-large-v1", parameters=335_000_000, dimensions=1024, tokens=512,
        pooling=Pooling.CLS, **_EN,
    ),
    _row(
        "BAAI/bge-m3", parameters=568_000_000, dimensions=1024, tokens=8192,
        pooling=Pooling.CLS, language_count=100, licence=_MIT,
    ),
    _row("intfloat/multilingual-e5-small", parameters=118_000_000, dimensions=384, **_E5),
    _row("intfloat/multilingual-e5-base", dimensions=768, **_E5),
    _row(
        "cross-encoder/ms-marco-MiniLM-L6-v2", parameters=22_700_000, tokens=512, **_EN,
        **_RERANKER,
    ),
    _row(
        "Alibaba-NLP/gte-reranker-modernbert-base", parameters=149_000_000, tokens=8192, **_EN,
        **_RERANKER,
    ),
    _row(
        "BAAI/bge-reranker-base", parameters=278_000_000, tokens=512, languages=("en", "zh"),
        licence=_MIT, **_RERANKER,
    ),
    _row(
        "jinaai/jina-reranker-v2-base-multilingual", tokens=1024, parameters=278_000_000,
        language_count=100, licence="CC-BY-NC-4.0",
        terms="https://creativecommons.org/licenses/by-nc/4.0/", **_RERANKER,
    ),
)  # fmt: skip

PUBLISHED: Mapping[str, Published] = {row.info.id: row for row in _ROWS}
