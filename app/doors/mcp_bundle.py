"""A bundle (MCPB): a double click on it adds ``lectern mcp`` to an assistant's program.

It holds a manifest and a script, but no program: both refer to the installed Lectern.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import zipfile
from pathlib import Path
from typing import Any

from indexer.api.errors import WorldError
from indexer.confine.process import own_command

MANIFEST_VERSION = "0.3"
_EXECUTABLE = 0o100755 << 16  # as the mode of a file in an archive


def manifest(version: str, library: Path | str | None = None) -> dict[str, Any]:
    """Return the manifest of a bundle.

    ``library`` is the folder or the URI of a library if it is not the usual one.
    """
    program, *arguments = own_command()
    chosen = ["--library", str(library)] if library else []
    return {
        "manifest_version": MANIFEST_VERSION,
        "name": "lectern",
        "display_name": "Lectern",
        "version": version,
        "description": "Find the passage that answers a question in your own documents",
        "long_description": "Lectern runs on this machine and has to be installed. It shows the "
        "collections that you allow with `lectern doors allow mcp`, and changes nothing.",
        "author": {"name": "The Lectern maintainers"},
        "license": "AGPL-3.0-or-later",
        "server": {
            "type": "binary",
            "entry_point": _entry_point(),
            "mcp_config": {"command": program, "args": [*arguments, *chosen, "mcp"]},
        },
        "tools_generated": True,
        "compatibility": {"platforms": [sys.platform]},
    }


def write_bundle(file: Path, version: str, library: Path | str | None = None) -> None:
    """Write a bundle. Raises ``path_denied``, if it cannot be written."""
    made = manifest(version, library)
    command = [made["server"]["mcp_config"]["command"], *made["server"]["mcp_config"]["args"]]
    script = zipfile.ZipInfo(_entry_point())
    script.create_system, script.external_attr = 3, _EXECUTABLE
    try:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
            bundle.writestr("manifest.json", json.dumps(made, indent=2))
            bundle.writestr(script, _script(command))
    except OSError as error:
        raise WorldError("path_denied", path=str(file)) from error


def _entry_point() -> str:
    return "server/lectern.cmd" if os.name == "nt" else "server/lectern"


def _script(command: list[str]) -> str:
    if os.name == "nt":
        quoted = " ".join(f'"{word}"' for word in command)
        return f"@{quoted} %*\r\n"
    return f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n'
