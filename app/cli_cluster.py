"""The command on libraries that are published on object storage, and ``--library URI``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from app import render
from app.cli_common import LIBRARY_VARIABLE, Command, CommandContext, absolute_path
from app.confined import EXCHANGE, publish_library, pull_library
from indexer.api.errors import WorldError, bad_usage
from indexer.api.private_files import short_digest
from indexer.confine import launcher
from indexer.confine.launcher import PublishLibrary, PullLibrary
from indexer.confine.process import own_command

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from pathlib import Path

# The commands that leave a library as it is; what others changed would stay in the copy.
READING = frozenset({"compare", "files", "mcp", "search", "serve", "status", "text", "verify"})
_LONGEST_S = 24 * 3600.0


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "action", choices=("publish", "pull", "open"), metavar="ACTION",
        help="publish this library, pull one into a folder of your own, or into the cache",
    )  # fmt: skip
    parser.add_argument(
        "uri", metavar="URI", help="such as s3://BUCKET/NAME, gs://, az:// or file:///"
    )
    parser.add_argument("--to", metavar="DIR", help="the folder that `pull` makes")
    parser.add_argument(
        "--root", action="append", default=[], metavar="OLD=NEW",
        help="with `pull`: where an indexed folder is on this machine",
    )  # fmt: skip


def _library(options: Namespace, context: CommandContext) -> int:
    if (options.to or options.root) and options.action != "pull":
        raise _wrong("--to and --root belong to `pull`")
    return {"publish": _publish, "pull": _pull, "open": _open}[options.action](options, context)


def _publish(options: Namespace, context: CommandContext) -> int:
    _must_be_online(options, context)
    request = PublishLibrary(context.library, options.uri)
    if (outside := launcher.current()) is not None:
        number = outside.ask(request, seconds=_LONGEST_S)
    else:
        number = publish_library(request, lambda: False)
    context.print(f"Published at {render.name(options.uri)}, version {number}.")
    return 0


def _pull(options: Namespace, context: CommandContext) -> int:
    from indexer.shards.exchange import carry

    roots = [tuple(each.split("=", 1)) for each in options.root]
    if any(len(pair) != 2 for pair in roots):
        raise _wrong("--root takes OLD=NEW")
    if not options.to:
        raise _wrong("name a folder with --to")
    _must_be_online(options, context)
    folder = _pulled(PullLibrary(options.uri, absolute_path(options.to)))
    if roots:
        carry(folder, [(there, str(absolute_path(here))) for there, here in roots])
    context.print(f"The library is at {render.name(str(folder))}; name it with --library.")
    return 0


def _open(options: Namespace, context: CommandContext) -> int:
    """Print the folder of the copy in the cache; offline, of the latest one that is there."""
    from app import paths
    from indexer.library.library import exists, remove_everything

    cache = paths.pulled_folder() / short_digest(options.uri.encode())
    copies = [path for path in cache.glob("*") if path.suffix != ".part" and exists(path)]
    if copies and _is_offline(context):
        folder = max(copies, key=lambda path: path.stat().st_ctime_ns)
    else:
        _must_be_online(options, context)
        folder = _pulled(PullLibrary(options.uri, cache, by_name=True))
    for older in copies:
        if older != folder and not _is_offline(context):
            try:
                remove_everything(older)
            except WorldError:  # somebody reads it
                continue
            shutil.rmtree(older, ignore_errors=True)
    context.print(str(folder))
    return 0


def _pulled(request: PullLibrary) -> Path:
    if (outside := launcher.current()) is not None:
        return outside.ask(request, seconds=_LONGEST_S)
    return pull_library(request, lambda: False)


def _is_offline(context: CommandContext) -> bool:
    return context.offline or bool(context.settings["offline"])


def _must_be_online(options: Namespace, context: CommandContext) -> None:
    if _is_offline(context) and not options.uri.startswith("file:"):
        raise WorldError("store_failed", library=options.uri, reason="offline")


def _wrong(reason: str) -> WorldError:
    return bad_usage("library", reason)


def opened(uri: str, command: str, *, offline: bool) -> str | int:
    """Return the folder of a copy of a published library, for a command that leaves it as it is.

    The copy is made by `lectern library open`, a process of its own, since the one that asks is cut
    off from the network. Returns the folder; the exit status, once the failure is printed.
    """
    if command not in READING:
        print("lectern: a published library is not changed; pull it first. [bad_usage]",
              file=sys.stderr)  # fmt: skip
        return 2
    flags = ["--offline"] if offline else []
    environment = {name: value for name, value in os.environ.items() if name != LIBRARY_VARIABLE}
    done = subprocess.run(
        [*own_command(), *flags, EXCHANGE, "open", uri],
        stdout=subprocess.PIPE, env=environment, check=False, text=True,
    )  # fmt: skip
    return done.stdout.rstrip("\n") if done.returncode == 0 else done.returncode


COMMANDS = (
    Command(
        EXCHANGE,
        "publish the library on object storage, or pull one from there",
        "Publish the library on object storage (S3, Google Cloud Storage, Azure) or in a folder "
        "(file:///), whole and with a checksum of each file, or pull a published one. `pull` makes "
        "a library of your own; `open` makes a copy in the cache and prints its folder, which is "
        "what `--library URI` does for commands that only read. Quit Lectern before you publish. "
        "It needs `pip install 'lectern[cluster]'`; the credentials are those of the "
        "environment, such as AWS_ACCESS_KEY_ID.",
        (
            ("lectern library publish s3://firm/archive", "publish the library"),
            ("lectern library pull s3://firm/archive --to ~/archive --root /srv/docs=/mnt/docs",
             "copy it, and say where its documents are here"),
            ("lectern --library s3://firm/archive search lease", "ask it"),
        ),
        _arguments,
        _library,
    ),
)  # fmt: skip
