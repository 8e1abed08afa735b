"""``lectern models``: the language models there are, what each of them is, and which is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app import render
from app.cli_common import Command, Context, existing, json_argument
from app.cli_repair import change_model
from indexer.api.codec import encode
from indexer.api.errors import WorldError
from indexer.api.requests import GetStatus
from indexer.config import Precision
from indexer.embed.models import Pooling, Side

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterator

    from indexer.embed.installed import ModelInfo
    from indexer.embed.models import ModelRecord

UNKNOWN = "unknown"
_ORIGINS = {
    "shipped": "comes with Lectern",
    "fetched": "fetched by pip",
    "imported": "imported from a folder",
}
_STATES = {
    "compiled": "ready",
    "weights": "compiled when it is first used",
    "absent": "not here yet",
}
_POOLING = {
    Pooling.MEAN: "the mean of its tokens",
    Pooling.CLS: "that of the first token",
    Pooling.LAST: "that of the last token",
}


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "action", nargs="?", default="list", choices=tuple(_ACTIONS), help="what to do (list)"
    )
    parser.add_argument(
        "model", nargs="?", metavar="NAME", help="which model; for import, the folder of one"
    )
    parser.add_argument("--name", metavar="NEW", help="for import: its name; else the folder's")
    parser.add_argument(
        "--late", action="store_true", help="for import: it was trained for late chunking"
    )
    parser.add_argument(
        "--precision", choices=tuple(Precision), metavar="P",
        help="for get and use: int8 or fp32; else the setting's",
    )  # fmt: skip
    parser.add_argument(
        "--dry-run", action="store_true", help="for use: only say what it would cost"
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    json_argument(parser)


def _run(options: Namespace, context: Context) -> int:
    if (options.action == "list") != (options.model is None):
        needs = "takes no name" if options.action == "list" else "needs a name"
        raise WorldError("bad_usage", command="lectern models", reason=f"{options.action} {needs}")
    return _ACTIONS[options.action](options, context)


def _list(options: Namespace, context: Context) -> int:
    from indexer.embed.installed import describe
    from indexer.embed.record_files import known_records

    models = context.config().models
    found = [describe(record, models) for record in known_records(models)]
    if options.json:
        context.print_json(encode(found))
    else:
        context.print(*render.columns([(render.name(each.id), summary(each)) for each in found]))
    return 0


def summary(model: ModelInfo) -> str:
    """Describe a model in a line."""
    languages = model.languages or (UNKNOWN,)
    spoken = languages[0] if len(languages) == 1 else f"{len(languages)} languages"
    window = f"windows of {model.tokens:,} tokens" if model.late else f"{model.tokens:,} tokens"
    facts = (
        _STATES[model.state], f"{model.dimensions} dimensions", window, spoken,
        render.size(model.bytes), model.licence or f"licence {UNKNOWN}",
    )  # fmt: skip
    return ", ".join(facts)


def _info(options: Namespace, context: Context) -> int:
    return _show(_record(options, context), options, context)


def _import(options: Namespace, context: Context) -> int:
    from indexer.embed.imported import import_model

    record = import_model(
        existing(options.model), context.config().models, name=options.name or "",
        late=options.late, note=_progress(options, context),
    )  # fmt: skip
    return _show(record, options, context)


def _progress(options: Namespace, context: Context) -> Callable[[str], None]:
    return lambda text: None if options.quiet else context.note(f"{render.name(text)} …")


def _show(record: ModelRecord, options: Namespace, context: Context) -> int:
    from indexer.embed.installed import describe

    found = describe(record, context.config().models)
    if options.json:
        context.print_json(encode(found))
    else:
        context.print(*render.columns(list(info_rows(found))))
    return 0


def info_rows(model: ModelInfo) -> Iterator[tuple[str, str]]:
    """Describe a model, a row for each fact."""
    yield "Model", f"{render.name(model.id)}, {_ORIGINS[model.origin]}"
    forms = f" ({', '.join(model.compiled)})" if model.compiled else ""
    yield "State", _STATES[model.state] + forms
    yield "Vectors", f"{model.dimensions} dimensions, {_POOLING[model.pooling]}"
    yield "Layers", f"{model.layers}"
    yield (
        "Window",
        f"{model.tokens:,} tokens"
        + (f", of queries {model.query_tokens:,}" if model.query_tokens != model.tokens else ""),
    )
    yield "Late chunking", "yes" if model.late else "no: each passage is read alone"
    for name, prefix in (("Queries", model.query_prefix), ("Passages", model.document_prefix)):
        yield name, f"begin with “{render.name(prefix)}”" if prefix else "have no prefix"
    yield "Languages", " ".join(model.languages or (UNKNOWN,))
    yield "Licence", model.licence or UNKNOWN
    yield "Homepage", render.name(model.homepage or UNKNOWN)
    yield "Weights", render.size(model.bytes)
    yield "On the disk", render.size(model.disk_bytes)


def _get(options: Namespace, context: Context) -> int:
    """Fetch and compile a model without using it."""
    from indexer.embed.compiled import ensure_compiled

    config, record = context.config(), _record(options, context)
    context.note(f"The licence of {render.name(record.id)}: {record.licence or UNKNOWN}.")
    wanted = (
        (Precision(options.precision or config.precision), Side.PASSAGES),
        (config.query_precision, Side.QUERIES),
    )
    for precision, side in wanted:
        ensure_compiled(
            record, config.models, precision, side, download=not config.offline,
            note=_progress(options, context),
        )  # fmt: skip
    return _show(record, options, context)


def _remove(options: Namespace, context: Context) -> int:
    from indexer.embed.installed import remove

    record = _record(options, context)
    if reason := _use_of(record.id, context):
        raise WorldError(
            "model_in_use", model=record.id, reason=reason, library=str(context.library)
        )
    freed = remove(record, context.config().models)
    if options.json:
        context.print_json({"bytes": freed})
    else:
        context.print(f"{render.size(freed)} are free again.")
    return 0


def _use_of(model: str, context: Context) -> str:
    """What uses a model: the settings, or the library; "" if neither does."""
    config = context.config()
    if model in (config.model, config.languages_model):
        return "chosen_model"
    if not context.library.is_dir():
        return ""
    status = context.with_engine(lambda engine: engine.call(GetStatus()))
    others = (each.model for each in (status.changing, status.previous) if each)
    return "library_model" if model in (status.model, *others) else ""


def _record(options: Namespace, context: Context) -> ModelRecord:
    from indexer.embed.record_files import find_record

    return find_record(options.model, context.config().models)


_ACTIONS = {
    "list": _list,
    "info": _info,
    "get": _get,
    "use": change_model,
    "remove": _remove,
    "import": _import,
}

COMMANDS = (
    Command(
        "models",
        "list the language models; fetch, import, use or remove one",
        "List the language models that are known here, say all that is known of one, fetch and "
        "compile one, change the library to it, or delete its files. What a model's record does "
        "not know is shown as unknown. `use` is `lectern reindex --model`: the old vectors answer "
        "until the new ones are complete. `remove` refuses a model that the settings or the "
        "library use; other libraries that use it search words only until it is back.\n\n"
        "`import` takes a folder that sentence-transformers saved: BERT, RoBERTa, XLM-R and "
        "ModernBERT, pooled by the mean, the first or the last token, with weights in "
        "safetensors. Nothing in it is run. It is copied, compiled, and accepted only if it "
        "computes the same as a reference on texts of up to 2,048 tokens. Languages and licence "
        "stand in no file that is read, so they are unknown.",
        (
            ("lectern models", "all of them"),
            ("lectern models info lectern-e5-late", "one of them"),
            ("lectern models get all-MiniLM-L6-v2", "fetch and compile it"),
            ("lectern models use lectern-e5-late --dry-run", "what it would cost"),
            ("lectern models import ~/models/mine --name mine", "take over one from a folder"),
            ("lectern models remove all-MiniLM-L6-v2", "delete its files"),
        ),
        _arguments,
        _run,
    ),
)
