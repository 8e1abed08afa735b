"""``lectern models``: list the language models, describe one, fetch one, or change to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from app import render
from app.cli_common import Command, CommandContext, LibraryUse, existing, json_argument
from app.cli_repair import change_model
from indexer.api.codec import encode
from indexer.api.errors import bad_usage
from indexer.api.models import CompareModels, ModelState, RankScore, RemoveModel, read_questions
from indexer.api.progress import Reporter
from indexer.config import Precision

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterator

    from indexer.api.models import ComparedQuestion, ModelComparison, ModelInfo


UNKNOWN = "unknown"
_STATES = {ModelState.HERE: "ready", ModelState.ABSENT: "not here yet"}


def summary(model: ModelInfo) -> str:
    """Describe a model in a line without unverified facts, except that the licence is unknown."""
    spoken = f"{len(model.languages or ())} languages"
    if not model.languages:
        spoken = f"{model.language_count}+ languages" if model.language_count else ""
    elif len(model.languages) == 1:
        (spoken,) = model.languages
    facts = (
        _STATES[model.state],
        f"{model.dimensions} dimensions" if model.dimensions else "",
        f"{'windows of ' if model.late else ''}{model.tokens:,} tokens" if model.tokens else "",
        spoken,
        render.size(model.bytes) if model.bytes is not None else "",
        model.licence or f"licence {UNKNOWN}",
    )
    return ", ".join(filter(None, facts))


def info_rows(model: ModelInfo) -> Iterator[tuple[str, str]]:
    """Return a row for each fact of a model; a fact that is not verified is shown as unknown."""
    for each in structs.fields(model):
        value = getattr(model, each.name)
        match value:
            case None:
                shown = UNKNOWN
            case bool():
                shown = "yes" if value else "no"
            case int():
                shown = render.size(value) if each.name.endswith("bytes") else f"{value:,}"
            case tuple():
                shown = ", ".join(value)
            case _:
                shown = value
        if shown:
            yield render.phrase(each.name), render.name(shown)


def comparison_lines(found: ModelComparison) -> Iterator[str]:
    """Format what two models find: each question, then the sums."""
    for each in found.questions:
        yield render.name(each.question.text)
        yield f"  {each.shared} of the first ten passages in both" + _ranks(each)
        for number, model in enumerate((found.first, found.second)):
            places = [one.place for one in each.passages if one.ranks[1 - number] is None]
            if places:
                yield f"  only {render.name(model)}: {', '.join(map(render.name, places))}"
    yield ""
    shared = [each.shared for each in found.questions]
    mean = sum(shared) / len(shared) if shared else 0.0
    asked = render.count(len(shared), "question")
    yield f"{asked}; {mean:.1f} of the first ten passages are found by both."
    marked = [each for each in found.questions if each.question.right]
    for number, model in enumerate((found.first, found.second)):
        score = RankScore.of([each.right_rank(number) for each in marked])
        if score.questions:
            yield (
                f"{render.name(model)}: the right document first {score.first} of "
                f"{score.questions} times, among ten {score.ten} times, "
                f"mrr@10 {score.reciprocal:.3f}."
            )
    if not marked:
        yield "Write the right document behind a question, after a tab, to see who is right."


def _ranks(each: ComparedQuestion) -> str:
    if not each.question.right:
        return ""
    ranks = (str(each.right_rank(model) or "-") for model in (0, 1))
    return f"; the right one at {' and '.join(ranks)}"


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "action", nargs="?", default="list", choices=tuple(_ACTIONS), help="what to do (list)"
    )
    parser.add_argument(
        "model", nargs="?", metavar="NAME", help="which model; for import, the folder of one"
    )
    parser.add_argument(
        "other", nargs="?", metavar="OTHER", help="for compare: the model to compare with"
    )
    parser.add_argument(
        "--queries", metavar="FILE",
        help="for compare: your questions, one a line; after a tab the document that answers it",
    )  # fmt: skip
    parser.add_argument("--name", metavar="NEW", help="for import: its name; else the folder's")
    parser.add_argument(
        "--late", action="store_true", help="for import: it was trained for late chunking"
    )
    parser.add_argument(
        "--precision", choices=tuple(Precision), metavar="P",
        help="for use: int8, fp16 or fp32; else the setting's",
    )  # fmt: skip
    parser.add_argument(
        "--dry-run", action="store_true", help="for use: only say what it would cost"
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    json_argument(parser)


def _run(options: Namespace, context: CommandContext) -> int | None:
    action, given = options.action, sum(each is not None for each in (options.model, options.other))
    least, most = _NAMES.get(action, (1, 1))
    if not least <= given <= most:
        needs = ("takes no name", "needs a name", "needs two names")[least]
        raise bad_usage("models", f"{action} {needs}")
    if action == "compare" and given == 1:
        reason = "compare needs two names, or none for the one before and the one in use"
        raise bad_usage("models", reason)
    if (action == "compare") != bool(options.queries):
        raise bad_usage("models", "compare goes with --queries FILE")
    return _ACTIONS[options.action](options, context)


def _list(options: Namespace, context: CommandContext) -> None:
    from indexer.embed.installed import list_models

    found = list_models(context.config().models)
    context.answer(
        options,
        encode(found),
        *render.columns([(render.name(each.id), summary(each)) for each in found]),
    )


def _info(options: Namespace, context: CommandContext) -> None:
    from indexer.embed.installed import describe_model

    _show(describe_model(options.model, context.config().models), options, context)


def _import(options: Namespace, context: CommandContext) -> None:
    from indexer.embed.imported import import_model
    from indexer.embed.installed import describe

    models = context.config().models
    record = import_model(
        existing(options.model), models, name=options.name or "",
        late=options.late, reporter=Reporter(note=_progress(options, context)),
    )  # fmt: skip
    _show(describe(record, models), options, context)


def _progress(options: Namespace, context: CommandContext) -> Callable[[str], None]:
    return lambda text: None if options.quiet else context.note(f"{render.name(text)} …")


def _show(found: ModelInfo, options: Namespace, context: CommandContext) -> None:
    context.answer(options, encode(found), *render.columns(list(info_rows(found))))


def _get(options: Namespace, context: CommandContext) -> None:
    """Fetch a model without using it."""
    from indexer.embed.installed import describe_model, obtain_model

    config = context.config()
    known = describe_model(options.model, config.models)
    context.note(f"The licence of {render.name(known.id)}: {known.licence or UNKNOWN}.")
    with context.progress(quiet=options.quiet) as (report, token):
        reporter = Reporter(report, token, _progress(options, context))
        found = obtain_model(known.id, config, reporter=reporter)
    _show(found, options, context)


def _compare(options: Namespace, context: CommandContext) -> None:
    """Ask the person's own questions with the vectors of two models."""
    text = existing(options.queries).read_text("utf-8-sig", errors="replace")
    questions = tuple(read_questions(text))
    request = CompareModels(options.model or "", options.other or "", questions)
    with context.calling(quiet=options.quiet) as call:
        found = call(request)
    context.answer(options, encode(found), *comparison_lines(found))


