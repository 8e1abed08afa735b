"""Takes the screenshots of the README, for `make screenshots`.

It decides what each one shows. It runs the program on the sample documents in a temporary home, so
that no screenshot has private data.

    python packaging/screenshots.py [FOLDER]
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from app.paths import models_folder
from sample import make_lease

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from PySide6.QtWidgets import QWidget

    from app.gui import Program
    from indexer.api.progress import Progress
    from indexer.api.types import Hit
    from ui.application import Application
    from ui.main_window import MainWindow

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "packaging" / "pictures"
SAMPLES = ROOT / "resources" / "sample" / "documents"
SIZE = (1280, 800)
QUESTION = "how cold was it in the tents"
GERMAN_QUESTION = "who must repair the roof"
# Sentences of the lease, and what its earlier version says instead.
DRAFT = (
    ("made on 3 February 2025", "drafted on 8 January 2025"),
    ("runs for five years", "runs for three years"),
    ("within thirty days of the end of the lease", "within sixty days of the end of the lease"),
    ("1,800", "2,400"),
    ("Nobody may live there.", "Guests may sleep in the loft for up to three nights a month."),
    ("as compensation, and nothing more.", "as compensation. The harbour board keeps a spare key."),
)
DEPOSIT = "when is the deposit returned"
# Questions whose answers are put into the basket, each with a note.
KEPT = (
    (DEPOSIT, "Thirty days; the draft said sixty. Ask for the account in writing."),
    ("what happens when the workshop is flooded", "Shelves for the lathe before October."),
    (QUESTION, ""),
)
TIMEOUT_S = 120.0
SETTLE_MS = 500
NEAR = 120  # tolerance of a colour, summed over red, green and blue


def private_home(folder: Path) -> None:
    """Set a folder as the home of the program, with the existing models."""
    models = models_folder()
    folder.mkdir()
    (folder / "run").mkdir(mode=0o700)
    os.environ["XDG_RUNTIME_DIR"] = str(folder / "run")
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        os.environ[f"XDG_{name}_HOME"] = str(folder / name.lower())
    os.environ["HOME"] = str(folder)
    shutil.copytree(SAMPLES, folder / "Documents")
    add_troubles(folder / "Documents")
    data = folder / "data" / "lectern"
    data.mkdir(parents=True)
    if models.exists():
        (data / "models").symlink_to(models)


def add_troubles(documents: Path) -> None:
    """Add files that cannot be read: empty, damaged, encrypted."""
    import pymupdf

    (documents / "to do.txt").touch()
    (documents / "old report.pdf").write_bytes(b"%PDF-1.4\ncut off in the mid")
    (documents / "harbour.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), "Confidential")
        document.save(
            documents / "salary.pdf",
            encryption=pymupdf.PDF_ENCRYPT_AES_256,
            owner_pw="owner",
            user_pw="user",
        )


def wait(condition: Callable[[], object]) -> None:
    from PySide6.QtTest import QTest

    ends = time.monotonic() + TIMEOUT_S
    while not condition():
        if time.monotonic() > ends:
            sys.exit("lectern: the window did not reach the state of the screenshot")
        QTest.qWait(50)


def shoot(window: QWidget, folder: Path, name: str) -> None:
    """Save a screenshot after animations have ended."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QWidget

    QTest.qWait(SETTLE_MS)
    for each in window.findChildren(QWidget):
        each.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, on=False)
    window.grab().save(str(folder / f"{name}.png"))
    print(f"  {name}.png")


def is_outlined(page: QWidget) -> bool:
    """Whether a widget shows the colour of an outline, within the tolerance of anti-aliasing."""
    from PySide6.QtGui import QColor

    from ui import theme

    image, wanted = page.grab().toImage(), theme.current().outline
    seen = 0
    for y in range(0, image.height(), 2):
        for x in range(image.width()):
            here = QColor(image.pixel(x, y))
            apart = abs(here.red() - wanted.red()) + abs(here.green() - wanted.green())
            seen += apart + abs(here.blue() - wanted.blue()) < NEAR
    return seen > 100


