"""``lectern self-test``: try on the sample documents all that an installed Lectern does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.cli_common import Command, Context
from app.cli_doctor import check_lines
from indexer.api.codec import encode

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the checks as JSON")


def _run(options: Namespace, context: Context) -> int:
    from app import self_test

    context.note("Indexing the sample documents in a temporary library, and opening a window.")
    checks = list(self_test.run(context))
    if options.json:
        context.print_json(encode(checks))
    else:
        context.print(*check_lines(checks, context.style()))
    return int(not all(check.ok for check in checks))


COMMANDS = (
    Command(
        "self-test",
        "test whether this installation works",
        "Index the sample documents in a temporary library, search them, recognise a scanned page, "
        "open a window that is not shown and wait for the page in it, and look for internet "
        "sockets. Your own library is not touched.",
        (("lectern self-test", "test everything once"),),
        _arguments,
        _run,
    ),
)
