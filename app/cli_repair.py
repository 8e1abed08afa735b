"""The commands that maintain a library: verify, repair, reindex."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from app import render
from app.cli_common import CANCELLED, Command, CommandContext, LibraryUse, json_argument
from app.cli_index import exit_status, run_job
from indexer.api.codec import encode
from indexer.api.errors import WorldError, bad_usage
from indexer.api.models import Discard, EstimateReindex, Reindex, RollBack
from indexer.api.requests import Index, Repair, Verify

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from indexer.api.answers import ReindexCost, RepairOutcome, Verification

DAMAGED = 1  # exit status for a library with problems


def _verify(options: Namespace, context: CommandContext) -> int:
    with context.calling() as call:
        found = call(Verify())
    found = replace(found, seconds=context.elapsed)
    context.answer(options, encode(found), *verify_lines(found))
    return DAMAGED if found.problems else 0


def verify_lines(found: Verification) -> list[str]:
    """Format the problems, a line each, and the next step."""
    checked = (
        f"{render.count(found.documents, 'document')}, "
        f"{render.count(found.passages, 'passage')} and {render.size(found.bytes)} "
        f"looked through in {render.duration(found.seconds)}."
    )
    if not found.problems:
        return [f"Everything is whole: {checked}"]
    return [
        checked,
        *(f"  {render.name(problem.sentence)}" for problem in found.problems),
        "Run `lectern repair`; what is lost is read again from your files.",
    ]


def _repair(options: Namespace, context: CommandContext) -> int:
    context.opened()
    rescued = _rescued(context)
    with context.calling() as call:
        repaired = call(Repair())
        found = repaired.problems or repaired.queued or rescued
        read_again = call(Index()) if found else None
    if any(problem.kind == "damaged_catalog" for problem in repaired.left):
        raise WorldError("needs_closing", library=str(context.library))
    answer = {"rescued": rescued, **encode(repaired)}
    if read_again is not None:
        answer |= {"states": encode(read_again.states), "cancelled": read_again.cancelled}
    context.answer(options, answer, *repair_lines(rescued, repaired))
    if read_again is not None and read_again.cancelled:
        return CANCELLED
    return DAMAGED if repaired.left else 0


def _rescued(context: CommandContext) -> list[str]:
    """Repair what prevents opening the library; do nothing while an engine has it open.

    Returns a sentence for each thing repaired.
    """
    from indexer.library.rescue import rescue

    try:
        return rescue(context.library) if context.library.is_dir() else []
    except WorldError as error:
        if error.code != "library_locked":
            raise
        return []


def repair_lines(rescued: list[str], repaired: RepairOutcome) -> list[str]:
    """Format the problems before and after a repair."""
    found = [*rescued, *(problem.sentence for problem in repaired.problems)]
    if not found:
        return ["Everything is whole; there was nothing to repair."]
    lines = [f"  {render.name(sentence)}" for sentence in found]
    if repaired.left:
        left = [f"  {render.name(problem.sentence)}" for problem in repaired.left]
        return ["Found:", *lines, "Still there:", *left]
    return ["Found, and repaired:", *lines, "What was lost is read again."]


def _reindex_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--model", metavar="NAME", help="the embedding model (the setting)")
    parser.add_argument("--precision", metavar="P", help="of the model: int8, fp16 or fp32")
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--dry-run", action="store_true", help="only say what it would cost; change nothing"
    )
    group.add_argument(
        "--rollback", action="store_true", help="use the model before the last change again"
    )
    group.add_argument("--discard", action="store_true", help="delete what is kept for --rollback")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    json_argument(parser)


def _reindex(options: Namespace, context: CommandContext) -> int:
    if (options.rollback or options.discard) and (options.model or options.precision):
        raise bad_usage("reindex", "--rollback and --discard choose the model themselves")
    if options.rollback:
        _roll_back(options, context)
    elif options.discard:
        freed = context.ask_engine(Discard())
        context.answer(options, {"bytes": freed}, f"{render.size(freed)} are free again.")
    else:
        return change_model(options, context)
    return 0


def change_model(options: Namespace, context: CommandContext) -> int:
    """Compute all vectors with ``options.model``, or with --dry-run say what that would cost."""
    cost = context.ask_engine(EstimateReindex(options.model, options.precision))
    if options.dry_run:
        context.answer(options, encode(cost), *cost_lines(cost))
        return 0
    _remember(context, cost.model, cost.precision)
    job = Reindex(cost.model, cost.precision)
    return exit_status(run_job(context, job, quiet=options.quiet, as_json=options.json))


def _roll_back(options: Namespace, context: CommandContext) -> None:
    back = context.ask_engine(RollBack())
    _remember(context, back.model, back.precision)
    context.answer(options, encode(back), f"{back.model}, {back.precision}, answers again.")


def cost_lines(cost: ReindexCost) -> list[str]:
    """Format the cost of a change of model."""
    lines = []
    if cost.outdated:
        files = render.count(cost.outdated, "file")
        lines.append(f"{files} to be read again: an older version of Lectern has read them.")
    name = f"{render.name(cost.model)}, {cost.precision}"
    if not cost.passages:
        return [*lines, f"Nothing to embed: {name} has read everything."]
    time = render.about(cost.seconds)
    how = "measured on this machine" if cost.measured else "a guess: the model is not here yet"
    documents = render.count(cost.documents, "document")
    passages = render.count(cost.passages, "passage")
    size = render.size(cost.bytes)
    return [
        *lines,
        f"{name}: {documents}, {passages}, about {cost.tokens:,} tokens.",
        f"{time[0].upper()}{time[1:]} ({how}), {size} more on the disk.",
        "The current vectors are used until then, and are kept for `lectern reindex --rollback`.",
    ]


def _remember(context: CommandContext, model: str, precision: str) -> None:
    """Store the model and its precision in the settings."""
    for name, value in (("model", model), ("precision", precision)):
        if str(context.settings[name]) != value:
            context.settings.set(name, value)


COMMANDS = (
    Command(
        "verify",
        "read the whole library once and say what is wrong with it",
        "Compare the catalog, the store and the disk with each other, in both directions, and read "
        "all of the library once. Nothing is changed; `lectern repair` does that. The exit status "
        "is 0 if everything is whole and 1 if something is wrong.",
        (("lectern verify", "for a person"), ("lectern verify --json", "for a program")),
        json_argument,
        _verify,
        LibraryUse.ASKS,
    ),
    Command(
        "repair",
        "remove what is damaged, and read again what was lost",
        "Repair a library: remove unreadable and inconsistent parts, and read the files that they "
        "came from again. Your files are never changed. A catalog or a table that cannot be opened "
        "is made again from the parts that can still be read. The exit status is 0 if the library "
        "is whole afterwards.",
        (("lectern repair", "repair, and read again what was lost"),),
        json_argument,
        _repair,
    ),
    Command(
        "reindex",
        "change the embedding model, or say what that would cost",
        "Compute all vectors with another model, or the missing ones with the current model. "
        "Searches use the old vectors until the new ones are complete, then all change over at "
        "once. A running engine computes them while it is idle. Ctrl+C stops it, and `lectern "
        "index` continues. The old model is kept until another change is complete, so that "
        "--rollback can bring it back. Files read by an older version of Lectern are read again on "
        "the way.",
        (
            ("lectern reindex --model all-MiniLM-L6-v2 --dry-run", "what it would cost"),
            ("lectern reindex --precision fp32", "change the precision"),
            ("lectern reindex --rollback", "return to the previous model"),
            ("lectern reindex --discard", "free the disk space that --rollback needs"),
        ),
        _reindex_arguments,
        _reindex,
        lambda options: LibraryUse.READS if options.dry_run else LibraryUse.CHANGES,
    ),
)
