"""Progress on one line of a terminal, and every few seconds in a log."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from app import render
from app.render import LOG_INTERVAL_S, ProgressLine, TerminalStyle, describe
from indexer.api.progress import Progress, Step

reports = st.builds(
    Progress,
    step=st.sampled_from(Step),
    files_total=st.integers(0, 10**7),
    current=st.text(),
    note=st.text(),
)


def screen(written: str) -> str:
    """Return the final content of a terminal's line."""
    shown: list[str] = []
    for part in written.split("\r"):
        letters = list(part)
        shown[: len(letters)] = letters
    return "".join(shown).rstrip()


def test_the_line_of_each_step() -> None:
    progress = Progress(Step.INDEX, 12, 40, 1200, 5000, 0, 9, 60.0, 150.0, "/a/b.pdf")
    assert describe(progress, TerminalStyle()) == (
        "12/40 files · 1,200 pages (20.0/s) · 5,000 passages (83.3/s) · about 3 minutes left · "
        "b.pdf"
    )
    assert describe(progress, TerminalStyle(unicode=False)).isascii()
    assert "3 files found" in describe(Progress(Step.SCAN, files_total=3), TerminalStyle())
    assert "tidying" in describe(Progress(Step.MAINTAIN), TerminalStyle())
    assert "no space" in describe(Progress(Step.INDEX, note="no space"), TerminalStyle())


@given(st.lists(reports, min_size=1), st.integers(20, 120))
def test_a_terminal_shows_the_last_report_and_nothing_of_longer_ones(
    given_reports: list[Progress], width: int
) -> None:
    stream = io.StringIO()
    line = ProgressLine(stream, TerminalStyle(width=width), live=True)
    for progress in given_reports:
        line(progress)
    last = render.elide(describe(given_reports[-1], TerminalStyle()), width - 1)
    if all(render.cells(character) == 1 for character in stream.getvalue().replace("\r", "")):
        assert screen(stream.getvalue()) == last.rstrip()
        line.clear()
        assert screen(stream.getvalue()) == ""
    assert "\n" not in stream.getvalue()


def test_a_log_gets_a_line_at_intervals() -> None:
    stream, now = io.StringIO(), [0.0]
    line = ProgressLine(stream, TerminalStyle(), live=False, clock=lambda: now[0])
    for _tenth in range(120):
        now[0] += 0.1
        line(Progress(Step.SCAN))
    line.clear()
    assert stream.getvalue().count("\n") == int(12 / LOG_INTERVAL_S)
    assert "\r" not in stream.getvalue()
