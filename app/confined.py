"""Cuts a command off from the network, and declares what its launcher may do for it.

The launcher keeps the network. It can be asked to open a document in the person's viewer, to fetch
a known model from a hub, to mount an encrypted library and, by ``lectern library`` and ``lectern
cluster`` alone, to publish, pull or build one. ``indexer.confine`` confines processes.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.settings import Settings
from indexer.api.codec import decode, encode
from indexer.api.errors import WorldError
from indexer.confine import launcher, network
from indexer.confine.launcher import BuildLibrary, FetchModel, PublishLibrary, PullLibrary
from indexer.vault import mounting

if TYPE_CHECKING:
    from indexer.confine.launcher import Command, LauncherRequest


WINDOW = "gui"
# The commands whose launchers may send something: a library, to a place that the person names.
EXCHANGE, CLUSTER = "library", "cluster"
# Qt platforms that need no display server, or only a local one.
_LOCAL_PLATFORMS = frozenset(
    {"offscreen", "minimal", "minimalegl", "linuxfb", "eglfs", "vkkhrdisplay"}
)


def begin(command: str, *, offline: bool) -> None:
    """Cut this process off from the network. Call it as soon as the command is known.

    Args:
        command: Its name.
        offline: Start no launcher that could fetch something.
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
            return False  # such as vnc, which listens on the network
    return True


def _is_local_x11(display: str) -> bool:
    """Return whether an X11 display has no host and a local socket; True without a display."""
    if sys.platform != "linux" or not display or display.startswith("/"):
        return True
    host, _, number = display.rpartition(":")
    if host not in {"", "unix"}:
        return False
    place = f"/tmp/.X11-unix/X{number.partition('.')[0]}"  # noqa: S108  # where X11 has it
    if Path(place).exists():
        return True
    try:  # an abstract socket has no file
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
    commands: dict[type[LauncherRequest[Any]], Command] = {**mounting.launcher_commands()}
    if not offline:
        commands |= {FetchModel: _fetch_model}
        if command == EXCHANGE:
            commands |= {PublishLibrary: publish_library, PullLibrary: pull_library}
        if command == CLUSTER:
            commands |= {BuildLibrary: build_library}
    if command == WINDOW:
        from app.gui import launcher_commands

        commands |= launcher_commands()
    try:
        return launcher.fork(commands) if commands else None
    except OSError:
        return None  # the limit of processes is reached; the command works without a launcher


def _fetch_model(request: FetchModel, gone: Callable[[], bool]) -> None:
    """Download a published model; runs in the launcher.

    Raises what ``hub.download_known`` raises.
    """
    from indexer.embed import hub

    if Settings()["offline"]:
        raise WorldError("model_missing", model=request.model, reason="offline")
    hub.download_known(request.model, request.folder, gone)


def publish_library(request: PublishLibrary, gone: Callable[[], bool]) -> int:
    """Publish a library; runs in the launcher, where there is one.

    Raises what ``exchange.publish`` raises.
    """
    from indexer.shards import exchange

    return exchange.publish(request.library, request.uri, gone).number


def pull_library(request: PullLibrary, gone: Callable[[], bool]) -> Path:
    """Pull a library; runs in the launcher, where there is one.

    Raises what ``exchange.pull`` raises.
    """
    from indexer.shards import exchange

    return exchange.pull(request.uri, request.folder, gone, by_name=request.by_name)


def build_library(request: BuildLibrary, gone: Callable[[], bool]) -> str:
    """Build a library of many shards, or describe one; runs in the launcher, where there is one.

    Raises what ``build.build`` raises.
    """
    from indexer.shards import build, exchange
    from indexer.shards.object_store import ObjectStore

    if request.options:
        options = decode(build.BuildOptions, json.loads(request.options))
        return json.dumps(encode(build.build(request.uri, request.sources, options, gone)))
    return json.dumps(encode(exchange.latest_version(ObjectStore(request.uri))))
