"""Reads the description of a model in a folder of sentence-transformers: JSON in, a record out.

Owns which modules and poolings are known here. Whoever wrote the folder is not trusted: files are
bounded, numbers too (``folder_options``), and whatever is not known is refused, as it would be
computed wrongly. Nothing of the folder is run, and pickles are not read. Weights and tokenizer are
checked by the compiler process (``indexer.compiler.accept``).
"""

from __future__ import annotations

from dataclasses import replace
from string import punctuation
from typing import TYPE_CHECKING

from indexer.embed.architecture import Family
from indexer.embed.folder_options import LARGEST_JSON, Options, load, refusal, regular_size
from indexer.embed.folder_shapes import is_known, read_architecture, read_given
from indexer.embed.interaction import Interaction
from indexer.embed.models import (
    GIVEN_FP16,
    GIVEN_GRAPH,
    GIVEN_INT8,
    TOKENIZER,
    WEIGHTS,
    ModelRecord,
    Package,
    Pooling,
    PoolScope,
)

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.embed.architecture import Architecture

CONFIG, MODULES, PROMPTS = "config.json", "modules.json", "config_sentence_transformers.json"
LENGTHS = "sentence_bert_config.json"
DENSE = "dense-*.safetensors"
_LARGEST_DENSE = 256 << 20
LARGEST = {WEIGHTS: 8 << 30, TOKENIZER: 64 << 20}
# Graphs that others exported, of which the first is needed, in their folder.
GRAPHS_FOLDER = "onnx/"
GRAPHS = dict.fromkeys(
    (GIVEN_GRAPH, f"{GIVEN_GRAPH}_data", GIVEN_INT8, GIVEN_FP16, f"{GIVEN_FP16}_data"), 8 << 30
)
_PICKLES = ("pytorch_model.bin", "model.bin", "model.pt")
_INDEX = "model.safetensors.index.json"
_LONGEST_PREFIX = 2000  # characters
_PAIR = 512  # tokens of a question and a passage at most
_OVERLAP, _MAX_PREFIX = 64, 64  # tokens
# The last parts of classes; those before differ between versions.
_KINDS = {"Transformer", "Pooling", "Dense", "Normalize"}
_MOST_MODULES = 6
_PACKAGES = "sentence_transformers.", "pylate.models."
_MOST_SKIPPED, _LEAST_QUERY = 1000, 8
_POOLINGS = {
    "cls": Pooling.CLS, "mean": Pooling.MEAN, "lasttoken": Pooling.LAST,
    "cls_token": Pooling.CLS, "mean_tokens": Pooling.MEAN,
}  # fmt: skip


def most_bytes(name: str) -> int:
    """The largest size of a file of a folder."""
    return (LARGEST | GRAPHS).get(name.rpartition("/")[2], LARGEST_JSON)


def read_record(folder: Path, name: str, *, late: bool, given: bool | None = None) -> ModelRecord:
    """The record of the model in a folder, without its files and its probe.

    Args:
        folder: With ``modules.json``.
        name: The id of the record.
        late: Whether passages are pooled inside a whole window.
        given: Whether a graph stands for the weights; by default as the folder has it.

    Raises:
        WorldError: ``model_refused`` with the reason.
    """
    if _is_scorer(folder):
        return _scorer(folder, name)
    transformer, pooling_folder, *dense = _modules(folder)
    options = Options.read(folder, transformer + CONFIG)
    given = not dense and (_has_graph(folder, transformer) if given is None else given)
    architecture = read_given(options) if given else read_architecture(options)
    for part in dense:
        architecture = _projected(architecture, Options.read(folder, f"{part}/{CONFIG}"))
    if not pooling_folder:
        return _by_tokens(folder, name, architecture)
    pooling = _pooling(Options.read(folder, f"{pooling_folder}/{CONFIG}"))
    if late and pooling is not Pooling.MEAN:
        raise refusal(folder, "model_late")
    lengths = Options.read(folder, transformer + LENGTHS, optional=True)
    longest = lengths.whole("max_seq_length", architecture.positions)
    window = min(longest, architecture.positions)
    if window <= _MAX_PREFIX + _OVERLAP:
        raise refusal(folder, "model_option", option="max_seq_length", value=window)
    query, document = _prefixes(Options.read(folder, PROMPTS, optional=True))
    return ModelRecord(
        id=name, package=Package("", "", ()), architecture=architecture, pooling=pooling,
        pool_scope=PoolScope.PASSAGE if late else PoolScope.SEQUENCE, window=window, late=late,
        overlap=_OVERLAP, max_prefix=_MAX_PREFIX, query_prefix=query, document_prefix=document,
        languages=(), licence=None, homepage="",
    )  # fmt: skip


