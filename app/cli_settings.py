"""``lectern settings``: list, read, change and document the settings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from app import render
from app.cli_common import Command, CommandContext
from app.settings import SETTINGS, find
from indexer.api.errors import WorldError
from indexer.api.setting import Setting, SettingType, Value

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "action", nargs="?", default="list", choices=("list", "get", "set", "reset"),
        help="what to do (list)",
    )  # fmt: skip
    parser.add_argument("name", nargs="?", metavar="NAME", help="which setting")
    parser.add_argument("values", nargs="*", metavar="VALUE", help="its new value, or values")
    parser.add_argument("--json", action="store_true", help="print the settings as JSON")
    parser.add_argument(
        "--markdown", action="store_true", help="print the table of the documentation"
    )


def _run(options: Namespace, context: CommandContext) -> int:
    if options.markdown:
        context.print(*markdown())
    elif options.action == "list":
        _list(options, context)
    elif options.name is None:
        raise WorldError(
            "bad_usage", command="lectern settings", reason=f"{options.action} needs a name"
        )
    else:
        _change(find(options.name), options, context)
    return 0


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
    """Write a value the way it can be typed."""
    match value:
        case bool():
            return "on" if value else "off"
        case tuple():
            return " ".join(value)
        case float():
            return f"{value:g}"
        case _:
            return str(value)


def markdown() -> list[str]:
    """Return the settings as a table for the documentation."""
    head = ["| setting | values | default | |", "|---|---|---|---|"]
    return head + [
        f"| `{each.name}` | {each.values} | {_default(each)} | {each.help} |"
        for each in SETTINGS.values()
    ]


def _default(setting: Setting) -> str:
    text = show(setting.default)
    return f"`{text}`" if text else "none" if setting.type is SettingType.LIST else "empty"


COMMANDS = (
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
    ),
)