class Stage:
    """The program with its window, with some settings."""

    def __init__(self, app: Application, library: Path, **settings: str | int) -> None:
        from app.gui import Program
        from app.settings import Settings
        from ui.application import use_language

        chosen = Settings()
        for name, value in settings.items():
            chosen.set(name, value)
        use_language(app, str(chosen["language"]))
        self.program: Program = Program(app, chosen, library, offline=False)
        self.window = self.program.window
        self.window.resize(*SIZE)
        self.window.present()
        self.program.begin()

    def ready(self) -> None:
        from ui.supervisor import EngineState

        wait(lambda: self.program.supervisor.state is EngineState.READY)
        wait(lambda: self.program.feed.latest)

    def search(self, text: str) -> Hit:
        """Search, wait until the preview of the first hit is outlined, and return the hit."""
        pane = self.window.pages.search
        before = pane.search.current_hit
        self.window.pages.search_for(text)
        wait(lambda: pane.search.live_search.is_answered and pane.search.query == text)
        wait(lambda: pane.search.current_hit not in (None, before))
        wait(lambda: pane.preview.isHidden() or is_outlined(pane.preview))
        hit = pane.search.current_hit
        assert hit is not None  # noqa: S101  # for mypy
        return hit

    def quit(self) -> None:
        ended: list[bool] = []
        self.program.supervisor.ended.connect(lambda: ended.append(True))
        self.window.quit()
        wait(lambda: ended)
        self.program.close()


def scenes(app: Application, library: Path) -> Iterator[tuple[str, QWidget]]:
    """Yield the name of each screenshot and its window, in the right state."""
    stage = Stage(app, library, language="en", theme="light", text_scale=100, speed="slow")
    stage.ready()
    yield from first_run(stage)
    window = stage.window
    window.pages.show_files()
    wait(lambda: progress(stage) is not None)
    wait(lambda: all_rows(window) > 5)
    yield "activity", window
    stage.program.settings.set("speed", "normal")
    wait(lambda: progress(stage) is None)
    stage.search(QUESTION)
    yield "search", window
    window.pages.show_files()
    table = window.pages.library.table
    wait(lambda: all_rows(window) > 5)
    table.selectRow(all_rows(window) - 1)
    wait(window.pages.library.details.page.isVisible)
    yield "library", window
    stage.quit()

    stage = Stage(app, library, theme="dark")
    stage.ready()
    stage.search(QUESTION)
    yield "dark", stage.window
    stage.quit()

    stage = Stage(app, library, theme="light", language="de")
    stage.ready()
    stage.search(GERMAN_QUESTION)
    yield "german", stage.window
    stage.quit()

    stage = Stage(app, library, language="en")
    stage.ready()
    yield from features(stage, Path.home() / "Documents")
    stage.quit()

    stage = Stage(app, library, text_scale=200)
    stage.ready()
    stage.search(QUESTION)
    yield "large-text", stage.window
    stage.quit()


def features(stage: Stage, documents: Path) -> Iterator[tuple[str, QWidget]]:
    """Collect passages, and compare the lease with its draft."""
    from indexer.api.requests import Index
    from ui.compare.page import ComparePage
    from ui.pages import BASKET, COMPARE

    lease, draft = documents / "workshop-lease.pdf", documents / "workshop-lease-draft.pdf"
    window, pages = stage.window, stage.window.pages
    for question, note in KEPT:
        hit = stage.search(question)
        kept = pages.basket.add_passage(hit, question)
        if kept is not None:
            pages.basket.annotate(kept.key, note)
    pages.show_page(BASKET)
    yield "basket", window
    make_lease(draft, DRAFT)
    read: list[object] = []
    stage.program.link.send_request(Index((documents,)), done=read.append)
    wait(lambda: read)
    pages.search.ask_elsewhere(stage.search(DEPOSIT))
    wait(lambda: len(pages.search.elsewhere.list.rows) > 1)
    wait(lambda: is_outlined(pages.search.preview))
    yield "elsewhere", window
    pages.compare(str(draft), str(lease))
    page = pages.page(COMPARE)
    assert isinstance(page, ComparePage)  # noqa: S101  # for mypy
    wait(lambda: all(is_outlined(side) for side in page.sides))
    yield "compare", window


def all_rows(window: MainWindow) -> int:
    """The number of files that the library lists."""
    return window.pages.library.model.rowCount()


def progress(stage: Stage) -> Progress | None:
    """The progress of the indexing job, if one is running."""
    latest = stage.program.feed.latest
    return latest.running.progress if latest is not None and latest.running is not None else None


def first_run(stage: Stage) -> Iterator[tuple[str, QWidget]]:
    """Choose the sample documents, wait for the estimate, and begin."""
    from ui.library.first_run import FirstRun

    page = stage.window.pages.page("first_run")
    assert isinstance(page, FirstRun)  # noqa: S101  # for mypy
    wait(page.card.start.isEnabled)
    yield "first-run", stage.window
    page.card.start.click()


def main(arguments: list[str]) -> int:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from ui.application import make_application

    folder = Path(arguments[0]) if arguments else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "home"
        private_home(home)
        app = make_application()
        print(f"pictures in {folder}:")
        for name, window in scenes(app, home / "data" / "lectern" / "library"):
            shoot(window, folder, name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
