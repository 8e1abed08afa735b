"""A run is compared with figures that the pages state, and what is worse is listed."""

from __future__ import annotations

import pytest

from tests.benchmarks import figures, latency, machine, quality, scoring, size, throughput
from tests.benchmarks.figures import FILE, Figure, Place
from tests.benchmarks.report import Cell, Section

FIGURES = figures.read_figures()
COLUMNS = {
    "throughput": throughput.COLUMNS,
    "latency": latency.COLUMNS,
    "quality": quality.COLUMNS,
    "size": size.COLUMNS,
}


@pytest.mark.parametrize("one", FIGURES, ids=lambda one: f"{one.part}, {one.row}, {one.column}")
def test_a_page_says_each_figure(one: Figure) -> None:
    # The words may go on in the next line.
    page = " ".join((FILE.parent / one.page).read_text(encoding="utf-8").split())
    assert one.says in page
    numbers = one.figure if isinstance(one.figure, tuple) else (one.figure,)
    assert all(f"{number:g}".lstrip("0") in one.says for number in numbers)


@pytest.mark.parametrize("one", FIGURES, ids=lambda one: f"{one.part}, {one.row}, {one.column}")
def test_a_part_has_the_column_of_each_figure(one: Figure) -> None:
    assert one.column in COLUMNS[one.part]
    assert one.over is None or one.over.column in COLUMNS[one.part]
    assert one.processor in ("", *machine.KINDS)


def _latency(p50: float, p95: float) -> dict[str, Section]:
    row = ("synthetic", 99_966, "everything", 100, p50, p95, p95, p50)
    return {"latency": Section("latency", "", latency.COLUMNS, (row,))}


RATIO = Figure(
    "latency", ("synthetic", 99_966), "p95 ms", (60.0, 40.0), "", "",
    over=Place(("synthetic",), "p50 ms"), less=True,
)  # fmt: skip
MEDIAN = Figure("latency", ("synthetic",), "p50 ms", 40.0, "", "", processor="AVX2", less=True)


def test_what_is_worse_is_told_by_its_ratio() -> None:
    found = figures.below(_latency(50.0, 150.0), [RATIO, MEDIAN], "AVX2", "0.1")
    assert found.columns == figures.COLUMNS
    assert [row[2:] for row in found.rows] == [
        ("p95 ms / p50 ms", 3.0, 1.5, 0.5),
        ("p50 ms", 50.0, 40.0, 0.8),
    ]
    assert "2 of 2 figures" in found.notes[0]


def test_times_of_another_kind_of_processor_are_not_compared() -> None:
    found = figures.below(_latency(50.0, 75.0), [RATIO, MEDIAN], "matrix units", "")
    assert not found.rows
    assert "1 of 2 figures" in found.notes[0]


def test_what_a_run_did_not_measure_is_left_out() -> None:
    other = Figure("quality", ("cuad",), "mrr@10", 0.5, "", "")
    elsewhere = Figure("latency", ("cuad",), "p50 ms", 1.0, "", "", less=True)
    unknown = Figure("latency", ("synthetic",), "pages/s", 1.0, "", "")
    found = figures.below(_latency(1.0, 1.0), [other, elsewhere, unknown], "AVX2", "")
    assert not found.rows
    assert "0 of 3 figures" in found.notes[0]


def test_a_share_below_is_told_and_one_within_is_not() -> None:
    row: tuple[Cell, ...] = ("cuad", "model", 300, *[0.49] * len(scoring.COLUMNS), 1.0, 1.0)
    run = {"quality": Section("quality", "", quality.COLUMNS, (row,))}
    close = Figure("quality", ("cuad",), "mrr@10", 0.5, "", "", within=0.97)
    far = Figure("quality", ("cuad",), "mrr@10", 0.5, "", "", within=0.99)
    assert not figures.below(run, [close], "", "").rows
    ((*_, ratio),) = figures.below(run, [far], "", "").rows
    assert ratio == pytest.approx(0.98)


@pytest.mark.parametrize(
    ("flags", "kind"),
    [
        ("flags : sse2 avx2 avx512_vnni amx_int8", "matrix units"),
        ("flags : avx2 avx_vnni", "8-bit products"),
        ("flags : sse2 avx2", "AVX2"),
        ("flags : sse2", ""),
    ],
)
def test_the_kind_of_a_processor_goes_by_its_flags(flags: str, kind: str) -> None:
    assert machine.kind(flags) == kind
