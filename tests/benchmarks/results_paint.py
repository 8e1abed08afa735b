"""Measures the list of results, offscreen: ``python -m tests.benchmarks.results_paint``.

It paints screenfuls of a list of 10,000 hits, for the first time and again, and times the arrival
of an answer, of more hits, and a change of the width. The first screenful of a program is painted
in separate programs, with and without the warming up that the window does while it is idle.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from tests.ui.search.hits import hit
from ui.search.model import ResultsModel
from ui.search.rows import grouped
from ui.search.view import ResultsView, warm

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.api.types import Hit
    from ui.search.rows import HitGroup

HITS = 10_000
DOCUMENTS = 1_000
SCREENS = 60
PROGRAMS = 7
WIDTH, HEIGHT = 900, 1000
SENTENCES = (
    "Rental income received after the merger accrues to the surviving entity. ",
    "The lessor keeps the premises in good repair, and the tenant cleans the gutters. ",
    "Deposits are held in escrow, and released upon inspection of the rooms. ",
    "The index is that of consumer prices, as published in March of each year. ",
)


def made_up() -> list[Hit]:
    """Hits of the length that real passages have, about 900 characters."""
    texts = ["".join(SENTENCES[(at + n) % 4] for n in range(12)) for at in range(4)]
    return [
        hit(
            f"/documents/folder {number % 7}/report {number % DOCUMENTS}.pdf",
            start=1000 * (number // DOCUMENTS),
            text=texts[number % 4],
            best=(len(SENTENCES[number % 4]), len(SENTENCES[number % 4]) + 70),
        )
        for number in range(HITS)
    ]


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def paints(view: ResultsView, image: QImage) -> list[float]:
    """The time of each of many screenfuls, from the top to the end."""
    bar = view.verticalScrollBar()
    times = []
    for screen in range(SCREENS):
        bar.setValue(bar.maximum() * screen // SCREENS)
        times.append(timed(lambda: view.viewport().render(image)))
    return times


def scrolls(view: ResultsView, image: QImage) -> list[float]:
    """The time of frames while one scrolls by the wheel."""
    bar = view.verticalScrollBar()
    bar.setValue(0)
    times = []
    for _ in range(3 * SCREENS):
        bar.setValue(bar.value() + 60)
        times.append(timed(lambda: view.viewport().render(image)))
    return times


def report(name: str, times: list[float]) -> None:
    worst, middle = max(times), statistics.median(times)
    print(f"{name:<44} median {middle:6.1f} ms   worst {worst:6.1f} ms")


def first_screenful(*, warmed: bool) -> float:
    """The time of the first screenful that this program paints."""
    model = ResultsModel()
    view = shown(model)
    image = QImage(view.viewport().size(), QImage.Format.Format_ARGB32_Premultiplied)
    if warmed:
        warm(view)
    model.show_groups(grouped(made_up()[:60]), same_query=False)
    view.updateGeometries()
    return timed(lambda: view.viewport().render(image))


def first_screenfuls() -> None:
    """Compare both ways in turns, each in a program of its own."""
    times: dict[str, list[float]] = {"cold": [], "warmed": []}
    for _ in range(PROGRAMS):
        for how, known in times.items():
            command = (sys.executable, "-m", "tests.benchmarks.results_paint", how)
            known.append(float(subprocess.check_output(command, text=True)))
    for how, known in times.items():
        report(f"the first screenful of a program, {how}", known)


def shown(model: ResultsModel) -> ResultsView:
    view = ResultsView(model)
    view.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    view.resize(WIDTH, HEIGHT)
    view.show()
    return view


def measure(hits: list[Hit], ratio: int) -> None:
    model = ResultsModel()
    view = shown(model)
    image = QImage(view.viewport().size() * ratio, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    few, all_of_them = grouped(hits[:60]), grouped(hits)

    def answer(groups: tuple[HitGroup, ...], *, same_query: bool) -> None:
        model.show_groups(groups, same_query=same_query)
        view.updateGeometries()

    print(f"{HITS} hits in {DOCUMENTS} documents, {WIDTH} × {HEIGHT} at {ratio}×")
    report("an answer of 60 hits", [timed(lambda: answer(few, same_query=False))])
    report("its first screenful", [timed(lambda: view.viewport().render(image))])
    report(f"{HITS} hits joining it", [timed(lambda: answer(all_of_them, same_query=True))])
    report("a screenful never seen before", paints(view, image))
    report("a frame of scrolling", scrolls(view, image))
    report("another width", [timed(lambda: view.resize(WIDTH + 100, HEIGHT))])
    view.close()


def main() -> int:
    app = QApplication.instance() or QApplication(sys.argv[:1])
    if how := sys.argv[1:]:
        print(first_screenful(warmed=how == ["warmed"]))
        return 0
    first_screenfuls()
    hits = made_up()
    for ratio in (1, 2):
        measure(hits, ratio)
    app.processEvents()
    return 0


if __name__ == "__main__":
    sys.exit(main())
