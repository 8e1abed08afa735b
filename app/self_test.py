"""The self-test of an installed program: reads the samples, searches, shows a window.

It works in a temporary library and must not touch the person's. Checks that run nothing are in
``app.doctor``.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli_engine import DEMO_QUESTION, sample_documents
from app.cli_index import index
from app.doctor import check
from indexer.api.errors import LecternError
from indexer.api.requests import Diagnose, ListFiles, Search
from indexer.api.types import FileState
from indexer.confine.process import own_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.cli_common import CommandContext
    from indexer.api.answers import Check

ANSWER = "cannot be used because of flooding"
SCANNED = "spare key of the boathouse"
SCAN = "keys.png"
# Seconds for a window and its engine on a slow, busy machine.
WINDOW_S = 180.0


def run(context: CommandContext) -> Iterator[Check]:
    """Yield each check as it is done."""
    with tempfile.TemporaryDirectory(prefix="lectern-self-test-") as folder:
        own = replace(context, library=Path(folder) / "library")
        try:
            yield from _engine(own)
        except LecternError as error:
            yield check("engine", error.message, ok=False, advice=error.next_step)
            return  # the window would wait for it
        yield _window(own, Path(folder) / "window")


def _engine(context: CommandContext) -> Iterator[Check]:
    samples = sample_documents()
    summary = index(context, [samples, samples.parent / "scans"], quiet=True)
    read = summary.states.get(FileState.INDEXED, 0)
    facts = [f"{read} indexed", *_unread(context), f"{summary.pages} pages"]
    yield check("indexing", "; ".join(facts), ok=read >= _count(samples))
    yield _search(context, "search", DEMO_QUESTION, ANSWER)
    yield _search(context, "scanned page", f'"{SCANNED}"', SCANNED)
    found = {each.name: each for each in context.with_engine(lambda e: e.call(Diagnose()))}
    for name in ("device", "text recognition", "network of the engine", "readers of documents"):
        if name in found:
            yield found[name]
    yield _sockets()


def _unread(context: CommandContext) -> list[str]:
    """Return the samples that were not indexed, each with its state and reason."""
    rows = context.with_engine(lambda engine: engine.call(ListFiles())).files
    return [
        " ".join(filter(None, (Path(row.file).name, row.state, row.code, row.detail)))
        for row in rows
        if row.state is not FileState.INDEXED
    ]


def _count(folder: Path) -> int:
    return sum(path.is_file() for path in folder.iterdir())


def _search(context: CommandContext, name: str, question: str, answer: str) -> Check:
    result = context.with_engine(lambda engine: engine.call(Search(question, limit=3)))
    first = " ".join(result.hits[0].text.split()) if result.hits else ""
    value = Path(result.hits[0].file).name if result.hits else "no hits"
    return check(name, value, ok=answer in first, advice="The passage that answers is not first.")


def _sockets() -> Check:
    """Check that no confined process of ours holds an internet socket."""
    import psutil

    this, held = psutil.Process(), []
    for each in (this, *this.children(recursive=True)):
        # The launcher, which is not confined, cannot be inspected.
        with contextlib.suppress(psutil.AccessDenied, psutil.NoSuchProcess):
            held += [f"{each.pid}: {found.laddr}" for found in each.net_connections("inet")]
    return check("network sockets", ", ".join(held) or "none", ok=not held)


def _window(context: CommandContext, folder: Path) -> Check:
    """Run an invisible window that sends the query and shows the page."""
    options = ["--library", str(context.library), "gui", "--check", str(folder), DEMO_QUESTION]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    try:
        done = subprocess.run(
            [*own_command(window=True), *options], env=environment, capture_output=True, text=True,
            errors="replace", timeout=WINDOW_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return check("window", f"showed nothing for {WINDOW_S:.0f} s", ok=False)
    said = done.stderr.strip().splitlines()
    if done.returncode:
        return check("window", said[-1] if said else f"status {done.returncode}", ok=False)
    return check("window", "shows the page with the passage")
