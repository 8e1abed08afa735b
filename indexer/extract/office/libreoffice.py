"""Word, Excel and PowerPoint files from before 2007, converted by LibreOffice if it is installed.

It runs without a window, macros and network, in a temporary profile. It is killed after a time
limit, or together with the process that started it. The readers of the newer formats read the
result.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.errors import WorldError
from indexer.api.formats import BY_NAME
from indexer.confine.worker import SOCKETS
from indexer.extract.base import check_size, scratch_folder
from indexer.extract.office import encrypted
from indexer.extract.registry import inside_ole, opener

if TYPE_CHECKING:
    from indexer.config import Limits
    from indexer.extract.base import PageSource

_PLACES = {
    "darwin": ("/Applications/LibreOffice.app/Contents/MacOS/soffice",),
    "win32": (
        r"C:\Program Files\LibreOffice\program\soffice.com",
        r"C:\Program Files (x86)\LibreOffice\program\soffice.com",
    ),
}


_SHARE_OF_SILENCE = 0.8
_NEWER = {"doc": "docx", "xls": "xlsx", "ppt": "pptx"}
_BY_EXTENSION = {
    **{kind: kind for kind in _NEWER}, "dot": "doc", "pps": "ppt", "pot": "ppt", "xlt": "xls",
}  # fmt: skip
_NAMES = {"doc": "Word 97", "xls": "Excel 97", "ppt": "PowerPoint 97"}
# Documents can neither run macros nor load external content.
_SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" \
xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting">\
<prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop>\
<prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop>\
<prop oor:name="BlockUntrustedRefererLinks" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Calc/Content/Update">\
<prop oor:name="Link" oor:op="fuse"><value>2</value></prop></item>
<item oor:path="/org.openoffice.Office.Writer/Content/Update">\
<prop oor:name="Link" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""


def find_program() -> str:
    """Return the path of LibreOffice, "" if it is not installed."""
    for name in ("soffice", "libreoffice"):
        if found := shutil.which(name):
            return found
    return next((place for place in _PLACES.get(sys.platform, ()) if Path(place).is_file()), "")


def open_source(path: Path, password: str | None, limits: Limits) -> PageSource:
    """Open an office file from before 2007 (``indexer.extract.base.Opener``)."""
    check_size(path, limits.package_bytes)
    kind = _kind(path)
    program = find_program()
    if not program:
        raise WorldError("needs_libreoffice", format=_NAMES[kind])
    with contextlib.ExitStack() as held:
        source = Path(held.enter_context(scratch_folder())) / f"document.{kind}"
        with path.open("rb") as file:
            if encrypted.is_locked(file):
                encrypted.unlock(file, password, source)
            else:
                shutil.copyfile(path, source)
        made = _convert(program, source, kind, limits)
        newer = opener(BY_NAME[_NEWER[kind]])(made, None, limits)
        newer.held = held.pop_all()
        return newer


@contextlib.contextmanager
def leftover_sockets_removed() -> Iterator[None]:
    """Delete the sockets that LibreOffice leaves, since a confined process may not delete files.

    It creates one for its other instances. Only sockets that were created meanwhile and have no
    listener are deleted.
    """
    before = set(_sockets())
    try:
        yield
    finally:
        for place in set(_sockets()) - before:
            with suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
                if probe.connect_ex(str(place)) == errno.ECONNREFUSED:
                    place.unlink()


def _sockets() -> Iterator[Path]:
    return SOCKETS.glob(f"OSL_PIPE_{os.getuid()}_SingleOfficeIPC_*")


def _kind(path: Path) -> str:
    promised = _BY_EXTENSION.get(path.suffix.lower().lstrip(".")[:3], "doc")
    found = inside_ole(path, promised)
    return found if found in _NEWER else promised


def _convert(program: str, source: Path, kind: str, limits: Limits) -> Path:
    """Convert a copy of the file in its temporary folder, and return the converted file."""
    folder = source.parent
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(_SETTINGS, encoding="utf-8")
    made = folder / "made" / f"document.{_NEWER[kind]}"
    if _run(program, source, profile, kind, limits) != 0 and not made.is_file():
        # After creating a profile LibreOffice restarts. A confined one cannot, since it may not
        # delete the socket, which is named after the profile's folder.
        again = profile.rename(folder / "profile-filled")
        _run(program, source, again, kind, limits)
    if not made.is_file() or made.stat().st_size == 0:
        raise WorldError("unreadable", reason="not_converted")
    return made


def _run(program: str, source: Path, profile: Path, kind: str, limits: Limits) -> int:
    """Run the program to its end and return its exit status."""
    folder = source.parent
    command = [
        program, f"-env:UserInstallation={profile.as_uri()}", "--headless", "--invisible",
        "--nologo", "--nodefault", "--nofirststartwizard", "--norestore", "--nolockcheck",
        "--convert-to", _NEWER[kind], "--outdir", str(folder / "made"), str(source),
    ]  # fmt: skip
    seconds = _SHARE_OF_SILENCE * limits.silence_s
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=_environment(folder),
    )
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired as error:
        raise WorldError("out_of_time", limit=f"{seconds:g} seconds") from error
    finally:
        _end(process)


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment without the person's settings, and with nonexistent proxies."""
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "ftp_proxy", "all_proxy"), "127.0.0.1:9")
    return {
        **os.environ,
        **nowhere,
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "SAL_USE_VCLPLUGIN": "svp",
    }


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the command and its children, as it is a launcher that waits for the program."""
    import psutil

    running = []
    with suppress(psutil.Error, OSError):  # a confined reader sees no process; its child ends them
        parent = psutil.Process(process.pid)
        running = [*parent.children(recursive=True), parent]
    for each in running:
        with suppress(psutil.Error):
            each.kill()
    process.kill()
    process.wait()
