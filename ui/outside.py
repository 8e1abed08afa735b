"""The person's own programs, started for a window that was cut off from the network.

Owns what the launcher does for the window; it runs in the launcher's process, where nothing of Qt
is. Programs are started with lists of arguments, never through a shell, and in the environment that
the person gave.
"""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

from indexer import GIVEN_ENVIRONMENT
from indexer.api.errors import WorldError
from ui.preview.viewer_commands import own_command, view_command
from ui.runnable import is_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.confine.launcher import View

_OPENERS = (("xdg-open",), ("gio", "open"))
# Startup tokens meant for this process only.
_OURS = ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID")


def open_path(path: str) -> bool:
    """Open a file or folder as the desktop does; False if nothing could.

    Raises:
        WorldError: ``bad_request``, of what would be run.
    """
    if is_program(path):
        raise WorldError("bad_request", reason="opening it would run it")
    return any(_start([*opener, path]) for opener in _OPENERS)


def view(request: View, own: str) -> bool:
    """Start a viewer at a page, by its name or as the person's own command; see ``ui.desktop``."""
    name, path, page = request.viewer, str(request.path), request.page
    return _start(view_command(name, path, page) if name else own_command(own, path, page))


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
            start_new_session=True,  # it outlives us, and Ctrl+C is not meant for it
        )
    except OSError:
        return False
    return True
