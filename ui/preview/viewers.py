"""Opening a document outside, at its page where the viewer can.

Owns the table of viewers and how each is told a page; ``ui.desktop`` starts them. It must not know
the preview.
"""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import PurePath, PureWindowsPath
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QCoreApplication,
    QObject,
    QProcess,
    QSettings,
    QStandardPaths,
    QUrl,
)

from ui.desktop import ENCODED, open_path, start
from ui.preview.timers import timer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.types import Hit
    from ui.ports import Context

PATH, PAGE, URL = "{path}", "{page}", "{url}"
SETTING = "viewer"
_PAGED = frozenset({".pdf"})
_ASK_MS = 1_500


@dataclass(frozen=True, slots=True)
class Viewer:
    """A program that can open a page.

    Attributes:
        names: Parts of what systems call it: desktop files, registered types, programs.
        programs: Its executables.
        arguments: With ``PATH``, ``PAGE`` and ``URL`` in the places of what they stand for.
    """

    names: tuple[str, ...]
    programs: tuple[str, ...]
    arguments: tuple[str, ...]


_BROWSER = (URL + "#page=" + PAGE,)

# In the order in which their names are looked for: the first that fits is meant.
VIEWERS = (
    Viewer(("evince", "papers"), ("evince", "papers"), (f"--page-index={PAGE}", PATH)),
    Viewer(("atril",), ("atril",), (f"--page-index={PAGE}", PATH)),
    Viewer(("xreader",), ("xreader",), (f"--page-index={PAGE}", PATH)),
    Viewer(("okular",), ("okular",), ("--page", PAGE, PATH)),
    Viewer(("zathura",), ("zathura",), (f"--page={PAGE}", PATH)),
    Viewer(("qpdfview",), ("qpdfview",), ("--unique", f"{PATH}#{PAGE}")),
    Viewer(("xpdf",), ("xpdf",), (PATH, PAGE)),
    Viewer(("mupdf",), ("mupdf", "mupdf-gl", "mupdf-x11"), (PATH, PAGE)),
    Viewer(("sumatra",), ("SumatraPDF",), ("-reuse-instance", "-page", PAGE, PATH)),
    Viewer(("acro", "acrobat"), ("Acrobat", "AcroRd32", "acroread"),
           ("/A", f"page={PAGE}", PATH)),
    Viewer(("foxit",), ("FoxitPDFReader", "FoxitReader", "FoxitPDFEditor"),
           (PATH, "/A", f"page={PAGE}")),
    Viewer(("firefox",), ("firefox",), _BROWSER),
    Viewer(("chromium", "chromehtml", "chrome"),
           ("chromium", "google-chrome", "google-chrome-stable", "chromium-browser", "chrome"),
           _BROWSER),
    Viewer(("msedge", "microsoft-edge"), ("microsoft-edge", "microsoft-edge-stable", "msedge"),
           _BROWSER),
    Viewer(("brave",), ("brave-browser", "brave"), _BROWSER),
    Viewer(("vivaldi",), ("vivaldi", "vivaldi-stable"), _BROWSER),
)  # fmt: skip


def viewer_named(name: str) -> Viewer | None:
    """Return the viewer that a desktop file or a registered type belongs to."""
    folded = name.casefold()
    return next((each for each in VIEWERS if any(part in folded for part in each.names)), None)


def filled(arguments: Sequence[str], path: str, page: int) -> list[str]:
    """Put a document and a page into a viewer's arguments."""
    values = {PATH: path, PAGE: str(page), URL: QUrl.fromLocalFile(path).toString(ENCODED)}
    pattern = re.compile("|".join(map(re.escape, values)))
    return [pattern.sub(lambda found: values[found[0]], each) for each in arguments]


def own_command(text: str, path: str, page: int) -> list[str]:
    """Return the program and the arguments that the person's own command stands for.

    The document is put at the end where the command does not say its place; an empty list means
    that the command makes no sense.
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


def open_external(hit: Hit, context: Context | None = None, page: int = 0) -> None:
    """Open the document of a hit in the system's viewer, at the page if that viewer can.

    Args:
        hit: Which document.
        context: For the person's own command, and to say when nothing opens.
        page: Which page; 0 for the hit's own.
    """
    opening = _Opening(hit.path, max(page or hit.page, 1), context)
    opening.begin()


class _Opening(QObject):
    """One document on its way to a viewer; it goes when it has arrived."""

    def __init__(self, path: str, page: int, context: Context | None) -> None:
        super().__init__(QCoreApplication.instance())
        self._path, self._page, self._context = path, page, context
        self._asking: QProcess | None = None
        self._patience = timer(self, _ASK_MS, self._no_answer)

    def begin(self) -> None:
        own = str(self._setting() or "").strip()
        if own:
            self._finish(start(own_command(own, self._path, self._page)))
        elif PurePath(self._path).suffix.lower() not in _PAGED:
            self._finish(started=False)
        elif sys.platform == "win32":
            self._finish(_start_registered(self._path, self._page))
        elif sys.platform == "darwin":
            # No viewer there takes a page from outside.
            self._finish(started=False)
        else:
            self._ask_desktop()

    def _setting(self) -> object:
        if self._context is None:
            return ""
        try:
            return self._context.settings[SETTING]
        except KeyError:
            return ""

    def _ask_desktop(self) -> None:
        """Find the default viewer; it takes a few dozen milliseconds, so nobody waits."""
        program = QStandardPaths.findExecutable("xdg-mime")
        if not program:
            self._finish(started=False)
            return
        self._asking = QProcess(self)
        self._asking.finished.connect(self._answered)
        self._asking.errorOccurred.connect(self._no_answer)
        self._patience.start()
        self._asking.start(program, ["query", "default", "application/pdf"])

    def _answered(self) -> None:
        if self._asking is None:
            return
        name = bytes(self._asking.readAllStandardOutput().data()).decode("utf-8", "replace")
        self._asking = None
        self._finish(_start_named(name, self._path, self._page))

    def _no_answer(self) -> None:
        if self._asking is not None:
            asking, self._asking = self._asking, None
            asking.kill()
            self._finish(started=False)

    def _finish(self, started: bool) -> None:  # what the starters return
        if not started:
            open_path(self._path, self._context.notices if self._context is not None else None)
        self.deleteLater()


def _start_named(name: str, path: str, page: int) -> bool:
    """Start the viewer that a desktop file names, if it can be told a page."""
    viewer = viewer_named(name)
    if viewer is None:
        return False
    program = next(filter(None, map(QStandardPaths.findExecutable, viewer.programs)), "")
    return bool(program) and start([program, *filled(viewer.arguments, path, page)])


def _start_registered(path: str, page: int) -> bool:
    """Start the viewer that Windows has for PDFs, if it can be told a page."""
    user = (
        "HKEY_CURRENT_USER\\Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\FileExts"
        "\\.pdf\\UserChoice"
    )
    name = str(QSettings(user, QSettings.Format.NativeFormat).value("ProgId") or "")
    key = f"HKEY_CLASSES_ROOT\\{name}\\shell\\open\\command"
    line = str(QSettings(key, QSettings.Format.NativeFormat).value("Default") or "")
    program = program_of(line)
    viewer = viewer_named(name) or viewer_named(PureWindowsPath(program).name)
    if viewer is None or not program:
        return False
    return start([program, *filled(viewer.arguments, path, page)])


def program_of(line: str) -> str:
    """Return the program of a command line as Windows registers it."""
    found = re.match(r'\s*(?:"([^"]+)"|(\S+\.exe)|(\S+))', line, re.IGNORECASE)
    return next(filter(None, found.groups()), "") if found else ""
