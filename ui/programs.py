"""Starts viewers and other programs for a window without a network.

It runs in the launcher, which is forked before Qt is loaded. Programs get a list of arguments,
never a shell's command line, and the environment with which Lectern was started. A file that the
system would run instead of showing it is not opened; the extensions of such files are listed for
each platform.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from indexer import GIVEN_ENVIRONMENT
from indexer.api.errors import WorldError
from indexer.api.formats import FORMATS
from indexer.confine.process import is_frozen, own_command

if TYPE_CHECKING:
    from indexer.confine.launcher import OpenInViewer


PATH, PAGE, URL = "{path}", "{page}", "{url}"


class Viewer(Struct, frozen=True):
    """A program that can open a document at a page.

    Attributes:
        names: Parts of the names of its desktop files, registered types or programs.
        programs: Its executables.
        arguments: Its arguments, with ``PATH``, ``PAGE`` and ``URL`` as placeholders.
    """

    names: tuple[str, ...]
    programs: tuple[str, ...]
    arguments: tuple[str, ...]


_KNOWN = json.loads((resources.files("resources") / "programs.json").read_text("utf-8"))
# The first entry whose name matches is used.
VIEWERS = tuple(msgspec.convert(each, Viewer) for each in _KNOWN["viewers"])


def viewer_named(name: str) -> Viewer | None:
    """Return the viewer of a desktop file or a registered type."""
    folded = name.casefold()
    return next((each for each in VIEWERS if any(part in folded for part in each.names)), None)


def filled(arguments: Sequence[str], path: str, page: int) -> list[str]:
    """Fill a document and a page into a viewer's arguments."""
    values = {PATH: path, PAGE: str(page), URL: PurePath(path).as_uri()}
    pattern = re.compile("|".join(map(re.escape, values)))
    return [pattern.sub(lambda found: values[found[0]], each) for each in arguments]


def custom_command(text: str, path: str, page: int) -> list[str]:
    """Return the program and the arguments of the person's own command; [] if it is invalid.

    A command without a placeholder for the document gets it as its last argument.
    """
    try:
        # Backslashes are parts of paths on Windows.
        parts = shlex.split(text, posix=sys.platform != "win32")
    except ValueError:
        return []
    parts = [part.strip('"') for part in parts]
    if parts and not any(PATH in part or URL in part for part in parts[1:]):
        parts.append(PATH)
    return filled(parts, path, page)


def viewer_commands() -> dict[str, str]:
    """Return the commands of the viewers that are installed, by their names."""
    commands = {}
    for viewer in VIEWERS:
        program = next(filter(shutil.which, viewer.programs), "")
        if program:
            commands[program[0].upper() + program[1:]] = " ".join((program, *viewer.arguments))
    return commands


def view_command(name: str, path: str, page: int) -> list[str]:
    """Return the command of a viewer by the name of its desktop file; [] if none is installed."""
    viewer = viewer_named(name)
    program = next(filter(None, map(shutil.which, viewer.programs)), "") if viewer else ""
    return [program, *filled(viewer.arguments, path, page)] if viewer and program else []


def program_of(line: str) -> str:
    """Return the program of a command line from the Windows registry."""
    found = re.match(r'\s*(?:"([^"]+)"|(\S+\.exe)|(\S+))', line, re.IGNORECASE)
    return next(filter(None, found.groups()), "") if found else ""


# The extensions of files that run: scripts; files that Windows, Office or a common interpreter
# executes, installs, mounts or imports (those that Outlook blocks, and those that scripting
# languages register); on Linux also those of Wine and package managers; on macOS also folders.
_SCRIPTS, _WINDOWS, _LINUX, _MACOS = (
    frozenset(" ".join(_KNOWN[name]).split()) for name in ("scripts", "windows", "linux", "macos")
)
# Extensions that never run, whatever the mode: on exFAT and NTFS every file is executable.
_DOCUMENTS = {"heic", "json", "mdwn", "mp3", "mp4", "svg", "xml"} | {
    ending for known in FORMATS if known.name != "code" for ending in known.endings.split()
}
_END = re.compile(r"[\\/]")


def would_run(path: str, platform: str, mode: int = 0, extensions: str = "") -> bool:
    """Return whether opening a file would run it.

    Args:
        path: Only the name counts; for a link, call this for its target as well.
        platform: A value of ``sys.platform``.
        mode: ``st_mode`` of the file or folder; 0 if unknown.
        extensions: Further extensions, in the form of Windows' ``PATHEXT``.
    """
    folder = stat.S_ISDIR(mode)
    if platform == "win32":
        # For a name without an extension, or with a class id, Windows may run a program beside it.
        suffix = _suffix(_END.split(path)[-1].rstrip(". "))
        own = {each.strip().lstrip(".") for each in extensions.lower().split(";")}
        unclear = not suffix or not suffix.replace("-", "").replace("_", "").isalnum()
        return not folder and (unclear or suffix in _WINDOWS | _SCRIPTS or suffix in own)
    suffix = _suffix(path.rstrip("/").rpartition("/")[2])
    by_name = (
        suffix in _MACOS | _SCRIPTS if platform == "darwin" else suffix in _LINUX and not folder
    )
    return by_name or (not folder and bool(mode & 0o111) and suffix not in _DOCUMENTS)


def _suffix(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""


def is_program(path: str) -> bool:
    """Return whether opening a path, or the target of a link there, would run a program."""
    try:
        mode = Path(path).stat().st_mode
        names = {path, os.path.realpath(path)}
    except (OSError, ValueError):
        mode, names = 0, {path}
    extensions = os.environ.get("PATHEXT", "")
    return any(would_run(name, sys.platform, mode, extensions) for name in names)


_OPENERS = (("xdg-open",), ("gio", "open"))
# Startup tokens that are valid for this process only.
_OURS = ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID")


def open_path(path: str) -> bool:
    """Open a file or folder in the desktop's program for it; False if there is none.

    Raises ``bad_request``, if opening would run it.
    """
    if is_program(path):
        raise WorldError("bad_request", reason="opening it would run it")
    return any(_start_program([*opener, path]) for opener in _OPENERS)


def start_again() -> bool:
    """Start this program again, as it was started; False if that is not possible."""
    image = os.environ.get("APPIMAGE") if is_frozen() else None  # its mount ends with the program
    command = [image] if image else own_command(window=True)
    return _start_program([*command, *sys.argv[1:]])


def start_viewer(request: OpenInViewer, own: str) -> bool:
    """Start a viewer at a page, by its name or as the person's own command; see ``ui.desktop``."""
    name, path, page = request.viewer, str(request.path), request.page
    return _start_program(
        view_command(name, path, page) if name else custom_command(own, path, page)
    )


def _start_program(command: Sequence[str]) -> bool:
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
