"""Notices of the window itself: a restart that is needed, a fault, documents that were set aside.

Owns their sentences, and which documents the person knows of. It must not know the window.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from ui.desktop import open_path
from ui.ports import Notice

if TYPE_CHECKING:
    from ui.notices import NoticeBar
    from ui.pages import Pages
    from ui.state import WindowState


class WindowAlerts(QObject):
    """Posts the notices; their buttons open reports, or the list of files on the pages."""

    def __init__(self, notices: NoticeBar, state: WindowState, pages: Pages) -> None:
        super().__init__(pages)
        self._notices, self._state, self._pages = notices, state, pages

    def show_restart(self) -> None:
        self._notices.post(Notice(self.tr("The language changes when Lectern is started again.")))

    def show_fault(self, report: str) -> None:
        """Post a notice of a fault, with a button that opens the report."""
        text = self.tr("Something went wrong inside Lectern. A report, which stays here: {file}")

        def show() -> None:
            open_path(report, self._notices)

        self._notices.post(
            Notice(text.format(file=report), action=self.tr("Show"), act=show, seconds=0)
        )

    def show_set_aside(self, number: int) -> None:
        """Post a notice, once, that documents which crashed the engine are not retried."""
        before = self._state.number("set_aside")
        if number == before:
            return
        self._state.keep_number("set_aside", number)
        if number > before:
            text = self.tr(
                "%Ln document(s) stopped the engine more than once and were set aside.",
                "",
                number - before,
            )
            self._notices.post(
                Notice(text, action=self.tr("Show"), act=self._pages.show_files, seconds=0)
            )
