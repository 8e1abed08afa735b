"""What was found of a compiled model on this machine, kept beside it in a file of JSON.

Owns the file, and what a finding depends on: the graph, the versions of the runtimes and the
processor. A file that is damaged or cannot be written is none: all is found again. It must not know
what the findings mean.
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

    from indexer.embed.compiled import CompiledModel

FINDINGS = "machine.json"


def kept(compiled: CompiledModel, what: str) -> Any:
    """The finding of that name; None if there is none for this machine."""
    return _read(_file(compiled)).get(_key(compiled, what))


def keep(compiled: CompiledModel, what: str, found: Any) -> None:
    """Keep a finding, which must be JSON; nothing happens if it cannot be written."""
    file = _file(compiled)
    known = _read(file) | {_key(compiled, what): found}
    with contextlib.suppress(OSError):
        write_file(file, json.dumps(known, indent=1) + "\n")


def _file(compiled: CompiledModel) -> Path:
    return compiled.folder.parent / FINDINGS


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _key(compiled: CompiledModel, what: str) -> str:
    processor = "\n".join(processor_lines()) or platform.processor() or platform.machine()
    parts = (*installed_runtimes(), openvino_version(), str(os.cpu_count()), processor)
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return f"{compiled.folder.name} {what} {digest}"
