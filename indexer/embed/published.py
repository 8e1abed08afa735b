"""Models that others publish on a hub, as far as their own cards tell.

A row names a repository, an ONNX file in it and how to read it; facts that its card does not tell
are None. ``indexer.embed.hub`` asks the hub for hashes and revisions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from string import punctuation
from typing import TYPE_CHECKING

from indexer.api.models import ModelKind, Unused
from indexer.embed.models import Interaction, Pooling

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.embed.models import ModelRecord

HUB = "https://huggingface.co/"
_APACHE, _MIT = "Apache-2.0", "MIT"


@dataclass(frozen=True, slots=True)
class Published:
    """A published model; the fields are those of ``api.models.ModelInfo``.

    ``graph`` is its ONNX file; in the folder ``onnx`` there may be forms of it in 16 and 8 bits.
    ``terms``, where they are not empty, must be accepted before it is fetched: the licence forbids
    uses, such as that in a business.
    """

    repository: str
    kind: ModelKind = ModelKind.EMBEDDING
    graph: str = "onnx/model.onnx"
    interaction: Interaction | None = None
    parameters: int | None = None
    dimensions: int | None = None
    tokens: int | None = None
    pooling: Pooling | None = None
    late: bool = False
    unused: tuple[Unused, ...] = ()
    matryoshka: tuple[int, ...] | None = None
    query_prefix: str | None = None
    document_prefix: str | None = None
    languages: tuple[str, ...] | None = None
    language_count: int | None = None
    licence: str | None = None
    terms: str = ""

    @property
    def id(self) -> str:
        return self.repository.rpartition("/")[2]

    @property
    def homepage(self) -> str:
        return HUB + self.repository

    def completed(self, record: ModelRecord, revision: str) -> ModelRecord:
        """The record that was read from the files of a commit, with what only the card tells."""
        return replace(
            record,
            repository=self.repository,
            revision=revision,
            languages=self.languages or (),
            licence=self.licence,
            homepage=self.homepage,
            query_prefix=record.query_prefix or self.query_prefix or "",
            document_prefix=record.document_prefix or self.document_prefix or "",
        )


_NOMIC = Published(
    "", parameters=137_000_000, dimensions=768, tokens=8192, pooling=Pooling.MEAN,
    query_prefix="search_query: ", document_prefix="search_document: ", languages=("en",),
    licence=_APACHE,
)  # fmt: skip
_E5 = Published(
    "", tokens=512, pooling=Pooling.MEAN, query_prefix="query: ", document_prefix="passage: ",
    language_count=100, licence=_MIT,
)  # fmt: skip
# ColBERT's markers; a query is filled with masks that no token attends to.
_COLBERT = Published(
    "", ModelKind.LATE_INTERACTION, tokens=512, languages=("en",),
    interaction=Interaction(
        query_marker="[unused0]", passage_marker="[unused1]", expansion="[MASK]",
        skipped=tuple(punctuation),
    ),
)  # fmt: skip
_RERANKER = Published(
    "", ModelKind.RERANKER, pooling=Pooling.CLS, languages=("en",), licence=_APACHE
)

_ROWS = (
    Published(
        "sentence-transformers/all-MiniLM-L6-v2", parameters=22_700_000, dimensions=384,
        tokens=256, pooling=Pooling.MEAN, query_prefix="", document_prefix="", languages=("en",),
        licence=_APACHE,
    ),
    Published(
        "Alibaba-NLP/gte-modernbert-base", parameters=149_000_000, dimensions=768, tokens=8192,
        pooling=Pooling.CLS, query_prefix="", document_prefix="", languages=("en",),
        licence=_APACHE,
    ),
    replace(
        _NOMIC, repository="nomic-ai/nomic-embed-text-v1.5", matryoshka=(768, 512, 256, 128, 64),
    ),
    replace(
        _NOMIC, repository="nomic-ai/modernbert-embed-base", parameters=149_000_000,
        matryoshka=(768, 256),
    ),
    Published(
        "Snowflake/snowflake-arctic-embed-m-v2.0", parameters=305_000_000, dimensions=768,
        tokens=8192, matryoshka=(768, 256), licence=_APACHE,
    ),
    Published(
        "mixedbread-ai/mxbai-embed-large-v1", parameters=335_000_000, dimensions=1024, tokens=512,
        pooling=Pooling.CLS, languages=("en",), licence=_APACHE,
    ),
    Published(
        "BAAI/bge-m3", parameters=568_000_000, dimensions=1024, tokens=8192,
        pooling=Pooling.CLS, unused=(Unused.SPARSE, Unused.TOKENS), language_count=100,
        licence=_MIT,
    ),
    replace(
        _E5, repository="intfloat/multilingual-e5-small", parameters=118_000_000, dimensions=384,
    ),
    replace(_E5, repository="intfloat/multilingual-e5-base", dimensions=768),
    replace(
        _COLBERT, repository="colbert-ir/colbertv2.0", graph="model.onnx", dimensions=128,
        parameters=110_000_000, licence=_MIT,
    ),
    replace(
        _COLBERT, repository="answerdotai/answerai-colbert-small-v1", graph="vespa_colbert.onnx",
        dimensions=96, parameters=33_000_000, licence=_APACHE,
    ),
    replace(
        _RERANKER, repository="cross-encoder/ms-marco-MiniLM-L6-v2", parameters=22_700_000,
        tokens=512,
    ),
    replace(
        _RERANKER, repository="Alibaba-NLP/gte-reranker-modernbert-base", parameters=149_000_000,
        tokens=8192,
    ),
    replace(
        _RERANKER, repository="BAAI/bge-reranker-base", parameters=278_000_000, tokens=512,
        languages=("en", "zh"), licence=_MIT,
    ),
    replace(
        _RERANKER, repository="jinaai/jina-reranker-v2-base-multilingual", tokens=1024,
        parameters=278_000_000, languages=None, language_count=100, licence="CC-BY-NC-4.0",
        terms="https://creativecommons.org/licenses/by-nc/4.0/",
    ),
)  # fmt: skip

PUBLISHED: Mapping[str, Published] = {row.id: row for row in _ROWS}
