"""Opens a document in a viewer, at its page where the viewer can.

``viewer_commands`` has the arguments of each viewer, and ``ui.desktop`` starts them.
"""

from __future__ import annotations

import sys
from pathlib import PurePath, PureWindowsPath
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QCoreApplication,
    QObject,
    QProcess,
    QSettings,
    QStandardPaths,
)

from ui.desktop import is_gone, open_path, start, start_viewer
from ui.programs import filled, program_of, viewer_named
from ui.widgets import timer

if TYPE_CHECKING:
    from indexer.api.types import Hit
    from ui.ports import Context

SETTING = "viewer"
_PAGED = frozenset({".pdf"})
_ASK_MS = 1_500


def open_external(hit: Hit, context: Context | None = None, page: int = 0) -> None:
    """Open the document of a hit in the system's viewer, at the page if that viewer can.

    Args:
        hit: The hit.
        context: For the person's own command, and a notice if nothing opens.
        page: The page; 0 for that of the hit.
    """
    opening = _Opening(hit.path, max(page or hit.page, 1), context)
    opening.begin()


class _Opening(QObject):
    """The opening of one document; deletes itself afterwards."""

    def __init__(self, path: str, page: int, context: Context | None) -> None:
        super().__init__(QCoreApplication.instance())
        self._path, self._page, self._context = path, page, context
        self._query: QProcess | None = None
        self._timeout = timer(self, _ASK_MS, self._no_answer)

    def begin(self) -> None:
        own = str(self._setting() or "").strip()
        if is_gone(self._path):
            self._finish(started=False)  # which says so
        elif own:
            self._finish(start_viewer("", self._path, self._page, own))
        elif PurePath(self._path).suffix.lower() not in _PAGED:
            self._finish(started=False)
        elif sys.platform == "win32":
            self._finish(_start_registered(self._path, self._page))
        elif sys.platform == "darwin":
            # On macOS no viewer takes a page as an argument.
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
        """Ask for the default viewer, asynchronously: it takes a few dozen milliseconds."""
        program = QStandardPaths.findExecutable("xdg-mime")
        if not program:
            self._finish(started=False)
            return
        self._query = QProcess(self)
        self._query.finished.connect(self._answered)
        self._query.errorOccurred.connect(self._no_answer)
        self._timeout.start()
        self._query.start(program, ["query", "default", "application/pdf"])

    def _answered(self) -> None:
        if self._query is None:
            return
        name = bytes(self._query.readAllStandardOutput().data()).decode("utf-8", "replace")
        self._query = None
        self._finish(start_viewer(name, self._path, self._page))

    def _no_answer(self) -> None:
        if self._query is not None:
            asking, self._query = self._query, None
            asking.kill()
            self._finish(started=False)

    def _finish(self, started: bool) -> None:
        if not started:
            open_path(self._path, self._context.notices if self._context is not None else None)
        self.deleteLater()


def _start_registered(path: str, page: int) -> bool:
    """Start the default PDF viewer of Windows, if it can open a page."""
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
