"""The architecture that a model's ``config.json`` describes.

Owns the families that are known here, and the names of their options: what is not known is refused,
as it would be computed wrongly. It must not know pooling, weights or how options are read.
"""

from __future__ import annotations

from dataclasses import replace

from indexer.embed.architecture import Architecture, Family
from indexer.embed.folder_options import Options, refusal


def is_known(options: Options) -> bool:
    """Whether weights of this family can be converted."""
    return str(options.values.get("model_type")) in FAMILIES


def read_architecture(options: Options) -> Architecture:
    kind = str(options.values.get("model_type"))
    if not is_known(options):
        raise refusal(options.folder, "model_family", name=kind[:80])
    return FAMILIES[kind](options)


def read_given(options: Options) -> Architecture:
    """The sizes of a model that is computed by a graph that others exported, of any family."""
    shape = read_architecture(options) if is_known(options) else _sizes(options)
    return replace(shape, family=Family.ONNX, block=0, reach=0, anchors=0)


def _bert(options: Options) -> Architecture:
    options.require(hidden_act="gelu", is_decoder=False)
    sizes = replace(_sizes(options), norm_epsilon=options.number("layer_norm_eps", 1e-12))
    if options.values.get("position_embedding_type") == "alibi":
        options.require(feed_forward_type="geglu")
        return _in_blocks(replace(sizes, family=Family.JINABERT))
    options.require(position_embedding_type="absolute")
    # Positions of RoBERTa begin after that of padding.
    kind = options.values["model_type"]
    first = 0 if kind == "bert" else options.whole("pad_token_id", 1, low=0) + 1
    return replace(sizes, positions=sizes.positions - first, first_position=first)


def _nomicbert(options: Options) -> Architecture:
    values = {_NOMIC_NAMES.get(name, name): value for name, value in options.values.items()}
    options = Options(options.folder, values)
    options.require(
        activation_function="swiglu", rotary_emb_fraction=1.0, rotary_emb_interleaved=False,
        rotary_emb_scale_base=None, rotary_scaling_factor=None, prenorm=False, causal=False,
        qkv_proj_bias=False, mlp_fc1_bias=False, mlp_fc2_bias=False, parallel_block=False,
        use_rms_norm=False, hidden_act="silu",
    )  # fmt: skip
    return replace(
        _sizes(options), family=Family.NOMICBERT, rotary_bases=_rotary_bases(options, 1000.0),
        norm_epsilon=options.number("layer_norm_eps", 1e-12),
    )  # fmt: skip


def _qwen(options: Options) -> Architecture:
    options.require(
        hidden_act="silu", attention_bias=False, use_sliding_window=False, rope_scaling=None,
    )  # fmt: skip
    causal = not options.values.get("use_bidirectional_attention")
    if causal is (options.values["model_type"] != "qwen3"):
        raise options.wrong("use_bidirectional_attention", not causal)
    shape = replace(
        _grouped(options, 128), family=Family.QWEN, rotary_bases=_rotary_bases(options, 10_000.0),
        norm_epsilon=options.number("rms_norm_eps", 1e-6), causal=causal,
    )  # fmt: skip
    return _in_blocks(shape) if causal else shape


