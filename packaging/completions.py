"""Shell completions of the command line, from its parser.

This module knows how arguments are completed, and where each shell's script belongs.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import shtab

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
# Where each shell looks for completions, below a folder such as /usr/share.
PLACES = {
    "bash": "bash-completion/completions/lectern",
    "zsh": "zsh/site-functions/_lectern",
    "fish": "fish/vendor_completions.d/lectern.fish",
}
# The placeholders of arguments that are completed with folders and files.
_FOLDERS = frozenset({"DIR", "FOLDER", "DEST"})
_FILES = frozenset({"PATH", "FILE", "PLACE", "A", "B"})


def script(shell: str) -> str:
    """Return the script for a shell of ``PLACES``."""
    sys.path.insert(0, str(ROOT))
    from app.cli import COMMANDS, build_parser

    parser = build_parser()
    for action in _actions(parser):
        _offer(action)
    for name, sub in _commands(parser).items():
        sub.description = next(each.summary for each in COMMANDS if each.name == name)
    return str(shtab.complete(parser, shell))


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:  # noqa: SLF001  # argparse has no public access
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001  # as above
            return dict(action.choices)
    return {}


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for each in (parser, *_commands(parser).values()):
        yield from (action for action in each._actions if action.dest != "command")  # noqa: SLF001  # as above


def _offer(action: argparse.Action) -> None:
    from app.settings import SETTINGS
    from indexer.embed.model_files import known_records

    name = str(action.metavar or "")
    if name in _FOLDERS:
        action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]  # read by shtab
    elif name in _FILES:
        action.complete = shtab.FILE  # type: ignore[attr-defined]  # as above
    elif action.dest == "name":
        action.choices = sorted(SETTINGS)
    elif action.dest == "model":
        action.choices = sorted(record.id for record in known_records())
    elif action.choices is not None:
        action.choices = list(action.choices)  # shtab takes a mapping for subcommands


def write(share: Path) -> None:
    """Write all scripts below a folder such as ``/usr/share``."""
    for shell, place in PLACES.items():
        (share / place).parent.mkdir(parents=True, exist_ok=True)
        (share / place).write_text(script(shell), "utf-8")
