"""Models that others publish on a hub, as far as their own cards tell.

Owns the facts that were read there; None is what was not. Hashes, revisions and names of files are
not among them: ``indexer.embed.hub`` asks the hub for those. A row is a model that ``lectern models
get`` knows; whether this version can run it follows from its ``kind`` and ``family``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexer.api.models import ModelKind, Unused
from indexer.embed.folder_shapes import FAMILIES
from indexer.embed.models import Pooling

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.embed.models import ModelRecord

HUB = "https://huggingface.co/"
_APACHE, _MIT = "Apache-2.0", "MIT"
_SCORERS = {"bert", "modernbert", "xlm-roberta"}  # families of cross-encoders that are converted


@dataclass(frozen=True, slots=True)
class Published:
    """A published model; the fields are those of ``api.models.ModelInfo``.

    ``family`` is the ``model_type`` of its configuration. ``terms``, where they are not empty, must
    be accepted before it is fetched: the licence forbids uses, such as that in a business.
    """

    repository: str
    kind: ModelKind = ModelKind.EMBEDDING
    family: str | None = None
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

    @property
    def runs(self) -> bool:
        """Whether this version may run it; its configuration is only known when it is here.

        One whose weights cannot be converted runs if its repository has a graph that gives the
        states of tokens, which only its files tell.
        """
        if self.kind is ModelKind.RERANKER:
            return self.family in _SCORERS
        return self.kind is ModelKind.EMBEDDING or self.family in FAMILIES

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
_COLBERT = Published(
    "", ModelKind.LATE_INTERACTION, "modernbert", languages=("en",), licence=_APACHE
)
_RERANKER = Published("", ModelKind.RERANKER, "modernbert", languages=("en",), licence=_APACHE)

_ROWS = (
    Published(
        "ibm-granite/granite-embedding-97m-multilingual-r2", family="modernbert",
        parameters=97_000_000, dimensions=384, tokens=32_768, pooling=Pooling.CLS,
        query_prefix="", document_prefix="", language_count=200, licence=_APACHE,
    ),
    Published(
        "ibm-granite/granite-embedding-small-english-r2", family="modernbert",
        parameters=47_000_000, dimensions=384, tokens=8192, pooling=Pooling.CLS,
        languages=("en",), licence=_APACHE,
    ),
    Published(
        "Alibaba-NLP/gte-modernbert-base", family="modernbert", parameters=149_000_000,
        dimensions=768, tokens=8192, pooling=Pooling.CLS, query_prefix="", document_prefix="",
        languages=("en",), licence=_APACHE,
    ),
    replace(
        _NOMIC, repository="nomic-ai/nomic-embed-text-v1.5", family="nomic_bert",
        matryoshka=(768, 512, 256, 128, 64),
    ),
    replace(
        _NOMIC, repository="nomic-ai/modernbert-embed-base", family="modernbert",
        parameters=149_000_000, matryoshka=(768, 256),
    ),
    Published(
        "google/embeddinggemma-300m", family="gemma3_text", parameters=308_000_000,
        dimensions=768, tokens=2048, matryoshka=(768, 512, 256, 128),
        query_prefix="task: search result | query: ", document_prefix="title: none | text: ",
        language_count=100, licence="Gemma", terms="https://ai.google.dev/gemma/terms",
    ),
    Published(
        "Qwen/Qwen3-Embedding-0.6B", family="qwen3", parameters=600_000_000, dimensions=1024,
        tokens=32_768, pooling=Pooling.LAST, document_prefix="", language_count=100,
        licence=_APACHE,
    ),
    Published(
        "perplexity-ai/pplx-embed-context-v1-0.6b", family="bidirectional_pplx_qwen3",
        parameters=600_000_000, dimensions=1024,
        tokens=32_768, pooling=Pooling.MEAN, late=True, query_prefix="", document_prefix="",
    ),
    Published(
        "Snowflake/snowflake-arctic-embed-m-v2.0", parameters=305_000_000, dimensions=768,
        tokens=8192, matryoshka=(768, 256), licence=_APACHE,
    ),
    Published(
        "BAAI/bge-m3", family="xlm-roberta", parameters=568_000_000, dimensions=1024, tokens=8192,
        pooling=Pooling.CLS, unused=(Unused.SPARSE, Unused.TOKENS), language_count=100,
        licence=_MIT,
    ),
    replace(
        _E5, repository="intfloat/multilingual-e5-small", family="bert", parameters=118_000_000,
        dimensions=384,
    ),
    replace(
        _E5, repository="intfloat/multilingual-e5-base", family="xlm-roberta", dimensions=768
    ),
    replace(
        _COLBERT, repository="mixedbread-ai/mxbai-edge-colbert-v0-32m", parameters=32_000_000,
        dimensions=64, tokens=32_000,
    ),
    replace(
        _COLBERT, repository="lightonai/GTE-ModernColBERT-v1", parameters=149_000_000,
        dimensions=128, tokens=300,
    ),
    replace(_COLBERT, repository="lightonai/LateOn", parameters=149_000_000),
    replace(
        _RERANKER, repository="cross-encoder/ettin-reranker-68m-v1", parameters=68_100_000,
        pooling=Pooling.CLS, licence=None,
    ),
    replace(
        _RERANKER, repository="Alibaba-NLP/gte-reranker-modernbert-base", parameters=149_000_000,
        tokens=8192,
    ),
    replace(
        _RERANKER, repository="BAAI/bge-reranker-v2-m3", family="xlm-roberta",
        parameters=568_000_000, languages=None,
    ),
    replace(_RERANKER, repository="cross-encoder/ms-marco-MiniLM-L6-v2", family="bert"),
)  # fmt: skip

PUBLISHED: Mapping[str, Published] = {row.id: row for row in _ROWS}