def _is_scorer(folder: Path) -> bool:
    """Whether it is a cross-encoder: without a file of modules, or with the transformer alone."""
    if not (folder / MODULES).exists():
        return (folder / CONFIG).exists()
    rows, kinds = load(folder, MODULES), Options.read(folder, CONFIG, optional=True)
    alone = isinstance(rows, list) and len(rows) == 1
    return alone and _classifies(kinds.values.get("architectures"))


def _classifies(kinds: object) -> bool:
    return isinstance(kinds, list) and str(kinds[:1]).endswith("ForSequenceClassification']")


def _scorer(folder: Path, name: str) -> ModelRecord:
    """The record of a cross-encoder whose one label is how well a passage answers."""
    options = Options.read(folder, CONFIG)
    kinds, labels = options.values.get("architectures"), options.values.get("id2label")
    if not _classifies(kinds):
        raise refusal(folder, "model_file_missing", file=MODULES)
    if not isinstance(labels, dict) or len(labels) != 1:
        raise options.wrong("id2label", labels)
    options.require(classifier_pooling="cls", classifier_bias=False, classifier_activation="gelu")
    shape = replace(read_architecture(options), scores=True)
    if shape.family not in {Family.BERT, Family.MODERNBERT}:
        raise refusal(folder, "model_option", option="architectures", value=str(kinds)[:80])
    return ModelRecord(
        id=name, package=Package("", "", ()), architecture=shape, pooling=Pooling.CLS,
        pool_scope=PoolScope.SEQUENCE, window=min(shape.positions, _PAIR), late=False,
        overlap=_OVERLAP, max_prefix=_MAX_PREFIX, query_prefix="", document_prefix="",
        languages=(), licence=None, homepage="",
    )  # fmt: skip


def _by_tokens(folder: Path, name: str, shape: Architecture) -> ModelRecord:
    """The record of a late-interaction model, as PyLate writes it: without pooling."""
    options = Options.read(folder, PROMPTS)
    if options.values.get("similarity_fn_name") not in {None, "MaxSim", "cosine"}:
        raise options.wrong("similarity_fn_name", options.values["similarity_fn_name"])
    markers = [options.text(f"{side}_prefix") for side in ("query", "document")]
    filled = options.values.get("do_query_expansion") is not False
    skipped = options.values.get("skiplist_words", list(punctuation))
    if not isinstance(skipped, list) or len(skipped) > _MOST_SKIPPED:
        raise options.wrong("skiplist_words", skipped)
    how = Interaction(
        query_marker=markers[0], passage_marker=markers[1],
        query_tokens=options.whole("query_length", 32, low=_LEAST_QUERY),
        expansion=("<mask>" if shape.first_position else "[MASK]") if filled else "",
        attended=options.values.get("attend_to_expansion_tokens") is True,
        skipped=tuple(map(str, skipped)),
    )  # fmt: skip
    window = min(options.whole("document_length", 180, low=_LEAST_QUERY), shape.positions)
    if how.query_tokens > shape.positions:
        raise options.wrong("query_length", how.query_tokens)
    return ModelRecord(
        id=name, package=Package("", "", ()), pooling=Pooling.MEAN,
        architecture=replace(shape, unattended=how.unattended),
        pool_scope=PoolScope.SEQUENCE, window=window, late=False, overlap=0,
        max_prefix=0, query_prefix="", document_prefix="", languages=(), licence=None,
        homepage="", interaction=how,
    )  # fmt: skip


