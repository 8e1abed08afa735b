"""Benchmark and compatibility results of models, cached per machine in a file of JSON.

A result depends on the graph, the versions of the runtimes and the processor. A file that is
damaged or cannot be written counts as empty: everything is measured again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
from typing import TYPE_CHECKING, Any

from indexer.api.atomic import write_file
from indexer.embed.devices import installed_runtimes, openvino_version, processor_lines

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.embed.model_files import ModelForm

FINDINGS = "machine.json"


def kept(form: ModelForm, what: str) -> Any:
    """The finding of that name; None if there is none for this machine."""
    return _read(_file(form)).get(_key(form, what))


def keep(form: ModelForm, what: str, found: Any) -> None:
    """Keep a finding, which must be JSON; nothing happens if it cannot be written."""
    file = _file(form)
    known = _read(file) | {_key(form, what): found}
    with contextlib.suppress(OSError):
        write_file(file, json.dumps(known, indent=1) + "\n")


def _file(form: ModelForm) -> Path:
    return form.models / FINDINGS


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _key(form: ModelForm, what: str) -> str:
    processor = "\n".join(processor_lines()) or platform.processor() or platform.machine()
    parts = (*installed_runtimes(), openvino_version(), str(os.cpu_count()), processor)
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return f"{form.record.id} {form.graph.name} {what} {digest}"
