"""Word, Excel and PowerPoint files from before 2007, through LibreOffice where it is installed.

Owns finding that program and running it: without a window, without macros, without a network
proxy, in a profile of its own that is thrown away, killed when it takes too long and with the
process that started it. What it makes is read like any file of the newer formats. Nothing is
downloaded or installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.errors import WorldError
from indexer.extract import docx, pptx, xlsx
from indexer.extract.base import too_large

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from indexer.extract.base import Limits, Metadata, RawPage, Source
    from indexer.types import OutlineEntry

PREFIX = "lectern-office-"
_STALE_S = 6 * 3600.0
_SHARE_OF_SILENCE = 0.8
_PLACES = {
    "darwin": ("/Applications/LibreOffice.app/Contents/MacOS/soffice",),
    "win32": (
        r"C:\Program Files\LibreOffice\program\soffice.com",
        r"C:\Program Files (x86)\LibreOffice\program\soffice.com",
    ),
}
_NEWER = {"doc": "docx", "xls": "xlsx", "ppt": "pptx"}
_NAMES = {"doc": "Word 97", "xls": "Excel 97", "ppt": "PowerPoint 97"}
# Documents cannot ask for a macro to be run, nor for anything outside of them.
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


class ConvertedSource:
    """A document that was converted, with the folder that is thrown away after it."""

    def __init__(self, source: Source, folder: tempfile.TemporaryDirectory[str]) -> None:
        self._source = source
        self._folder = folder

    @property
    def page_count(self) -> int:
        return self._source.page_count

    @property
    def metadata(self) -> Metadata:
        return self._source.metadata

    @property
    def outline(self) -> tuple[OutlineEntry, ...]:
        return self._source.outline

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        return self._source.pages(skip)

    def close(self) -> None:
        self._source.close()
        self._folder.cleanup()


def find_program() -> str:
    """Return LibreOffice's command, "" where it is not installed."""
    for name in ("soffice", "libreoffice"):
        if found := shutil.which(name):
            return found
    return next((place for place in _PLACES.get(sys.platform, ()) if Path(place).is_file()), "")


def open_source(path: Path, password: str | None, limits: Limits) -> ConvertedSource:
    """Open a document of the old kind (``indexer.extract.base.Opener``)."""
    size = path.stat().st_size
    if size == 0:
        raise WorldError("empty")
    if size > limits.package_bytes:
        raise too_large(limits.package_bytes)
    kind = _kind(path)
    program = find_program()
    if not program:
        raise WorldError("needs_libreoffice", format=_NAMES[kind])
    _sweep()
    folder = tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)
    try:
        made = _convert(program, path, kind, Path(folder.name), limits)
        opener = {"doc": docx, "xls": xlsx, "ppt": pptx}[kind].open_source
        return ConvertedSource(opener(made, password, limits), folder)
    except BaseException:
        folder.cleanup()
        raise


def _kind(path: Path) -> str:
    from indexer.extract.containers import inside_ole

    extension = path.suffix.lower().lstrip(".")[:3]
    promised = (
        extension
        if extension in _NEWER
        else {"dot": "doc", "pps": "ppt", "pot": "ppt"}.get(
            extension, "xls" if extension == "xlt" else "doc"
        )
    )
    found = inside_ole(path, promised)
    return found if found in _NEWER else promised


def _convert(program: str, path: Path, kind: str, folder: Path, limits: Limits) -> Path:
    """Run the program on a copy of the file, and return what it made."""
    source = folder / f"document.{kind}"
    shutil.copyfile(path, source)
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(_SETTINGS, encoding="utf-8")
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
        process.wait(seconds)
    except subprocess.TimeoutExpired as error:
        raise WorldError("out_of_time", limit=f"{seconds:g} seconds") from error
    finally:
        _end(process)
    made = folder / "made" / f"document.{_NEWER[kind]}"
    if not made.is_file() or made.stat().st_size == 0:
        raise WorldError("unreadable", reason="not_converted")
    return made


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment in which the program finds no one's settings and no way out."""
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "ftp_proxy", "all_proxy"), "127.0.0.1:9")
    return {
        **os.environ,
        **nowhere,
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "SAL_USE_VCLPLUGIN": "svp",
    }


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the program and what it started; its starter waits for the real one."""
    import psutil

    running = []
    with suppress(psutil.Error):
        parent = psutil.Process(process.pid)
        running = [*parent.children(recursive=True), parent]
    for each in running:
        with suppress(psutil.Error):
            each.kill()
    process.wait()


def _sweep() -> None:
    """Remove what readers left behind that were killed long ago."""
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _STALE_S:
                shutil.rmtree(left, ignore_errors=True)