def source_files(folder: Path) -> dict[str, tuple[Path, int]]:
    """The files of weights and the tokenizer, with the most bytes of each, by their later names.

    Raises:
        WorldError: ``model_refused`` if they are missing, or not in safetensors.
    """
    scorer = _is_scorer(folder)
    transformer, _, *dense = ["", ""] if scorer else _modules(folder)
    part = folder / transformer
    if not scorer and not dense and _has_graph(folder, transformer):
        there = {name: folder / GRAPHS_FOLDER / name for name in GRAPHS}
        files = {name: (path, GRAPHS[name]) for name, path in there.items() if path.exists()}
        files[TOKENIZER] = part / TOKENIZER, LARGEST[TOKENIZER]
    elif not (part / WEIGHTS).exists():
        if (part / _INDEX).exists():
            raise refusal(folder, "model_split", file=WEIGHTS)
        if any((part / name).exists() for name in _PICKLES):
            raise refusal(folder, "model_pickle", file=WEIGHTS)
        raise refusal(folder, "model_file_missing", file=WEIGHTS)
    else:
        files = {name: (part / name, most) for name, most in LARGEST.items()}
    for number, own in enumerate(dense):
        files[DENSE.replace("*", str(number))] = folder / own / WEIGHTS, _LARGEST_DENSE
    for path, most in files.values():
        regular_size(folder, path, most)
    return files


def _has_graph(folder: Path, transformer: str) -> bool:
    """Whether a graph stands for the weights: they are there alone, or cannot be converted."""
    if not (folder / GRAPHS_FOLDER / GIVEN_GRAPH).exists():
        return False
    alone = not (folder / transformer / WEIGHTS).exists()
    return alone or not is_known(Options.read(folder, transformer + CONFIG))


def _modules(folder: Path) -> list[str]:
    """The subfolders of transformer (with a slash, or empty), pooling, and products after it.

    That of pooling is empty if there is none.
    """
    rows = load(folder, MODULES)
    found: list[tuple[str, str]] = []
    for row in rows if isinstance(rows, list) else [None]:
        kind = row.get("type") if isinstance(row, dict) else None
        path = row.get("path") if isinstance(row, dict) else None
        if not isinstance(kind, str) or not isinstance(path, str):
            raise refusal(folder, "model_file_damaged", file=MODULES)
        known = kind.rpartition(".")[2] if kind.startswith(_PACKAGES) else ""
        # A path with more parts could lead out of the folder.
        outside = len(path.split("/")) > 1 or path in {".", ".."} or "\\" in path
        if known not in _KINDS or outside or len(found) > _MOST_MODULES:
            raise refusal(folder, "model_option", option="type", value=kind[:80])
        found.append((known, path))
    kinds = [kind for kind, _ in found if kind != "Normalize"]
    if kinds[:2] == ["Transformer", "Dense"]:
        kinds.insert(1, "Pooling")
        found.insert(1, ("Pooling", ""))
    if kinds[:2] != ["Transformer", "Pooling"] or set(kinds[2:]) > {"Dense"}:
        raise refusal(folder, "model_file_damaged", file=MODULES)
    transformer, *rest = (path for kind, path in found if kind != "Normalize")
    return [f"{transformer}/" if transformer else "", *rest]


def _projected(shape: Architecture, options: Options) -> Architecture:
    """The shape with a product after pooling, which is as well one before the mean."""
    options.require(
        bias=False, activation_function="torch.nn.modules.linear.Identity", use_residual=False,
    )  # fmt: skip
    if options.whole("in_features") != (shape.projected or shape.hidden):
        raise options.wrong("in_features", options.values["in_features"])
    return replace(shape, projected=options.whole("out_features"))


def _pooling(options: Options) -> Pooling:
    options.require(include_prompt=True)
    modes = [name for name, on in options.values.items()
             if name.startswith("pooling_mode_") and on is True]  # fmt: skip
    named = options.values.get("pooling_mode")
    if named is None and len(modes) == 1:
        named = modes[0].removeprefix("pooling_mode_")
    if not isinstance(named, str) or named not in _POOLINGS:
        raise options.wrong("pooling_mode", named or ", ".join(modes))
    return _POOLINGS[named]


def _prefixes(options: Options) -> tuple[str, str]:
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
