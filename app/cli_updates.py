"""``lectern updates``: say whether there is a newer version, if the person asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.cli_common import Command, Context

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--check", action="store_true", help="fetch the list of releases and compare"
    )


def _run(options: Namespace, context: Context) -> int:
    from app import paths, updates
    from app.versions import version

    own = version("lectern")
    context.print(f"This is Lectern {own or '(run from its folder)'}.")
    if not updates.SOURCE.address:
        context.print("This copy names no place where newer versions are announced.")
        return 0
    if not options.check:
        context.print(
            "Nothing was contacted. `lectern updates --check` would fetch one file:",
            f"  {updates.SOURCE.address}",
        )
        return 0
    offline = context.offline or bool(context.settings["offline"])
    release = updates.newer(own or "0.0", paths.models_folder(), offline=offline)
    if release is None:
        context.print("There is no newer one.")
        return 0
    context.print(f"Lectern {release.version} is there since {release.day}:")
    for file in release.files:
        context.print(f"  {file.address}", f"    SHA-256 {file.sha256}")
    return 0


COMMANDS = (
    Command(
        "updates",
        "see whether there is a newer version; contacts nobody by itself",
        "Say which version this is, and which address would be asked for newer ones. With --check "
        "one file is fetched from there, a list of releases that must be signed with the key in "
        "the program. Nothing else is sent, and nothing is installed. It never happens by itself.",
        (
            ("lectern updates", "what would be contacted"),
            ("lectern updates --check", "ask"),
        ),
        _arguments,
        _run,
    ),
)
