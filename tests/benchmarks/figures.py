"""The figures of docs/benchmarks that ``make bench`` compares its own with.

They are in ``docs/benchmarks/figures.json``, each with the words of the page that say it. Machines
differ, so what is compared is a ratio that holds across them (quality, shares of the bare session,
p95 over p50, size in times of the text) or, where ``processor`` names a kind, was measured on a
processor of that kind.
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
    """A figure, and where a run has its own.

    Args:
        part: The part of ``make bench``.
        row: Cells that the row has.
        column: The name of the column.
        figure: A number, or two, of which the first is divided by the second.
        page: The page that says it, from docs/benchmarks.
        says: Its words.
        processor: The kind of processor it holds for; any by default.
        over: The cell that the run's own is divided by.
        less: Less is better.
        within: The ratio, 1 for the same and less for worse, from which on a run is not below.
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
        """What a run has for it, if it has it."""
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
    """What a run has worse than the figures.

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
    """The number of a cell; None where the run has no such row, column or number."""
    if place.column not in section.columns:
        return None
    at = section.columns.index(place.column)
    cells = (row[at] for row in section.rows if set(place.row) <= set(row))
    found = next(cells, None)
    return float(found) if isinstance(found, int | float) else None
