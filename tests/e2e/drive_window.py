"""Works the real window on a real display with the keyboard, from the first run to the passage.

``python -m tests.e2e.drive_window PICTURES`` is started by ``test_window`` under a display of its
own. It prints a line for each step, and saves a picture of the screen in that folder.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app import confined
from app.gui import Program
from app.settings import Settings
from indexer.api.requests import ListFiles
from indexer.api.types import FileState
from indexer.confine import network
from ui import theme
from ui.application import make_application, use_language
from ui.pages import FIRST_RUN, SEARCH
from ui.supervisor import EngineState

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QColor, QImage
    from PySide6.QtWidgets import QApplication, QWidget

    from indexer.api.answers import FileList

PATIENCE_S = 90.0
# A phrase is always an answer; the tiny model cannot tell whether other hits are one.
QUESTION = '"keeps the roof"'


class Driver:
    """Presses keys in the window, and saves pictures of the screen."""

    def __init__(self, app: QApplication, program: Program, pictures: Path) -> None:
        self.app = app
        self.program = program
        self.window = program.window
        self.pictures = pictures

    def until(self, condition: Callable[[], object], what: str) -> None:
        ends = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > ends:
                self.picture("failed")
                sys.exit(f"never reached: {what}")
            QTest.qWait(50)

    def reached(self, what: str) -> None:
        self.picture(what)
        print(what, flush=True)  # what the test reads

    def picture(self, name: str) -> QImage:
        QTest.qWait(200)
        grabbed = self.app.primaryScreen().grabWindow(0)
        grabbed.save(str(self.pictures / f"{name}.png"))
        return grabbed.toImage()

    @property
    def focus(self) -> QWidget:
        widget = self.app.focusWidget()
        assert widget is not None, "nothing has the focus"  # ends the script
        return widget

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier | None = None) -> None:
        QTest.keyClick(self.focus, key, modifier or Qt.KeyboardModifier.NoModifier)

    def type(self, text: str) -> None:
        for letter in text:
            QTest.keyClicks(self.focus, letter)
            QTest.qWait(10)

    def tab_to(self, name: str) -> None:
        """Press Tab until the control with a name has the focus."""
        for _ in range(60):
            focus = self.app.focusWidget()
            if focus is not None and getattr(focus, "text", lambda: "")().replace("&", "") == name:
                return
            self.press(Qt.Key.Key_Tab)
        self.picture("failed")
        sys.exit(f"Tab does not lead to {name}")

    def run(self) -> None:
        self.until(self.window.isActiveWindow, "an active window")
        self.until(lambda: self.program.supervisor.state is EngineState.READY, "an engine")
        self.until(lambda: self.window.pages.name == FIRST_RUN, "the first run")
        self.first_run()
        self.search()
        self.leave()

    def first_run(self) -> None:
        page = self.window.pages.page(FIRST_RUN)
        card = getattr(page, "card")  # noqa: B009  # its type is known to its own page only
        self.until(lambda: card.isVisible() and card.start.isEnabled(), "an estimate")
        self.reached("estimate")
        self.tab_to("Start")
        self.press(Qt.Key.Key_Space)
        documents = len(list((Path.home() / "Documents").iterdir()))
        self.until(lambda: self._read() >= documents, "an index")
        self.reached("indexed")
        self.type(QUESTION)
        QTest.qWait(500)
        self.press(Qt.Key.Key_Return)
        self.until(lambda: self.window.pages.name == SEARCH, "the search")

    def _read(self) -> int:
        """Return the number of documents that are read and embedded."""
        done: list[FileList] = []
        self.program.link.send_request(ListFiles(FileState.INDEXED, limit=1), done=done.append)
        self.until(lambda: done, "an answer")
        return done[0].total

    def search(self) -> None:
        pane = self.window.pages.search
        self.until(lambda: pane.search.current_hit is not None, "a hit")
        hit = pane.search.current_hit
        assert hit is not None  # just waited for
        if "roof" not in hit.text:
            sys.exit(f"found something else: {hit.text}")
        self.reached("results")
        self.until(lambda: pane.preview.shown is not None, "a page")
        self.until(self._is_outlined, "an outline")
        self.reached("outlined")

    def _is_outlined(self) -> bool:
        preview = self.window.pages.search.preview
        image = preview.grab().toImage()
        outline = theme.current().outline
        return sum(_is_like(image, x, y, outline) for x, y in _points(image)) > 20

    def leave(self) -> None:
        ended: list[bool] = []
        self.program.supervisor.ended.connect(lambda: ended.append(True))
        self.press(Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
        self.until(lambda: ended, "the end")
        self.program.close()
        print("left", flush=True)


def _points(image: QImage) -> list[tuple[int, int]]:
    return [(x, y) for y in range(0, image.height(), 2) for x in range(0, image.width(), 2)]


def _is_like(image: QImage, x: int, y: int, wanted: QColor) -> bool:
    found = image.pixelColor(x, y)
    parts = ((found.red(), wanted.red()), (found.green(), wanted.green()),
             (found.blue(), wanted.blue()))  # fmt: skip
    return all(abs(one - other) < 24 for one, other in parts)


def main() -> None:
    confined.begin(confined.WINDOW, offline=True)  # as the program does
    if network.current().by and network.is_reachable():
        sys.exit("not cut off from the network")
    app = make_application()
    settings = Settings()
    use_language(app, str(settings["language"]))
    from app import paths

    program = Program(app, settings, paths.default_library(), offline=True)
    program.window.resize(1200, 740)
    program.window.present()
    program.begin()
    Driver(app, program, Path(sys.argv[1])).run()


if __name__ == "__main__":
    main()