def _remove(options: Namespace, context: CommandContext) -> None:
    from indexer.embed.installed import remove_model

    if context.library.is_dir():
        freed = context.ask_engine(RemoveModel(options.model))
    else:
        freed = remove_model(options.model, context.config())
    context.answer(options, {"bytes": freed}, f"{render.size(freed)} are free again.")


def _use_of_library(options: Namespace) -> LibraryUse:
    if options.action == "use" and not options.dry_run:
        return LibraryUse.CHANGES
    return LibraryUse.READS if options.action in {"use", "compare"} else LibraryUse.NONE


_ACTIONS: dict[str, Callable[[Namespace, CommandContext], int | None]] = {
    "list": _list,
    "info": _info,
    "get": _get,
    "use": change_model,
    "remove": _remove,
    "import": _import,
    "compare": _compare,
}
# How many names an action takes, at least and at most, if that is not one.
_NAMES = {"list": (0, 0), "compare": (0, 2)}

COMMANDS = (
    Command(
        "models",
        "list the language models; fetch, import, use, compare or remove one",
        "List the language models that Lectern knows, describe one, fetch one, change the "
        "library to it, or delete its files. Facts that a model's record lacks are shown as "
        "unknown. `use` is `lectern reindex --model`: searches use the old vectors until the new "
        "ones are complete. `remove` refuses a model that the settings or the library use; other "
        "libraries that use it search by words only until it is back.\n\n"
        "`import` takes a folder with ONNX files, as sentence-transformers or optimum exports "
        "them. `optimum-cli export onnx --model FOLDER FOLDER/onnx` makes them for any other "
        "model. Nothing in the folder is run. The model is copied, and refused if padding changes "
        "its vectors; its forms in 16 and 8 bits are used if their vectors are about the same. Its "
        "licence is taken from the head of its README.md; its languages are unknown.\n\n"
        "`get` of a published model asks its hub, huggingface.co or the mirror in HF_ENDPOINT, for "
        "sizes and hashes, then fetches the missing files. It continues where it stopped. "
        "HTTPS_PROXY and HF_TOKEN are honoured.\n\n"
        "`compare` asks your own questions with two models whose vectors the library has: without "
        "names, its model and the one before. First `use` the new model, then compare. If it is "
        "worse, `lectern reindex --rollback` returns to the old one at once.",
        (
            ("lectern models", "all of them"),
            ("lectern models info lectern-e5-late", "one of them"),
            ("lectern models get all-MiniLM-L6-v2", "fetch it"),
            ("lectern models use lectern-e5-late --dry-run", "what it would cost"),
            ("lectern models import ~/models/mine --name mine", "take over one from a folder"),
            ("lectern models remove all-MiniLM-L6-v2", "delete its files"),
            (
                "lectern models compare lectern-minilm-late lectern-e5-late --queries mine.txt",
                "two models on your own questions",
            ),
        ),
        _arguments,
        _run,
        _use_of_library,
    ),
)
