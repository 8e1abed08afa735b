"""The commands that check an installation and set it: doctor, report, self-test and settings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from app import logs, render
from app.cli_common import Command, CommandContext, LibraryUse, json_argument
from app.settings import SETTINGS, find
from indexer.api.codec import encode
from indexer.api.errors import LecternError, bad_usage
from indexer.api.requests import Diagnose

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from app.render import TerminalStyle
    from indexer.api.answers import Check
    from indexer.api.setting import Setting, Value


def _doctor(options: Namespace, context: CommandContext) -> int:
    from app import doctor

    config = context.config()
    checks = [*doctor.checks(context.settings, config)]
    status = 0
    try:
        found = context.ask_engine(Diagnose())
        # The engine may run in another environment, so its own checks replace ours.
        better = {check.name: check for check in found if check.value}
        checks = [better.pop(check.name, check) for check in checks] + list(better.values())
    except LecternError as error:
        status = error.declared.exit_status
        checks.append(doctor.check("engine", error.message, ok=False, advice=error.next_step))
    context.answer(options, encode(checks), *check_lines(checks, context.style()))
    return status or int(not all(check.ok for check in checks))


def check_lines(checks: list[Check], style: TerminalStyle) -> list[str]:
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


LOG_LINES = 300


def _report(options: Namespace, context: CommandContext) -> None:
    context.print(*logs.about_this_system())
    found = logs.fault_reports()
    for file in found:
        context.print("", *file.read_text(encoding="utf-8", errors="replace").splitlines())
    if not found:
        context.print("", "No fault was noted.")
    if options.with_log and logs.log_file().exists():
        log = logs.log_file().read_text(encoding="utf-8", errors="replace").splitlines()
        context.print("", f"The last {LOG_LINES} lines of the log:", *log[-LOG_LINES:])


def _self_test(options: Namespace, context: CommandContext) -> int:
    from app import doctor

    context.note("Indexing the sample documents in a temporary library, and opening a window.")
    checks = list(doctor.self_test(context))
    context.answer(options, encode(checks), *check_lines(checks, context.style()))
    return int(not all(check.ok for check in checks))


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "action", nargs="?", default="list", choices=("list", "get", "set", "reset"),
        help="what to do (list)",
    )  # fmt: skip
    parser.add_argument("name", nargs="?", metavar="NAME", help="which setting")
    parser.add_argument("values", nargs="*", metavar="VALUE", help="its new value, or values")
    parser.add_argument("--json", action="store_true", help="print the settings as JSON")


def _run(options: Namespace, context: CommandContext) -> None:
    if options.action == "list":
        _list(options, context)
    elif options.name is None:
        raise bad_usage("settings", f"{options.action} needs a name")
    else:
        _change(find(options.name), options, context)


def _list(options: Namespace, context: CommandContext) -> None:
    settings = context.settings
    if options.json:
        context.print_json({name: settings[name] for name in SETTINGS})
        return
    rows = [
        (name, show(settings[name]) + ("" if settings.is_set(name) else "  (default)"))
        for name in SETTINGS
    ]
    context.print(*render.columns(rows))
    for problem in settings.problems:
        context.note(f"{problem.message} The default counts.")


def _change(setting: Setting, options: Namespace, context: CommandContext) -> None:
    settings = context.settings
    if options.action == "set":
        settings.set(setting.name, setting.parse_value(options.values))
    elif options.action == "reset":
        settings.reset(setting.name)
    value = settings[setting.name]
    context.print(json.dumps(value, ensure_ascii=False) if options.json else show(value))


def show(value: Value) -> str:
    """Format a value as it can be typed."""
    match value:
        case bool():
            return "on" if value else "off"
        case tuple():
            return " ".join(value)
        case float():
            return f"{value:g}"
        case _:
            return str(value)


COMMANDS = (
    Command(
        "doctor",
        "check versions, model, device, disk and library",
        "Check the installation and the library: versions, the model and its files, the device "
        "the model really runs on and why, how the processes are cut off from the network, free "
        "disk, and whether the library is whole. Each fault is shown with advice, and makes the "
        "exit status other than 0.",
        (("lectern doctor", "for a person"), ("lectern doctor --json", "for a report")),
        json_argument,
        _doctor,
        LibraryUse.READS,
    ),
    Command(
        "report",
        "show what to send when something went wrong",
        "Show versions, the system, and the logged faults, each by its kind and its place in the "
        "program. The report contains no text of a document, no name of a file and no path; with "
        "--with-log it may contain names of files. Lectern sends nothing: read the report, and "
        "send it yourself.",
        (("lectern report", "show it"), ("lectern report --with-log", "with the log")),
        lambda parser: parser.add_argument(
            "--with-log",
            action="store_true",
            help="add the end of the log, which may contain names of files",
        ),
        _report,
        LibraryUse.NONE,
    ),
    Command(
        "self-test",
        "test whether this installation works",
        "Index the sample documents in a temporary library, search them, recognise a scanned page, "
        "open a window that is not shown and wait for the page in it, and look for internet "
        "sockets. Your own library is not touched.",
        (("lectern self-test", "test everything once"),),
        json_argument,
        _self_test,
        LibraryUse.NONE,
    ),
    Command(
        "settings",
        "list, read and change the settings",
        "List the settings, read one, change one, or return one to its default. They are kept in "
        "one file, and apply to every command from then on.\n\nthe settings:\n"
        + "\n".join(render.columns([(each.name, each.help) for each in SETTINGS.values()], "  ")),
        (
            ("lectern settings", "all of them"),
            ("lectern settings get precision", "one"),
            ("lectern settings set min_free_gb 5", "change one"),
            ("lectern settings set exclude '*.bak' 'Drafts/'", "several values"),
            ("lectern settings reset exclude", "back to the default"),
        ),
        _arguments,
        _run,
        LibraryUse.NONE,
    ),
)
