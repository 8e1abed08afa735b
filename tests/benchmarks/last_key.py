"""How soon results stand in the window after the last key, while a folder is read and at rest.

``python -m tests.benchmarks.last_key`` types questions of a set into the real window, over a real
engine in a process of its own, first while that reads the set's documents and then at rest.

    python -m tests.benchmarks.last_key --set cuad --times 20
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks import sets
from tests.benchmarks.meanwhile import make_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from app.gui import Program

GOALS_MS = {"while a folder is read": 350, "at rest": 200}
KEY_MS = 120  # between two keys
PATIENCE_S = 1800.0
UNANSWERED_S = 60.0


def wait(condition: Callable[[], object]) -> None:
    from PySide6.QtTest import QTest

    ends = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > ends:
            raise TimeoutError
        QTest.qWait(20)


def last_key(program: Program, question: str) -> float:
    """Type a question; return the seconds from its last key until its results are painted.

    Raises:
        TimeoutError: With the question, if it is not answered.
    """
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    page = program.window.pages.search.search
    page.focus_box()
    for letter in question[:-1]:
        QTest.keyClicks(page.bar.box, letter)
        QTest.qWait(KEY_MS)
    began = time.perf_counter()
    QTest.keyClicks(page.bar.box, question[-1])
    while not (page.live_search.is_answered and page.live_search.text.strip() == question.strip()):
        QApplication.processEvents()
        if time.perf_counter() - began > UNANSWERED_S:
            raise TimeoutError(question)
    page.results.view.viewport().repaint()
    return time.perf_counter() - began


def is_reading(program: Program) -> bool:
    latest = program.feed.latest
    return latest is not None and latest.running is not None


def measure(program: Program, documents: Path, questions: Iterator[str], times: int) -> None:
    from indexer.api.requests import Index
    from ui.pages import SEARCH
    from ui.ports import ignore
    from ui.supervisor import EngineState

    program.window.present()
    program.begin()
    wait(lambda: program.supervisor.state is EngineState.READY)
    program.window.pages.show_page(SEARCH)
    program.link.ask(Index((documents,), kept=True), done=ignore)
    wait(lambda: (feed := program.feed.latest) is not None and feed.passages_per_second > 0)
    print("| last key to results | median | worst | load |")
    print("|---|---|---|---|")
    for name, goal in GOALS_MS.items():
        if name == "at rest":
            wait(lambda: not is_reading(program))
        last_key(program, next(questions))  # the first loads what the others find loaded
        took = [1000 * last_key(program, next(questions)) for _ in range(times)]
        if name != "at rest" and not is_reading(program):
            raise SystemExit("the folder was read before the end; take a larger set")
        print(
            f"| {name} (goal {goal} ms) | {statistics.median(took):.0f} ms | {max(took):.0f} ms "
            f"| {os.getloadavg()[0]:.1f} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--set", default="cuad-plain", choices=sets.NAMES)
    parser.add_argument("--times", type=int, default=10)
    options = parser.parse_args()
    wanted = sets.find(options.set)
    # Qt's tests have keys for the letters of ASCII alone.
    texts = [query.text[:60] for query in wanted.queries()]
    questions = itertools.cycle([text for text in texts if text.isascii()])
    with tempfile.TemporaryDirectory() as folder:
        home = make_home(Path(folder) / "home")
        documents = home.folder / "documents"
        shutil.copytree(wanted.corpus, documents)
        documents.chmod(0o700)
        os.environ.update({"QT_QPA_PLATFORM": "offscreen", **home.environment})
        from app.gui import Program
        from app.settings import Settings
        from ui.application import make_application

        program = Program(make_application(), Settings(), home.library, offline=True)
        try:
            measure(program, documents, questions, options.times)
        finally:
            ended: list[bool] = []
            program.supervisor.ended.connect(lambda: ended.append(True))
            program.window.quit()
            wait(lambda: ended)
            program.close()


if __name__ == "__main__":
    main()
