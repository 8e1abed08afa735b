"""Starts the person's programs for a window that is cut off from the network.

It runs in the launcher's process, without Qt. Programs get a list of arguments, never a shell's
command line, and the environment that Lectern was started with.
"""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

from indexer import GIVEN_ENVIRONMENT
from indexer.api.errors import WorldError
from ui.preview.viewer_commands import custom_command, view_command
from ui.runnable import is_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.confine.launcher import OpenInViewer

_OPENERS = (("xdg-open",), ("gio", "open"))
# Startup tokens that are valid for this process only.
_OURS = ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID")


def open_path(path: str) -> bool:
    """Open a file or folder in the desktop's program for it; False if there is none.

    Raises:
        WorldError: ``bad_request``, if opening would run it.
    """
    if is_program(path):
        raise WorldError("bad_request", reason="opening it would run it")
    return any(_start([*opener, path]) for opener in _OPENERS)


def view(request: OpenInViewer, own: str) -> bool:
    """Start a viewer at a page, by its name or as the person's own command; see ``ui.desktop``."""
    name, path, page = request.viewer, str(request.path), request.page
    return _start(view_command(name, path, page) if name else custom_command(own, path, page))


def _start(command: Sequence[str]) -> bool:
    program = shutil.which(command[0]) if command else None
    if program is None:
        return False
    environment = {name: GIVEN_ENVIRONMENT[name] for name in GIVEN_ENVIRONMENT if name not in _OURS}
    try:
        subprocess.Popen(
            [program, *command[1:]],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # it outlives us and gets no Ctrl+C
        )
    except OSError:
        return False
    return True
