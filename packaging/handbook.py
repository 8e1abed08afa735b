"""Makes the handbook of the sample documents: columns, two levels of headings, figures, tables.

It owns the layout; the figures and numbers are computed. ``packaging/sample.py`` runs it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from press import BOLD, ITALIC, ROMAN, Layout, Press, blocks_of, width_of

if TYPE_CHECKING:
    from collections.abc import Callable

TITLE = "A Handbook of Garden Sundials"
LATITUDES = (50, 54, 58)
FRONT = 2  # the title and the contents, with Roman page numbers
_LAYOUT = Layout(width=468, height=660, margin=48, columns=2, gap=18, size=9.4, leading=12.2)
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
           "October", "November", "December")  # fmt: skip
_INK, _FAINT, _SUN = (0.1, 0.1, 0.12), (0.62, 0.62, 0.66), (0.78, 0.5, 0.08)

Point = tuple[float, float]


def make_handbook() -> None:
    contents = _set([]).outline  # the first pass finds the pages of the contents
    press = _set(contents)
    press.outline.insert(0, [1, "Contents", FRONT])
    press.document.set_page_labels([
        {"startpage": 0, "style": "r", "firstpagenum": 1},
        {"startpage": FRONT, "style": "D", "firstpagenum": 1},
    ])  # fmt: skip
    press.save("sundials.pdf", TITLE, "The Lectern project")


def _set(contents: list[list[Any]]) -> Press:
    press = Press(_LAYOUT, TITLE, front=FRONT)
    _title_page(press)
    _contents_page(press, contents)
    press.new_page()
    for block in blocks_of("sundials.txt"):
        if block.startswith("## "):
            _heading(press, 2, block[3:], 10.4)
        elif block.startswith("# "):
            press.chapter = block[2:]
            _heading(press, 1, block[2:], 14)
        elif block.startswith("[figure: "):
            name, caption = block.strip("[]").removeprefix("figure: ").split(" | ")
            _figure(press, name, caption)
        elif block.startswith("[table: "):
            name, caption = block.strip("[]").removeprefix("table: ").split(" | ")
            _table(press, _TABLES[name](), caption)
        else:
            press.paragraph(block.replace("*", ""), indent=9)
    press.finish_page()
    return press


def _title_page(press: Press) -> None:
    press.new_page(bare=True)
    middle = _LAYOUT.width / 2
    press.centred("A HANDBOOK OF", 140, 13, ROMAN)
    press.centred("Garden Sundials", 178, 31, BOLD)
    press.centred("How to draw one, cut it, set it up and read it", 204, 12, ITALIC)
    _dial(press.shape, (middle, 430), 140, 54)
    press.centred("The Lectern project", 556, 11, ROMAN)
    press.centred("Free for any use (CC0 1.0)", 572, 9, ITALIC)


def _contents_page(press: Press, contents: list[list[Any]]) -> None:
    press.new_page(bare=True)
    press.centred("Contents", 100, 17, BOLD)
    y = 126.0
    left, right = 90.0, _LAYOUT.width - 90
    for level, title, page in contents:
        font, size = (BOLD, 11.5) if level == 1 else (ROMAN, 10.5)
        y += 22 if level == 1 else 15
        number = str(page - FRONT)
        start = left + 16 * (level - 1)
        press.put(title, start, y, size, font)
        press.put(number, right - width_of(number, ROMAN, size), y, size, ROMAN)
        end = start + width_of(title, font, size) + 8
        press.shape.draw_line((end, y - 2), (right - 24, y - 2))
        press.shape.finish(color=_FAINT, width=0.5, dashes="[1 3] 0")
    press.centred("ii", _LAYOUT.height - _LAYOUT.margin + 12, 8, ROMAN)


def _heading(press: Press, level: int, title: str, size: float) -> None:
    press.room(7 if level == 1 else 5)
    press.space(1.3 if level == 1 else 0.7)
    press.mark(level, title)
    x, y = press.place
    press.put(title, x, y, size, BOLD)
    press.space(1.35 if level == 1 else 1.15)


def _figure(press: Press, name: str, caption: str) -> None:
    high, draw = _FIGURES[name]
    press.room(math.ceil(high / _LAYOUT.leading) + 4)
    x, y = press.place
    draw(press.shape, (x, y - 4, x + _LAYOUT.column_width, y - 4 + high))
    press.space(high / _LAYOUT.leading + 0.9)
    _caption(press, caption)


def _caption(press: Press, text: str) -> None:
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if width_of(longer, ITALIC, _LAYOUT.size) > _LAYOUT.column_width:
            press.line(line, font=ITALIC)
            longer = word
        line = longer
    press.line(line, font=ITALIC)
    press.space(0.7)


def _table(press: Press, rows: list[list[str]], caption: str) -> None:
    press.room(len(rows) + 5)
    press.space(0.5)
    _caption(press, caption)
    left, y = press.place
    columns = len(rows[0])
    step = (_LAYOUT.column_width - 62) / (columns - 1)
    for number, row in enumerate(rows):
        font = BOLD if number == 0 else ROMAN
        _, y = press.place
        for place, cell in enumerate(row):
            x = left if place == 0 else left + 62 + place * step
            x -= width_of(cell, font, _LAYOUT.size) if place else 0
            press.put(cell, x, y, _LAYOUT.size, font)
        if number in (0, len(rows) - 1):
            press.shape.draw_line((left, y + 3.5), (left + _LAYOUT.column_width, y + 3.5))
            press.shape.finish(color=_INK, width=0.6)
        press.space(1)
    press.space(0.9)


def hour_line(latitude: float, hours: float) -> float:
    """Return the angle of an hour line from the noon line, in degrees."""
    if abs(hours) == 6:
        return math.copysign(90, hours)
    turned = math.radians(15 * hours)
    return math.degrees(math.atan(math.sin(math.radians(latitude)) * math.tan(turned)))


def equation_of_time(day: int) -> float:
    """Return the minutes by which a dial is ahead of the clock, for a day of the year from 1."""
    turn = 2 * math.pi * (day - 81) / 364
    return 9.87 * math.sin(2 * turn) - 7.53 * math.cos(turn) - 1.5 * math.sin(turn)


def _hours_table() -> list[list[str]]:
    names = ["Noon", "11 and 1", "10 and 2", "9 and 3", "8 and 4", "7 and 5", "6 and 6"]
    head = ["Hours", *(f"{latitude}\N{DEGREE SIGN}" for latitude in LATITUDES)]
    rows = [
        [name, *(f"{hour_line(latitude, hours):.1f}" for latitude in LATITUDES)]
        for hours, name in enumerate(names)
    ]
    return [head, *rows]


def _equation_table() -> list[list[str]]:
    starts = (1, 32, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335)
    rows = [
        [month, *(f"{-equation_of_time(start + day):+.0f}" for day in (0, 10, 20))]
        for month, start in zip(_MONTHS, starts, strict=True)
    ]
    return [["Month", "1st", "11th", "21st"], *rows]


def _dial(shape: Any, centre: Point, radius: float, latitude: float) -> None:
    """Draw a dial with noon at the top, hour lines and numerals."""
    x, y = centre
    inner = 0.86 * radius
    for hours in range(-6, 7):
        angle = math.radians(hour_line(latitude, hours))
        across, up = math.sin(angle), -math.cos(angle)
        shape.draw_line((x, y), (x + inner * across, y + inner * up))
        numeral = str((12 + hours - 1) % 12 + 1)
        place = 0.93 * radius
        shape.insert_text(
            (x + place * across - 0.02 * radius * len(numeral), y + place * up + 3 - abs(hours)),
            numeral, fontname=ROMAN, fontsize=max(7, 0.065 * radius),
        )  # fmt: skip
    shape.finish(color=_INK, width=0.7)
    for size in (inner, radius):
        shape.draw_sector((x, y), (x + size, y), 180, fullSector=False)
        shape.finish(color=_INK, width=1)
    shape.draw_line((x - radius, y), (x + radius, y))
    shape.finish(color=_INK, width=1)
    shape.draw_line((x, y), (x, y - 0.62 * radius))
    shape.finish(color=_SUN, width=2.4)


def _dial_figure(shape: Any, box: tuple[float, float, float, float]) -> None:
    x0, y0, x1, y1 = box
    radius = min((x1 - x0) / 2 - 4, y1 - y0 - 6)
    _dial(shape, ((x0 + x1) / 2, y1 - 4), radius, 54)


def _gnomon_figure(shape: Any, box: tuple[float, float, float, float]) -> None:
    x0, _, x1, y1 = box
    foot = y1 - 16
    south, north = x0 + 30, x1 - 40
    top = foot - (north - south) * 0.5 * math.tan(math.radians(54))
    peak = south + (north - south) * 0.5
    shape.draw_polyline([(south, foot), (peak, top), (peak, foot)])
    shape.finish(color=_INK, fill=(0.93, 0.91, 0.84), width=1, closePath=True)
    shape.draw_rect((x0 + 10, foot, x1 - 14, foot + 6))
    shape.finish(color=_INK, fill=(0.85, 0.86, 0.88), width=0.8)
    shape.draw_line((south, foot), (south + 1.28 * (peak - south), foot - 1.28 * (foot - top)))
    shape.finish(color=_SUN, width=1, dashes="[4 3] 0")
    shape.draw_sector((south, foot), (south + 30, foot), 54, fullSector=False)
    shape.finish(color=_INK, width=0.6)
    for place, text in (
        ((south + 34, foot - 12), "54\N{DEGREE SIGN}"),
        ((peak + 22, top - 8), "to the pole"),
        ((x1 - 42, foot - 5), "north"),
        ((peak + 6, foot - 26), "gnomon"),
    ):
        shape.insert_text(place, text, fontname=ITALIC, fontsize=8.5)


def _equation_figure(shape: Any, box: tuple[float, float, float, float]) -> None:
    x0, y0, x1, y1 = box
    left, right, low, high = x0 + 22, x1 - 2, y1 - 16, y0 + 4
    middle, unit = (low + high) / 2, (low - high) / 40

    def at(day: float) -> Point:
        minutes = equation_of_time(round(day))
        return left + (right - left) * (day - 1) / 364, middle - unit * minutes

    for minutes in (-20, -10, 0, 10, 20):
        y = middle - unit * minutes
        shape.draw_line((left, y), (right, y))
        shape.finish(color=_INK if minutes == 0 else _FAINT, width=0.5)
        shape.insert_text((x0, y + 3), f"{minutes:+d}" if minutes else "0", fontname=ROMAN,
                          fontsize=7.5)  # fmt: skip
    for month in range(12):
        x = left + (right - left) * (month + 0.5) / 12
        shape.insert_text((x - 3, y1 - 4), _MONTHS[month][0], fontname=ROMAN, fontsize=7.5)
    shape.draw_polyline([at(day) for day in range(1, 366, 3)])
    shape.finish(color=_SUN, width=1.6, closePath=False)


_TABLES: dict[str, Callable[[], list[list[str]]]] = {
    "hours": _hours_table,
    "equation": _equation_table,
}
_FIGURES: dict[str, tuple[float, Callable[[Any, tuple[float, float, float, float]], None]]] = {
    "gnomon": (150, _gnomon_figure),
    "dial": (116, _dial_figure),
    "equation": (130, _equation_figure),
}
