"""The shape of a transformer encoder as data, from which its graph follows.

Standard library only; it must not know a model's files, pooling or languages (``models``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


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
    divided by it (Chen et al., 2023), or with ``ntk`` their base grows. What that costs is measured
    with a stand-in (docs/benchmarks/vectors.md) and depends on the model.

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