def _gemma(options: Options) -> Architecture:
    options.require(
        hidden_activation="gelu_pytorch_tanh", attention_bias=False, rope_scaling=None,
        attn_logit_softcapping=None,
    )  # fmt: skip
    if options.values.get("use_bidirectional_attention") is not True:
        raise options.wrong("use_bidirectional_attention", "off")
    sizes = _grouped(options, 256)
    options.require(query_pre_attn_scalar=sizes.head_width)
    kinds = options.values.get("layer_types")
    full = "full_attention"
    every = kinds.index(full) + 1 if isinstance(kinds, list) and full in kinds else 6
    shape = replace(
        _windowed(sizes, options.whole("sliding_window", 4096, low=2) // 2), family=Family.GEMMA,
        norm_epsilon=options.number("rms_norm_eps", 1e-6), global_every=every,
        rotary_bases=_rotary_bases(options, 1e6, 1e4, "rope_theta", "rope_local_base_freq"),
    )  # fmt: skip
    _check_kinds(options, shape)
    return shape


def _grouped(options: Options, width: int) -> Architecture:
    """Sizes with heads that share keys, of so many channels, whose halves are rotated together."""
    sizes = _sizes(options)
    heads = sizes.heads
    shared, width = options.whole("num_key_value_heads", heads), options.whole("head_dim", width)
    if heads % shared or width % 2:
        raise options.wrong("num_key_value_heads" if heads % shared else "head_dim", shared)
    return replace(sizes, kv_heads=shared, head_width=width)


def _in_blocks(shape: Architecture) -> Architecture:
    """The shape with blocks that attend to all tokens, for attention with a bias."""
    return replace(shape, block=_BLOCK, reach=shape.positions)


def _windowed(shape: Architecture, local: int) -> Architecture:
    """The shape with layers that attend to so many tokens on either side."""
    return replace(shape, local=local, block=2 * local, reach=local)


def _check_kinds(options: Options, shape: Architecture) -> None:
    kinds = [
        "sliding_attention" if shape.is_local(layer) else "full_attention"
        for layer in range(shape.layers)
    ]
    options.require(layer_types=kinds)


def _modernbert(options: Options) -> Architecture:
    silu = options.values.get("hidden_activation") == "silu"
    options.require(
        hidden_activation="silu" if silu else "gelu", attention_bias=False, mlp_bias=False,
        norm_bias=False, is_decoder=False,
    )  # fmt: skip
    shape = replace(
        _windowed(_sizes(options), options.whole("local_attention", 128, low=2) // 2), silu=silu,
        norm_epsilon=options.number("norm_eps", 1e-5), family=Family.MODERNBERT,
        global_every=options.whole("global_attn_every_n_layers", 3),
        rotary_bases=_rotary_bases(
            options, 160_000.0, 10_000.0, "global_rope_theta", "local_rope_theta"
        ),
    )  # fmt: skip
    _check_kinds(options, shape)
    return shape


def _rotary_bases(
    options: Options, everywhere: float, nearby: float = 0.0, *names: str
) -> tuple[float, ...]:
    """Those of full and, with a default, of local attention, as older and newer files have them."""
    newer, names = options.values.get("rope_parameters"), names or ("rope_theta",)
    defaults = [everywhere, *([nearby] if nearby else [])]
    if newer is None:
        first = options.number(names[0], everywhere)
        if nearby and names[1] in options.values and options.values[names[1]] is None:
            return first, first
        return tuple(map(options.number, names, defaults))
    kinds = ("full_attention", "sliding_attention")[: len(defaults)]
    bases = []
    for kind in kinds:
        own = newer.get(kind) if nearby and isinstance(newer, dict) else newer
        if not isinstance(own, dict):
            raise options.wrong("rope_parameters", newer)
        part = Options(options.folder, own)
        part.require(rope_type="default")
        bases.append(part.number("rope_theta", 0.0))
    return tuple(bases)


def _sizes(options: Options) -> Architecture:
    sizes = Architecture(
        layers=options.whole("num_hidden_layers"),
        heads=options.whole("num_attention_heads"),
        hidden=options.whole("hidden_size"),
        intermediate=options.whole("intermediate_size"),
        vocabulary=options.whole("vocab_size"),
        positions=options.whole("max_position_embeddings"),
    )
    # The halves of a head are rotated together.
    if sizes.hidden % (2 * sizes.heads) and "head_dim" not in options.values:
        raise options.wrong("hidden_size", sizes.hidden)
    return sizes


# By the ``model_type`` of the configuration.
FAMILIES = {
    **dict.fromkeys(("bert", "roberta", "xlm-roberta", "camembert"), _bert),
    "modernbert": _modernbert, "nomic_bert": _nomicbert, "gemma3_text": _gemma,
    "qwen3": _qwen, "bidirectional_pplx_qwen3": _qwen,
}  # fmt: skip
# The names of GPT-2, which published files of NomicBERT use.
_NOMIC_NAMES = {
    "n_embd": "hidden_size", "n_head": "num_attention_heads", "n_inner": "intermediate_size",
    "n_layer": "num_hidden_layers", "n_positions": "max_position_embeddings",
    "layer_norm_epsilon": "layer_norm_eps", "rotary_emb_base": "rope_theta",
}  # fmt: skip
_BLOCK = 128  # tokens of attention with a bias at a time
