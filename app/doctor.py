"""The checks of ``doctor`` that need no engine, and the self-test of an installed program.

The engine adds its own checks (model, device, library) in answer to ``Diagnose``. The self-test
reads the samples into a temporary library, searches, and shows a window.
"""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from app import encryption, paths
from app.cli_engine import DEMO_QUESTION, sample_documents
from app.confined import has_local_display
from app.engine import LIBRARIES
from app.render import size
from indexer import TELEMETRY_OFF
from indexer.api.answers import Check
from indexer.api.codec import program_version
from indexer.api.errors import CODES, LecternError, sentence
from indexer.api.phrases import english
from indexer.api.requests import Diagnose, Index, ListFiles, Search
from indexer.api.types import FileState
from indexer.confine import network
from indexer.confine.process import own_command
from indexer.embed import devices
from indexer.embed.model_files import known_records
from indexer.vault.mounting import why_not

if TYPE_CHECKING:
    from app.cli_common import CommandContext
    from app.settings import Settings
    from indexer.config import EngineConfig


def check(name: str, value: str, *, ok: bool = True, advice: str = "") -> Check:
    return Check(name, ok, value, "" if ok else advice)


def checks(settings: Settings, config: EngineConfig) -> Iterator[Check]:
    """Check this installation and this machine; nothing heavy is imported."""
    yield check("lectern", program_version() or "not installed, run from its folder")
    yield check("python", f"{platform.python_version()} on {platform.platform()}")
    yield check("sqlite", sqlite3.sqlite_version)
    for name in LIBRARIES:
        found = program_version(name)
        yield check(name, found or "missing", ok=bool(found), advice="Install Lectern again.")
    yield _runtime()
    yield check("known models", ", ".join(record.id for record in known_records(config.models)))
    yield _old_office()
    yield _settings(settings)
    yield from _network()
    yield _disk(config)
    yield check("encryption of the disk", encryption.disk_encryption(config.library)[1])
    yield _encryption(config)
    yield check("library", str(config.library))
    yield check("models", str(config.models))
    yield check("log", str(paths.log_folder()))


def _network() -> Iterator[Check]:
    """Check how the processes of Lectern are cut off from the network here."""
    switched_off = sorted(
        name for name, value in TELEMETRY_OFF.items() if os.environ.get(name) == value
    )
    yield check("reporting", f"switched off in every process by {', '.join(switched_off)}")
    ok, value, advice = network.verdict()
    yield check("network", value, ok=ok, advice=advice)
    yield check("network of the window", _window())


def _window() -> str:
    if sys.platform == "win32":
        return f"not cut off: {network.UNSUPPORTED}"
    if has_local_display(os.environ):
        return "would be cut off: its display is on this machine"
    display = os.environ.get("DISPLAY") or os.environ.get("QT_QPA_PLATFORM", "")
    return f"would not be cut off: its display {display} is reached over the network"


def _runtime() -> Check:
    found = devices.installed_runtimes()
    advice = "; ".join(map(sentence, devices.clash())) or CODES["no_runtime"].next_step
    value = ", ".join(found) or "missing"
    return check("onnx runtime", value, ok=len(found) == 1, advice=advice)


def _old_office() -> Check:
    """Check which program reads office files from before 2007; without one they are only listed."""
    from indexer.extract.office.libreoffice import find_program

    program = find_program()
    value = f"read through {program}" if program else "not read: LibreOffice is not installed"
    return check("old office files", value)


def _settings(settings: Settings) -> Check:
    problems = "; ".join(problem.message for problem in settings.problems)
    advice = f"Correct {settings.file}."
    return check("settings", problems or str(settings.file), ok=not problems, advice=advice)


def _disk(config: EngineConfig) -> Check:
    places = (config.library, *config.library.parents)
    folder = next(place for place in places if os.access(place, os.F_OK))
    free = shutil.disk_usage(folder).free
    ok = free >= config.min_free_bytes
    advice = f"Indexing pauses below {size(config.min_free_bytes)}: free some space."
    return check("free disk", f"{size(free)} at {folder}", ok=ok, advice=advice)


def _encryption(config: EngineConfig) -> Check:
    """Check whether the library is encrypted, and if not, whether it could be."""
    value = encryption.state(config.library)
    lacking = f"; it cannot be: {english(reason, {})}" if (reason := why_not()) else ""
    return check("encryption of the library", value + (lacking if value == "no" else ""))


ANSWER = "cannot be used because of flooding"
SCANNED = "spare key of the boathouse"
SCAN = "keys.png"
# Seconds that a window and its engine may take on a slow, busy machine.
WINDOW_S = 180.0


def self_test(context: CommandContext) -> Iterator[Check]:
    """Yield each check as it is done."""
    with tempfile.TemporaryDirectory(prefix="lectern-self-test-") as folder:
        own = replace(context, library=Path(folder) / "library")
        try:
            yield from _engine_checks(own)
        except LecternError as error:
            yield check("engine", error.message, ok=False, advice=error.next_step)
            return  # the window would wait for the engine
        yield _window_check(own, Path(folder) / "window")


def _engine_checks(context: CommandContext) -> Iterator[Check]:
    samples = sample_documents()
    with context.calling(quiet=True) as call:
        summary = call(Index((samples, samples.parent / "scans")))
    read = summary.states.get(FileState.INDEXED, 0)
    facts = [f"{read} indexed", *_unread(context), f"{summary.pages} pages"]
    yield check("indexing", "; ".join(facts), ok=read >= sum(map(Path.is_file, samples.iterdir())))
    yield _search(context, "search", DEMO_QUESTION, ANSWER)
    yield _search(context, "scanned page", f'"{SCANNED}"', SCANNED)
    found = {each.name: each for each in context.ask_engine(Diagnose())}
    for name in ("device", "text recognition", "network of the engine", "readers of documents"):
        if name in found:
            yield found[name]
    yield _sockets()


def _unread(context: CommandContext) -> list[str]:
    """Return the samples that were not indexed, each with its state and reason."""
    rows = context.ask_engine(ListFiles()).files
    return [
        " ".join(filter(None, (Path(row.file).name, row.state, row.code, row.detail)))
        for row in rows
        if row.state is not FileState.INDEXED
    ]


def _search(context: CommandContext, name: str, question: str, answer: str) -> Check:
    result = context.ask_engine(Search(question, limit=3))
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


def _window_check(context: CommandContext, folder: Path) -> Check:
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
