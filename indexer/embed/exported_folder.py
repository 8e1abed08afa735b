"""Reads a model's folder that sentence-transformers or optimum exported to ONNX.

The folder is not trusted: files and numbers are bounded, no code of the folder is run, and unknown
options are refused, since vectors would be wrong.
"""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from indexer.api.errors import WorldError
from indexer.config import Precision
from indexer.embed.models import TOKENIZER, GraphFile, ModelRecord, Pooling, PoolScope

CONFIG, MODULES, PROMPTS = "config.json", "modules.json", "config_sentence_transformers.json"
LENGTHS = "sentence_bert_config.json"
GRAPH = "model.onnx"
GRAPH_FOLDERS = ("onnx/", "")
# The forms that optimum writes, and the file that each may have for its weights.
COARSE = {
    "model_quantized.onnx": Precision.INT8, "model_int8.onnx": Precision.INT8,
    "model_fp16.onnx": Precision.FP16,
}  # fmt: skip
DATA = "_data"
LARGEST_JSON = 1 << 20
_LARGEST = {TOKENIZER: 64 << 20}
_LARGEST_GRAPH = 8 << 30
# The card of a model on a hub: Markdown under a head in YAML.
_CARD = "README.md"
_LICENCE = re.compile(r"""^license: *["']?([A-Za-z0-9.+-]{1,40})["']?[ ]*$""", re.MULTILINE)
_MOST = {
    "max_position_embeddings": 1 << 17, "n_positions": 1 << 17, "pad_token_id": 1 << 20,
    "max_seq_length": 1 << 30,
}  # fmt: skip
_LONGEST_PREFIX = 2000  # characters
_OVERLAP, _MAX_PREFIX = 64, 64  # tokens
# The last parts of the names of module classes; the parts before differ between versions.
_KINDS = ("Transformer", "Pooling", "Normalize")
_POOLINGS = {
    "cls": Pooling.CLS, "mean": Pooling.MEAN, "lasttoken": Pooling.LAST,
    "cls_token": Pooling.CLS, "mean_tokens": Pooling.MEAN,
}  # fmt: skip
# In these models positions begin after that of padding.
_ROBERTA = {"roberta", "xlm-roberta", "camembert"}


class ExportedModel(Struct, frozen=True):
    """A model as described by its folder, without measured values. The first graph is float32.

    ``files`` has the paths of its files, by their names in the folder of the model.
    """

    record: ModelRecord
    graphs: tuple[GraphFile, ...]
    files: Mapping[str, Path]


def read_exported(folder: Path, name: str, *, late: bool) -> ExportedModel:
    """Read the description of the model ``name`` in a folder with an ONNX file.

    ``late`` says whether passages are pooled inside a whole window. Raises ``model_refused`` with
    the reason.
    """
    graphs, files = _graphs(folder)
    options = FolderOptions.read_options(folder, CONFIG)
    kinds = options.values.get("architectures")
    if isinstance(kinds, list) and str(kinds[:1]).endswith("ForSequenceClassification']"):
        raise options.wrong("architectures", kinds)  # such a model scores pairs of texts
    record = _embedding(folder, options, name, late=late)
    for file, path in files.items():
        regular_size(folder, path, most_bytes(file))
    return ExportedModel(record, graphs, files)


def most_bytes(name: str) -> int:
    """The largest permitted size of a file in the folder."""
    if name.endswith((".onnx", DATA)):
        return _LARGEST_GRAPH
    return _LARGEST.get(name, LARGEST_JSON)


def _graphs(folder: Path) -> tuple[tuple[GraphFile, ...], dict[str, Path]]:
    """The graphs of a folder, and their files."""
    wanted = [folder / place / GRAPH for place in GRAPH_FOLDERS]
    found = next((path for path in wanted if path.is_file()), None)
    if found is None:
        raise refusal(folder, "model_not_onnx", source=str(folder))
    files = {TOKENIZER: folder / TOKENIZER}
    if not files[TOKENIZER].exists():
        files[TOKENIZER] = found.parent / TOKENIZER
    graphs: list[GraphFile] = []
    for name, precision in {found.name: Precision.FP32, **COARSE}.items():
        path = found.parent / name
        if not path.is_file() or any(each.precision is precision for each in graphs):
            continue
        files[name], data = path, path.with_name(name + DATA)
        if data.is_file():
            files[data.name] = data
        card = precision is Precision.FP16
        graphs.append(
            GraphFile(name, precision, card=card, data=(data.name,) if data.is_file() else ())
        )
    return tuple(graphs), files


def _embedding(folder: Path, options: FolderOptions, name: str, *, late: bool) -> ModelRecord:
    pooling = _pooling(FolderOptions.read_options(folder, f"{_pooling_folder(folder)}/{CONFIG}"))
    if late and pooling is not Pooling.MEAN:
        raise refusal(folder, "model_late")
    lengths = FolderOptions.read_options(folder, LENGTHS, optional=True)
    positions = _positions(options)
    window = min(lengths.whole("max_seq_length", positions), positions)
    if window <= _MAX_PREFIX + _OVERLAP:
        raise refusal(folder, "model_option", option="max_seq_length", value=window)
    query, document = _prefixes(FolderOptions.read_options(folder, PROMPTS, optional=True))
    return ModelRecord(
        id=name, dimension=0, vocabulary=0, window=window, overlap=_OVERLAP,
        max_prefix=_MAX_PREFIX, languages=(), licence=None, pooling=pooling, late=late,
        pool_scope=PoolScope.PASSAGE if late else PoolScope.SEQUENCE,
        query_prefix=query, document_prefix=document,
    )  # fmt: skip


