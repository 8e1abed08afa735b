"""The figures of docs/benchmarks that ``make bench`` compares its own with.

They are in ``docs/benchmarks/figures.json``, each with the words of the page that state it. Since
machines differ, only two kinds of figures are compared: ratios that hold on all machines (quality,
shares of the bare session, p95 over p50, size relative to the text), and figures whose
``processor`` names the kind of processor of this machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from tests.benchmarks.report import Cell, Section

FILE = Path(__file__).parents[2] / "docs" / "benchmarks" / "figures.json"
COLUMNS = ("part", "row", "figure of", "here", "figure", "ratio")
TITLE = "Below the figures of docs/benchmarks"


class Place(msgspec.Struct, frozen=True):
    """A cell of a part's table: the row that has all of these cells, and the column's name."""

    row: tuple[str | int, ...]
    column: str


class Figure(msgspec.Struct, frozen=True):
    """A figure, and the cell of a run's table that has the run's own.

    Args:
        part: The part of ``make bench``.
        row: Cells that the row has.
        column: The name of the column.
        figure: A number, or two numbers, of which the first is divided by the second.
        page: The page of docs/benchmarks that states it.
        says: The words of the page.
        processor: The kind of processor for which it holds; any by default.
        over: The cell by which the run's own is divided.
        less: Whether less is better.
        within: The least ratio of the run to the figure that is not reported; less is worse.
    """

    part: str
    row: tuple[str | int, ...]
    column: str
    figure: float | tuple[float, float]
    page: str
    says: str
    processor: str = ""
    over: Place | None = None
    less: bool = False
    within: float = 0.95

    @property
    def value(self) -> float:
        if isinstance(self.figure, tuple):
            first, second = self.figure
            return first / second
        return self.figure

    def here(self, section: Section) -> float | None:
        """The run's own value of this figure, if it has one."""
        found = _cell(section, Place(self.row, self.column))
        if found is None or self.over is None:
            return found
        base = _cell(section, self.over)
        return found / base if base else None


def read_figures() -> list[Figure]:
    return msgspec.json.decode(FILE.read_bytes(), type=list[Figure])


def below(
    sections: Mapping[str, Section], figures: Sequence[Figure], processor: str, load: str
) -> Section:
    """The section with results of a run that are worse than the figures.

    Args:
        sections: The run's parts.
        figures: The figures.
        processor: The kind of the run's processor.
        load: How busy the machine was when the run began.
    """
    rows: list[tuple[Cell, ...]] = []
    compared = 0
    for one in figures:
        section = sections.get(one.part)
        here = one.here(section) if section and one.processor in ("", processor) else None
        if here is None:
            continue
        compared += 1
        ratio = one.value / here if one.less else here / one.value
        if ratio < one.within:
            row = ", ".join(str(cell) for cell in one.row)
            what = f"{one.column} / {one.over.column}" if one.over else one.column
            rows.append((one.part, row, what, here, one.value, ratio))
    note = (
        f"{compared} of {len(figures)} figures could be compared on this processor "
        f"({processor or 'of another kind'}), {len(rows)} are below. A ratio of 1 is the figure, "
        f"less is worse. Other work (load {load or 'unknown'} before) makes times worse, and the "
        "share of the bare session too."
    )
    return Section("below", TITLE, COLUMNS, tuple(rows), (note,))


def _cell(section: Section, place: Place) -> float | None:
    """The number of a cell; None if the run has no such row, column or number."""
    if place.column not in section.columns:
        return None
    at = section.columns.index(place.column)
    cells = (row[at] for row in section.rows if set(place.row) <= set(row))
    found = next(cells, None)
    return float(found) if isinstance(found, int | float) else None
