"""Models that others publish on a hub, as far as their own cards tell.

A row names a repository, an ONNX file in it and how to read it; facts that its card does not tell
are None. ``indexer.embed.hub`` asks the hub for hashes and revisions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from string import punctuation
from typing import TYPE_CHECKING, Any

from indexer.api.models import ModelInfo, ModelKind, ModelState, Origin
from indexer.embed.models import Interaction, Pooling

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.embed.models import ModelRecord

HUB = "https://huggingface.co/"
_APACHE, _MIT = "Apache-2.0", "MIT"


@dataclass(frozen=True, slots=True)
class Published:
    """A published model: what its card tells, its ONNX file, and how its tokens interact.

    In the folder ``onnx`` there may be forms of ``graph`` in 16 and 8 bits. ``info.terms``, where
    they are not empty, must be accepted before it is fetched: the licence forbids uses, such as
    that in a business.
    """

    info: ModelInfo
    graph: str
    interaction: Interaction | None

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


def _row(
    repository: str, graph: str = "onnx/model.onnx", how: Interaction | None = None, **facts: Any
) -> Published:
    info = ModelInfo(
        repository.rpartition("/")[2], Origin.PUBLISHED, ModelState.ABSENT, late=False,
        repository=repository, homepage=HUB + repository, **facts,
    )  # fmt: skip
    return Published(info, graph, how)


_NOMIC: dict[str, Any] = {
    "parameters": 137_000_000, "dimensions": 768, "tokens": 8192, "pooling": Pooling.MEAN,
    "query_prefix": "search_query: ", "document_prefix": "search_document: ",
    "languages": ("en",), "licence": _APACHE,
}  # fmt: skip
_E5: dict[str, Any] = {
    "tokens": 512, "pooling": Pooling.MEAN, "query_prefix": "query: ",
    "document_prefix": "passage: ", "language_count": 100, "licence": _MIT,
}  # fmt: skip
_COLBERT: dict[str, Any] = {"kind": ModelKind.LATE_INTERACTION, "tokens": 512, "languages": ("en",)}
# ColBERT's markers; a query is filled with masks that no token attends to.
_MARKERS = Interaction(
    query_marker="[unused0]", passage_marker="[unused1]", expansion="[MASK]",
    skipped=tuple(punctuation),
)  # fmt: skip
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
        "colbert-ir/colbertv2.0", "model.onnx", _MARKERS, dimensions=128, parameters=110_000_000,
        licence=_MIT, **_COLBERT,
    ),
    _row(
        "answerdotai/answerai-colbert-small-v1", "vespa_colbert.onnx", _MARKERS, dimensions=96,
        parameters=33_000_000, licence=_APACHE, **_COLBERT,
    ),
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
