"""``lectern doctor``: check the installation, the machine, the model and the library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app import render
from app.cli_common import Command, Context
from indexer.api.codec import encode
from indexer.api.errors import LecternError
from indexer.api.requests import Diagnose

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from app.render import Style
    from indexer.api.answers import Check


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the checks as JSON")


def _run(options: Namespace, context: Context) -> int:
    from app import doctor

    config = context.config()
    checks = [*doctor.checks(context.settings, config), *doctor.places(config)]
    status = 0
    try:
        found = context.with_engine(lambda engine: engine.call(Diagnose()))
        # The engine's own checks win: it may run in another environment.
        better = {check.name: check for check in found if check.value}
        checks = [better.pop(check.name, check) for check in checks] + list(better.values())
    except LecternError as error:
        status = error.declared.exit_status
        checks.append(doctor.check("engine", error.message, ok=False, advice=error.next_step))
    if options.json:
        context.print_json(encode(checks))
    else:
        context.print(*check_lines(checks, context.style()))
    return status or int(not all(check.ok for check in checks))


def check_lines(checks: list[Check], style: Style) -> list[str]:
    """Return the lines of a table of checks, and how many are bad."""
    wide = max(len(check.name) for check in checks)
    lines = []
    for check in checks:
        verdict = "ok " if check.ok else style.bad("BAD")
        lines.append(f"{verdict}  {check.name:<{wide}}  {render.name(check.value)}")
        if check.advice:
            lines.append(f"     {'':<{wide}}  {render.name(check.advice)}")
    bad = sum(not check.ok for check in checks)
    return [*lines, f"{render.count(bad, 'problem')}." if bad else "Everything is fine."]


COMMANDS = (
    Command(
        "doctor",
        "check versions, model, device, disk and library",
        "Check the installation and the library: versions, the model and its files, the device "
        "the model really runs on and why, how the processes are cut off from the network, free "
        "disk, and whether the library is whole. What is bad comes with advice, and an exit "
        "status other than 0.",
        (("lectern doctor", "for a person"), ("lectern doctor --json", "for a report")),
        _arguments,
        _run,
    ),
)
