"""Reading order: columns of prose, tables, and nothing is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexer.extract.pdf.layout import lay_out, placements
from indexer.extract.pdf.lines import Line, reading_order

HEIGHT = 800.0
WIDE = "a line of prose that fills its column to the end"


def line(x: float, y: float, text: str, width: float = 0.0, size: float = 10.0) -> Line:
    """A line with its upper left corner at (x, y)."""
    return Line(x, y, x + (width or 5.0 * len(text)), y + size, text, size, bold=False)


@st.composite
def pages(draw: st.DrawFn) -> list[Line]:
    numbers = st.floats(0, 700)
    count = draw(st.integers(0, 25))
    return [
        line(draw(numbers), draw(numbers), f"w{i}", draw(st.floats(1, 300)), draw(st.floats(4, 40)))
        for i in range(count)
    ]


def text_of(lines: list[Line]) -> str:
    return lay_out(lines, HEIGHT)[0]


@given(pages())
def test_every_line_is_read_once(lines: list[Line]) -> None:
    read = [cell for run in reading_order(lines) for row in run.rows for cell in row.cells]
    assert sorted(map(id, read)) == sorted(map(id, lines))


@given(pages())
def test_blocks_cover_the_text_in_order(lines: list[Line]) -> None:
    text, blocks = lay_out(lines, HEIGHT)
    end = -1
    for block in blocks:
        assert block.start == end + 1
        assert block.end > block.start
        end = block.end
    assert max(end, 0) == len(text)


@given(pages())
def test_placements_agree_with_the_text(lines: list[Line]) -> None:
    text = text_of(lines)
    for start, placed in placements(lines):
        assert text[start : start + len(placed.text)] == placed.text


def test_two_columns_are_read_one_after_the_other() -> None:
    left = [line(50, 100 + 12 * i, f"left {i} {WIDE}") for i in range(8)]
    right = [line(330, 100 + 12 * i, f"right {i} {WIDE}") for i in range(8)]
    title = line(50, 60, "A title across both columns", 500, 16)
    words = [row.split()[:2] for row in text_of([*left, *right, title]).split("\n")]
    expected = [["A", "title"]]
    expected += [[side, str(i)] for side in ("left", "right") for i in range(8)]
    assert words == expected


def test_a_table_drawn_by_columns_is_read_by_rows() -> None:
    labels = [line(50, 100 + 14 * i, f"label {i}") for i in range(5)]
    first = [line(200, 100 + 14 * i, f"{i},100") for i in range(5)]
    second = [line(300, 100 + 14 * i, f"{i},200") for i in range(5)]
    expected = [f"label {i}\t{i},100\t{i},200" for i in range(5)]
    assert text_of([*labels, *first, *second]).split("\n") == expected


def test_numbers_drawn_before_their_clauses_are_read_with_them() -> None:
    numbers = [line(50, 100 + 14 * i, f"{i}.") for i in range(4)]
    clauses = [line(75, 100 + 14 * i, f"Clause {i} {WIDE}") for i in range(4)]
    rows = text_of([*numbers, *clauses]).split("\n")
    assert [row.split()[:2] for row in rows] == [[f"{i}.", "Clause"] for i in range(4)]


def test_text_drawn_last_is_read_at_its_position() -> None:
    body = [line(50, 100 + 12 * i, f"body {i}") for i in range(3)]
    heading, foot = line(50, 40, "heading"), line(300, 760, "7")
    assert text_of([foot, *body, heading]) == "heading\nbody 0\nbody 1\nbody 2\n7"


def test_currency_signs_and_brackets_stay_with_their_sums() -> None:
    cells = [
        line(50, 100, "Net sales"),
        line(200, 100, "$"),
        line(230, 100, "(1,234"),
        line(290, 100, ")"),
    ]
    assert text_of(cells) == "Net sales\t$(1,234)"


def test_a_superscript_stays_in_its_line() -> None:
    lines = [line(50, 100, "as noted", 40), line(90, 98, "1", 4, 6), line(96, 100, "before", 30)]
    assert "\n" not in text_of(lines)


LEFT = (
    "The ferry leaves at dawn|and crosses the narrow|sound before the wind|rises in the afternoon."
)
RIGHT = (
    "Tickets are sold only at|the harbour kiosk, which|closes one hour before|the last departure."
)


def test_short_columns_of_text_are_read_one_after_the_other_however_they_are_drawn() -> None:
    left = [line(50, 100 + 12 * i, text) for i, text in enumerate(LEFT.split("|"))]
    right = [line(330, 100 + 12 * i, text) for i, text in enumerate(RIGHT.split("|"))]
    expected = f"{LEFT}|{RIGHT}".replace("|", "\n")
    assert text_of([*left, *right]) == expected
    by_row = [cell for row in zip(left, right, strict=True) for cell in row]
    below = line(50, 160, "After the columns", width=400)
    assert text_of([*by_row, below]) == f"{expected}\nAfter the columns"


def test_cells_that_are_no_running_text_stay_beside_each_other() -> None:
    names = ["Riding light and its bracket", "Anchor of stainless steel", "Rope", "Buoy, painted"]
    cells = [
        line(x, 100 + 12 * i, text)
        for i, name in enumerate(names)
        for x, text in ((50, name), (330, "bought at the harbour"))
    ]
    assert text_of(cells).splitlines()[1] == "Anchor of stainless steel\tbought at the harbour"
