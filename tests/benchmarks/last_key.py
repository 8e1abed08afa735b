"""How soon the window shows results after the last key, while a folder is read and at rest.

``python -m tests.benchmarks.last_key`` types questions of a set into the real window. The engine is
a process of its own, which first reads the set's documents and then rests. For every other question
the window shows hits by words until the answer comes, for the others it does not.

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
from dataclasses import dataclass
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
TYPED = 20  # letters of a question that are typed with these pauses, after all others at once
UNANSWERED_S = 60.0


@dataclass(frozen=True, slots=True)
class Painted:
    """Milliseconds from the last key until hits by words, if any, and the answer are painted."""

    words: float | None
    answer: float

    @property
    def first(self) -> float:
        return self.answer if self.words is None else self.words


def wait(condition: Callable[[], object]) -> None:
    from PySide6.QtTest import QTest

    ends = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > ends:
            raise TimeoutError
        QTest.qWait(20)


def last_key(program: Program, question: str, *, by_words: bool = True) -> Painted:
    """Type a question, and wait until its answer is painted.

    Args:
        program: The window.
        question: The question.
        by_words: Ask for hits by its words as the window does.

    Raises:
        TimeoutError: With the question, if it is not answered.
    """
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    page = program.window.pages.search.search
    search, words = page.live_search, None
    search._words_timer.blockSignals(not by_words)
    page.focus_box()
    page.bar.box.setText(question[:-TYPED])
    for letter in question[-TYPED:-1]:
        QTest.keyClicks(page.bar.box, letter)
        QTest.qWait(KEY_MS)
    began = time.perf_counter()
    QTest.keyClicks(page.bar.box, question[-1])
    while time.perf_counter() - began < UNANSWERED_S:
        QApplication.processEvents()
        if not (search.asks_the_same(question) and search.shows_current):
            continue
        if search.is_answered or words is None:
            page.results.view.viewport().repaint()
            painted = 1000 * (time.perf_counter() - began)
            if search.is_answered:
                return Painted(words, painted)
            words = painted
    raise TimeoutError(question)


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
    program.link.send_request(Index((documents,), kept=True), done=ignore)
    wait(lambda: (feed := program.feed.latest) is not None and feed.pages_per_second > 0)
    print("| last key to | hits by words | the answer | the first of both, worst | load |")
    print("|---|---|---|---|---|")
    for name, goal in GOALS_MS.items():
        if name == "at rest":
            wait(lambda: not is_reading(program))
        last_key(program, next(questions))  # the first loads what the others find loaded
        took: dict[bool, list[Painted]] = {True: [], False: []}
        # Each question once: the window keeps the last answers.
        for number, question in enumerate(itertools.islice(questions, 2 * times)):
            by_words = number % 2 == 1
            took[by_words].append(last_key(program, question, by_words=by_words))
        if name != "at rest" and not is_reading(program):
            raise SystemExit("the folder was read before the end; take a larger set")
        for by_words, each in took.items():
            how = "with" if by_words else "without"
            print(row(f"{name} (goal {goal} ms), {how} hits by words", each), flush=True)


def row(name: str, took: list[Painted]) -> str:
    """A line of the table."""
    words = [each.words for each in took if each.words is not None]
    answers = [each.answer for each in took]
    by_words = f"{len(words)} of {len(took)}"
    if words:
        by_words += f", {statistics.median(words):.0f} ms, worst {max(words):.0f}"
    answer = f"{statistics.median(answers):.0f} ms, worst {max(answers):.0f}"
    first = [each.first for each in took]
    both = f"{statistics.median(first):.0f} ms, worst {max(first):.0f}"
    return f"| {name} | {by_words} | {answer} | {both} | {os.getloadavg()[0]:.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--set", default="cuad-plain", choices=sets.NAMES)
    parser.add_argument("--times", type=int, default=10)
    options = parser.parse_args()
    wanted = sets.find(options.set)
    # Qt's tests have keys for the letters of ASCII alone.
    texts = dict.fromkeys(query.text[-60:].strip() for query in wanted.queries())
    typed = [text for text in texts if text.isascii()]
    if len(typed) < len(GOALS_MS) * (1 + 2 * options.times):
        raise SystemExit(f"{options.set} has {len(typed)} different questions; ask for fewer times")
    questions = iter(typed)
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