def _positions(options: FolderOptions) -> int:
    """The longest sequence of the model."""
    usual, other = "max_position_embeddings", "n_positions"
    found = options.whole(usual if usual in options.values else other, 512)
    if options.values.get("model_type") in _ROBERTA:
        found -= options.whole("pad_token_id", 1, low=0) + 1
    return found


def _pooling_folder(folder: Path) -> str:
    """The subfolder of the pooling module. Other modules than those computed here are refused."""
    rows = load_json(folder, MODULES)
    found: dict[str, str] = {}
    for row in rows if isinstance(rows, list) else [None]:
        kind = row.get("type") if isinstance(row, dict) else None
        path = row.get("path") if isinstance(row, dict) else None
        if not isinstance(kind, str) or not isinstance(path, str):
            raise refusal(folder, "model_file_damaged", file=MODULES)
        known = kind.rpartition(".")[2]
        # A path of several parts could lead out of the folder.
        if known not in _KINDS or "/" in path or "\\" in path or path in {".", ".."}:
            raise refusal(folder, "model_option", option="type", value=kind[:80])
        found[known] = path
    if tuple(found)[:2] != _KINDS[:2]:
        raise refusal(folder, "model_file_damaged", file=MODULES)
    return found["Pooling"]


def _pooling(options: FolderOptions) -> Pooling:
    if options.values.get("include_prompt") not in (True, None):
        raise options.wrong("include_prompt", options.values["include_prompt"])
    modes = [name for name, on in options.values.items()
             if name.startswith("pooling_mode_") and on is True]  # fmt: skip
    named = options.values.get("pooling_mode")
    if named is None and len(modes) == 1:
        named = modes[0].removeprefix("pooling_mode_")
    if not isinstance(named, str) or named not in _POOLINGS:
        raise options.wrong("pooling_mode", named or ", ".join(modes))
    return _POOLINGS[named]


def _prefixes(options: FolderOptions) -> tuple[str, str]:
    """The prefixes of queries and of passages."""
    prompts = options.values.get("prompts") or {}
    if not isinstance(prompts, dict):
        raise options.wrong("prompts", prompts)
    # For vectors of length 1 the dot product is the cosine.
    if options.values.get("similarity_fn_name") not in {None, "cosine", "dot", "dot_product"}:
        raise options.wrong("similarity_fn_name", options.values["similarity_fn_name"])
    chosen = [prompts.get("query"), prompts.get("document", prompts.get("passage"))]
    for prefix in chosen:
        if prefix is not None and (not isinstance(prefix, str) or len(prefix) > _LONGEST_PREFIX):
            raise options.wrong("prompts", prefix)
    return chosen[0] or "", chosen[1] or ""


def refusal(folder: Path, reason: str, **detail: object) -> WorldError:
    """The error for a folder that cannot be imported."""
    return WorldError("model_refused", path=str(folder), reason=reason, **detail)


def regular_size(folder: Path, file: Path, most: int) -> int:
    """The size of a regular file, which may be reached through a link.

    Raises ``model_refused`` if the file is not regular, or larger than ``most`` bytes.
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


def load_json(folder: Path, name: str) -> Any:
    """Read a file of JSON. Raises ``model_refused`` if it is missing, too large or damaged."""
    regular_size(folder, folder / name, LARGEST_JSON)
    try:
        return json.loads((folder / name).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise refusal(folder, "model_file_damaged", file=name) from error


def card_licence(folder: Path) -> str | None:
    """The licence in the head of a model's card, as written there."""
    try:
        regular_size(folder, folder / _CARD, LARGEST_JSON)
        card = (folder / _CARD).read_text("utf-8", errors="replace")
    except (OSError, WorldError):
        return None
    before, _, rest = card.partition("---\n")
    found = _LICENCE.search(rest.partition("\n---")[0]) if not before.strip() else None
    return found[1] if found and found[1] not in {"other", "unknown"} else None


class FolderOptions(Struct, frozen=True):
    """The options of a JSON file, each of which is checked when it is read."""

    folder: Path
    values: Mapping[str, Any]

    @classmethod
    def read_options(cls, folder: Path, name: str, *, optional: bool = False) -> FolderOptions:
        if optional and not (folder / name).exists():
            return cls(folder, {})
        values = load_json(folder, name)
        if not isinstance(values, dict):
            raise refusal(folder, "model_file_damaged", file=name)
        return cls(folder, values)

    def whole(self, name: str, default: int, low: int = 1) -> int:
        """Read a whole number from ``low`` to the limit for this name."""
        value = self.values.get(name)
        value = default if value is None else value
        if type(value) is not int or not low <= value <= _MOST[name]:
            raise self.wrong(name, value)
        return value

    def wrong(self, name: str, value: object) -> WorldError:
        return refusal(self.folder, "model_option", option=name, value=str(value)[:80])
