"""The checks of ``doctor`` that need no engine: versions, folders, free disk space.

The engine adds its own (model, device, library) in answer to ``Diagnose``.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from typing import TYPE_CHECKING

from app import paths
from app.confined import has_local_display
from app.machine import LIBRARIES, version
from app.render import size
from indexer import TELEMETRY_OFF
from indexer.api.answers import Check
from indexer.api.errors import CODES, sentence
from indexer.confine import network
from indexer.embed import devices
from indexer.embed.model_files import known_records

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.settings import Settings
    from indexer.config import EngineConfig


def check(name: str, value: str, *, ok: bool = True, advice: str = "") -> Check:
    return Check(name, ok, value, "" if ok else advice)


def checks(settings: Settings, config: EngineConfig) -> Iterator[Check]:
    """Check this installation and this machine; nothing heavy is imported."""
    yield check("lectern", version("lectern") or "not installed, run from its folder")
    yield check("python", f"{platform.python_version()} on {platform.platform()}")
    for name in LIBRARIES:
        found = version(name)
        yield check(name, found or "missing", ok=bool(found), advice="Install Lectern again.")
    yield _runtime()
    yield check("known models", ", ".join(record.id for record in known_records(config.models)))
    yield _old_office()
    yield _settings(settings)
    yield from _network()
    yield _disk(config)


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
    """Check which program reads office files from before 2007; without it they are only listed."""
    from indexer.extract.office.libreoffice import find_program

    program = find_program()
    value = f"read through {program}" if program else "not read: LibreOffice is not installed"
    return check("old office files", value)


def _settings(settings: Settings) -> Check:
    problems = "; ".join(problem.message for problem in settings.problems)
    advice = f"Correct {settings.file}."
    return check("settings", problems or str(settings.file), ok=not problems, advice=advice)


def _disk(config: EngineConfig) -> Check:
    folder = next(each for each in [config.library, *config.library.parents] if each.exists())
    free = shutil.disk_usage(folder).free
    ok = free >= config.min_free_bytes
    advice = f"Indexing pauses below {size(config.min_free_bytes)}: free some space."
    return check("free disk", f"{size(free)} at {folder}", ok=ok, advice=advice)


def places(config: EngineConfig) -> Iterator[Check]:
    """Return the folders of data, settings and caches."""
    for name, place in (
        ("library", config.library),
        ("models", config.models),
        ("log", paths.log_folder()),
    ):
        yield check(name, str(place))
