"""Reads the description of a model in a folder of sentence-transformers: JSON in, a record out.

Owns which architectures, poolings and options are known here, and their limits. Whoever wrote the
folder is not trusted: files are bounded, numbers too, and whatever is not known is refused, as it
would be computed wrongly. Nothing of the folder is run, and pickles are not read. Weights and
tokenizer are checked by the compiler process (``indexer.compiler.accept``).
"""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from indexer.api.errors import WorldError
from indexer.embed.models import (
    TOKENIZER,
    WEIGHTS,
    Architecture,
    Family,
    ModelRecord,
    Package,
    Pooling,
    PoolScope,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CONFIG, MODULES, PROMPTS = "config.json", "modules.json", "config_sentence_transformers.json"
LENGTHS = "sentence_bert_config.json"
LARGEST = {WEIGHTS: 8 << 30, TOKENIZER: 64 << 20}
_LARGEST_JSON = 1 << 20
_PICKLES = ("pytorch_model.bin", "model.bin", "model.pt")
_INDEX = "model.safetensors.index.json"
# The ``model_type`` of configurations that are read here.
FAMILIES = frozenset({"bert", "roberta", "xlm-roberta", "camembert", "modernbert"})
_MOST = {
    "num_hidden_layers": 128, "num_attention_heads": 256, "hidden_size": 8192,
    "intermediate_size": 65_536, "vocab_size": 1 << 20, "max_position_embeddings": 1 << 17,
    "local_attention": 1 << 13, "global_attn_every_n_layers": 128, "pad_token_id": 1 << 20,
    "max_seq_length": 1 << 30,
}  # fmt: skip
_LONGEST_PREFIX = 2000  # characters
_OVERLAP, _MAX_PREFIX = 64, 64  # tokens
# The last parts of classes; those before differ between versions.
_KINDS = {"Transformer": "transformer", "Pooling": "pooling", "Normalize": "normalize"}
_PACKAGE = "sentence_transformers."
_POOLINGS = {
    "cls": Pooling.CLS, "mean": Pooling.MEAN, "lasttoken": Pooling.LAST,
    "cls_token": Pooling.CLS, "mean_tokens": Pooling.MEAN,
}  # fmt: skip


def most_bytes(name: str) -> int:
    """The largest size of a file of a folder."""
    return LARGEST.get(name.rpartition("/")[2], _LARGEST_JSON)


def refusal(folder: Path, reason: str, **detail: object) -> WorldError:
    """The error of a folder that cannot be imported."""
    return WorldError("model_refused", path=str(folder), reason=reason, **detail)


def read_record(folder: Path, name: str, *, late: bool) -> ModelRecord:
    """The record of the model in a folder, without its files and its probe.

    Args:
        folder: With ``modules.json``.
        name: The id of the record.
        late: Whether passages are pooled inside a whole window.

    Raises:
        WorldError: ``model_refused`` with the reason.
    """
    transformer, pooling_folder = _modules(folder)
    architecture = _architecture(_Options.read(folder, transformer + CONFIG))
    pooling = _pooling(_Options.read(folder, f"{pooling_folder}/{CONFIG}"))
    if late and pooling is not Pooling.MEAN:
        raise refusal(folder, "model_late")
    lengths = _Options.read(folder, transformer + LENGTHS, optional=True)
    longest = lengths.whole("max_seq_length", architecture.positions)
    window = min(longest, architecture.positions)
    if window <= _MAX_PREFIX + _OVERLAP:
        raise refusal(folder, "model_option", option="max_seq_length", value=window)
    query, document = _prefixes(_Options.read(folder, PROMPTS, optional=True))
    return ModelRecord(
        id=name, package=Package("", "", ()), architecture=architecture, pooling=pooling,
        pool_scope=PoolScope.PASSAGE if late else PoolScope.SEQUENCE, window=window, late=late,
        overlap=_OVERLAP, max_prefix=_MAX_PREFIX, query_prefix=query, document_prefix=document,
        languages=(), licence=None, homepage="",
    )  # fmt: skip


def weights_folder(folder: Path) -> Path:
    """The part of the folder with the weights and the tokenizer.

    Raises:
        WorldError: ``model_refused`` if they are missing, or not in safetensors.
    """
    part = folder / _modules(folder)[0]
    if not (part / WEIGHTS).exists():
        if (part / _INDEX).exists():
            raise refusal(folder, "model_split", file=WEIGHTS)
        if any((part / name).exists() for name in _PICKLES):
            raise refusal(folder, "model_pickle", file=WEIGHTS)
    for name, most in LARGEST.items():
        regular_size(folder, part / name, most)
    return part


def regular_size(folder: Path, file: Path, most: int) -> int:
    """The size of a regular file, which may be reached through a link.

    Raises:
        WorldError: ``model_refused`` if it is none, or larger than ``most`` bytes.
    """
    try:
        found = file.stat()
    except (OSError, ValueError) as error:
        raise refusal(folder, "model_file_missing", file=file.name) from error
    if not stat.S_ISREG(found.st_mode):
        raise refusal(folder, "model_file_missing", file=file.name)
    if found.st_size > most:
        raise refusal(folder, "model_file_large", file=file.name, limit=f"{most / 1e6:,.0f} MB")
    return found.st_size


def _load(folder: Path, name: str) -> Any:
    regular_size(folder, folder / name, _LARGEST_JSON)
    try:
        return json.loads((folder / name).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise refusal(folder, "model_file_damaged", file=name) from error


def _modules(folder: Path) -> tuple[str, str]:
    """The subfolders of transformer (with a slash, or empty) and pooling."""
    rows = _load(folder, MODULES)
    found: dict[str, str] = {}
    for row in rows if isinstance(rows, list) else [None]:
        kind = row.get("type") if isinstance(row, dict) else None
        path = row.get("path") if isinstance(row, dict) else None
        if not isinstance(kind, str) or not isinstance(path, str):
            raise refusal(folder, "model_file_damaged", file=MODULES)
        known = _KINDS.get(kind.rpartition(".")[2]) if kind.startswith(_PACKAGE) else None
        # A path with more parts could lead out of the folder.
        if known is None or known in found or len(path.split("/")) > 1 or path in {".", ".."}:
            raise refusal(folder, "model_option", option="type", value=kind[:80])
        found[known] = path
    if list(found)[:2] != ["transformer", "pooling"] or "\\" in "".join(found.values()):
        raise refusal(folder, "model_file_damaged", file=MODULES)
    transformer = found["transformer"]
    return (f"{transformer}/" if transformer else ""), found["pooling"]


@dataclass(frozen=True, slots=True)
class _Options:
    """The options of one JSON file; each is checked when it is taken."""

    folder: Path
    values: Mapping[str, Any]

    @classmethod
    def read(cls, folder: Path, name: str, *, optional: bool = False) -> _Options:
        if optional and not (folder / name).exists():
            return cls(folder, {})
        values = _load(folder, name)
        if not isinstance(values, dict):
            raise refusal(folder, "model_file_damaged", file=name)
        return cls(folder, values)

    def whole(self, name: str, default: int | None = None, low: int = 1) -> int:
        """A whole number from ``low`` to the limit of its name."""
        value = self.values.get(name)
        value = default if value is None else value
        if type(value) is not int or not low <= value <= _MOST[name]:
            raise self.wrong(name, value)
        return value

    def number(self, name: str, default: float) -> float:
        """A positive number."""
        value = self.values.get(name)
        value = default if value is None else value
        if type(value) not in {int, float} or not 0 < value < float("inf"):
            raise self.wrong(name, value)
        return float(value)

    def require(self, **wanted: object) -> None:
        """Each option, where it is set, must have this value."""
        for name, value in wanted.items():
            if self.values.get(name, value) not in (value, None):
                raise self.wrong(name, self.values[name])

    def wrong(self, name: str, value: object) -> WorldError:
        return refusal(self.folder, "model_option", option=name, value=str(value)[:80])


def _architecture(options: _Options) -> Architecture:
    kind = options.values.get("model_type")
    if kind not in FAMILIES:
        raise refusal(options.folder, "model_family", name=str(kind)[:80])
    if kind == "modernbert":
        return _modernbert(options)
    options.require(hidden_act="gelu", position_embedding_type="absolute", is_decoder=False)
    # Positions of RoBERTa begin after that of padding.
    first = 0 if kind == "bert" else options.whole("pad_token_id", 1, low=0) + 1
    sizes = _sizes(options)
    return replace(
        sizes, positions=sizes.positions - first, first_position=first,
        norm_epsilon=options.number("layer_norm_eps", 1e-12),
    )  # fmt: skip


def _modernbert(options: _Options) -> Architecture:
    options.require(
        hidden_activation="gelu", attention_bias=False, mlp_bias=False, norm_bias=False,
        is_decoder=False,
    )  # fmt: skip
    sizes = _sizes(options)
    local = options.whole("local_attention", 128, low=2) // 2
    every = options.whole("global_attn_every_n_layers", 3)
    kinds = [
        "sliding_attention" if layer % every else "full_attention" for layer in range(sizes.layers)
    ]
    options.require(layer_types=kinds)
    return replace(
        sizes, norm_epsilon=options.number("norm_eps", 1e-5), family=Family.MODERNBERT,
        global_every=every, local=local, block=2 * local, reach=local,
        rotary_bases=_rotary_bases(options),
    )  # fmt: skip


def _rotary_bases(options: _Options) -> tuple[float, float]:
    """Those of full and of local attention, as older and as newer files have them."""
    newer = options.values.get("rope_parameters")
    if newer is None:
        everywhere = options.number("global_rope_theta", 160_000.0)
        if "local_rope_theta" in options.values and options.values["local_rope_theta"] is None:
            return everywhere, everywhere
        return everywhere, options.number("local_rope_theta", 10_000.0)
    bases = []
    for kind in ("full_attention", "sliding_attention"):
        own = newer.get(kind) if isinstance(newer, dict) else None
        if not isinstance(own, dict):
            raise options.wrong("rope_parameters", newer)
        part = _Options(options.folder, own)
        part.require(rope_type="default")
        bases.append(part.number("rope_theta", 0.0))
    return bases[0], bases[1]


def _sizes(options: _Options) -> Architecture:
    sizes = Architecture(
        layers=options.whole("num_hidden_layers"),
        heads=options.whole("num_attention_heads"),
        hidden=options.whole("hidden_size"),
        intermediate=options.whole("intermediate_size"),
        vocabulary=options.whole("vocab_size"),
        positions=options.whole("max_position_embeddings"),
    )
    # The halves of a head are rotated together.
    if sizes.hidden % (2 * sizes.heads):
        raise options.wrong("hidden_size", sizes.hidden)
    return sizes


def _pooling(options: _Options) -> Pooling:
    options.require(include_prompt=True)
    modes = [name for name, on in options.values.items()
             if name.startswith("pooling_mode_") and on is True]  # fmt: skip
    named = options.values.get("pooling_mode")
    if named is None and len(modes) == 1:
        named = modes[0].removeprefix("pooling_mode_")
    if not isinstance(named, str) or named not in _POOLINGS:
        raise options.wrong("pooling_mode", named or ", ".join(modes))
    return _POOLINGS[named]


def _prefixes(options: _Options) -> tuple[str, str]:
    """The prefixes of queries and of passages."""
    prompts = options.values.get("prompts") or {}
    if not isinstance(prompts, dict):
        raise options.wrong("prompts", prompts)
    # Vectors have length 1, where the dot product is the cosine.
    if options.values.get("similarity_fn_name") not in {None, "cosine", "dot", "dot_product"}:
        raise options.wrong("similarity_fn_name", options.values["similarity_fn_name"])
    chosen = [prompts.get("query"), prompts.get("document", prompts.get("passage"))]
    for prefix in chosen:
        if prefix is not None and (not isinstance(prefix, str) or len(prefix) > _LONGEST_PREFIX):
            raise options.wrong("prompts", prefix)
    return chosen[0] or "", chosen[1] or ""
