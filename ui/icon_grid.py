"""Fits a line drawing to the pixels of a size, as hinting does for letters.

Straight lines go onto whole pixels and are as many wide, and what is between them moves along.
Slanted and round lines keep their width, since thinner they would be paler than the straight ones.
Pure; it must not know which drawings there are, nor how they are rendered.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from math import hypot
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    Point = tuple[float, float]
    # A command in upper case, its radii and flags if it is an arc, and its points.
    Segment = tuple[str, tuple[float, ...], tuple[Point, ...]]

VIEW = 24  # the view box that drawings have
_DOT = 0.11  # lines of this length are dots, straight in both directions
_TOKEN = re.compile(r"[A-Za-z]|-?(?:\d+\.?\d*|\.\d+)")
_NUMBERS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "A": 7, "Z": 0}
_SHAPE = re.compile(r"<(path|rect|circle)\b([^>]*?)/>")
_FIELD = re.compile(r'([\w-]+)="([^"]*)"')
_STROKE = re.compile(r'stroke-width="([\d.]+)"')


def fitted(svg: str, side: int) -> str:
    """Return a drawing of one width of stroke for ``side`` pixels; others as they are."""
    widths = set(_STROKE.findall(svg))
    if len(widths) != 1 or "Gradient" in svg:
        return svg
    scale = side / VIEW
    width = max(1.0, float(widths.pop()) * scale)
    whole = round(width)
    shapes = [(tag, dict(_FIELD.findall(rest))) for tag, rest in _SHAPE.findall(svg)]
    across, down = (_Axis(_straight(shapes, at), scale, whole) for at in (0, 1))
    made = iter([_drawn(tag, fields, across, down) for tag, fields in shapes])
    svg = _STROKE.sub(f'stroke-width="{width:.4g}"', svg)
    svg = _SHAPE.sub(lambda _found: next(made), svg)
    return svg.replace(f'viewBox="0 0 {VIEW} {VIEW}"', f'viewBox="0 0 {side} {side}"')


class _Axis:
    """Where the coordinates of one axis go, given those of its straight lines."""

    def __init__(self, lines: set[float], scale: float, stroke: int) -> None:
        self.scale, self.stroke = scale, stroke
        self._from = sorted(lines)
        # One pixel is sharp around the middle of a pixel, two around an edge.
        off = 0.5 * (stroke % 2)
        self._to = [round(line * scale - off) + off for line in self._from]

    def __call__(self, place: float) -> float:
        at = bisect_right(self._from, place)
        if not self._from:
            return place * self.scale
        if at in (0, len(self._from)):
            edge = max(at - 1, 0)
            return self._to[edge] + (place - self._from[edge]) * self.scale
        low, high = self._from[at - 1], self._from[at]
        share = (place - low) / (high - low)
        return self._to[at - 1] * (1 - share) + self._to[at] * share


def _straight(shapes: list[tuple[str, dict[str, str]]], at: int) -> set[float]:
    """Return the coordinates of vertical lines (``at`` 0) or horizontal ones (1)."""
    found: set[float] = set()
    for tag, fields in shapes:
        if tag == "rect":
            edge = float(fields["xy"[at]])
            found |= {edge, edge + float(fields[("width", "height")[at]])}
        elif tag == "circle":
            middle, radius = float(fields[("cx", "cy")[at]]), float(fields["r"])
            found |= {middle - radius, middle + radius}
        else:
            here: Point = (0.0, 0.0)
            start = here
            for command, _, points in _segments(fields["d"]):
                there = points[-1] if points else start
                start = there if command == "M" else start
                if command in "LZ" and abs(there[at] - here[at]) <= _DOT:
                    found.add(here[at])
                here = there
    return {round(line, 4) for line in found}


def _drawn(tag: str, fields: dict[str, str], across: _Axis, down: _Axis) -> str:
    if tag == "path":
        parts = _parts(fields["d"], across, down)
        return "".join(_written(tag, fields | {"d": part}, stroke) for part, stroke in parts)
    number = {name: float(fields[name]) for name in fields if fields[name][0].isdigit()}
    if tag == "rect":
        left, top = number["x"], number["y"]
        right, bottom = left + number["width"], top + number["height"]
    else:
        left, right = number["cx"] - number["r"], number["cx"] + number["r"]
        top, bottom = number["cy"] - number["r"], number["cy"] + number["r"]
    x, wide = across(left), across(right) - across(left)
    y, high = down(top), down(bottom) - down(top)
    if tag == "rect":
        corner = number.get("rx", 0.0) * across.scale
        placed = {"x": x, "y": y, "width": wide, "height": high, "rx": corner}
        stroke = across.stroke
    else:
        placed = {"cx": x + wide / 2, "cy": y + high / 2, "rx": wide / 2, "ry": high / 2}
        tag, stroke = "ellipse", 0
        del fields["r"]
    return _written(tag, fields | {name: f"{value:g}" for name, value in placed.items()}, stroke)


def _written(tag: str, fields: dict[str, str], stroke: int) -> str:
    """Write an element; ``stroke`` is its width in pixels, 0 for that of the drawing."""
    fields = fields | ({"stroke-width": str(stroke)} if stroke else {})
    written = " ".join(f'{name}="{value}"' for name, value in fields.items())
    return f"<{tag} {written}/>"


def _parts(data: str, across: _Axis, down: _Axis) -> Iterator[tuple[str, int]]:
    """Return the parts of a path, each with the width of its stroke, 0 for that of the drawing."""
    parts: list[list[Segment]] = []
    for segment in _segments(data):
        if segment[0] == "M":
            parts.append([])
        parts[-1].append(segment)
    for part in parts:
        yield _path(part, across, down), across.stroke if _is_straight(part) else 0


def _is_straight(part: list[Segment]) -> bool:
    """Return whether more than half of a part's length is upright or level."""
    lengths = [0.0, 0.0]
    here = start = part[0][2][0]
    for command, _, points in part[1:]:
        there = points[-1] if points else start
        apart = abs(there[0] - here[0]), abs(there[1] - here[1])
        lengths[command in "LZ" and min(apart) <= _DOT] += hypot(*apart)
        here = there
    return lengths[1] > lengths[0]


def _path(part: list[Segment], across: _Axis, down: _Axis) -> str:
    written = []
    here: Point = (0.0, 0.0)
    for command, arc, points in part:
        moved = [(across(x), down(y)) for x, y in points]
        numbers = [number for point in moved for number in point]
        if arc:
            (x, y), start = moved[0], (across(here[0]), down(here[1]))
            before = hypot(points[0][0] - here[0], points[0][1] - here[1])
            grown = hypot(x - start[0], y - start[1]) / before
            numbers = [arc[0] * grown, arc[1] * grown, *arc[2:], *numbers]
        written.append(command + " ".join(f"{number:.4g}" for number in numbers))
        here = points[-1] if points else here
    return "".join(written)


def _segments(data: str) -> Iterator[Segment]:
    """Read a path: absolute commands of M, L, C, A and Z."""
    tokens = _TOKEN.findall(data)
    at, command = 0, ""
    here = start = handle = (0.0, 0.0)
    while at < len(tokens):
        if tokens[at].isalpha():
            command, at = tokens[at], at + 1
        name, count = command.upper(), _NUMBERS[command.upper()]
        values = [float(token) for token in tokens[at : at + count]]
        at += count
        base = here if command.islower() else (0.0, 0.0)
        if name == "Z":
            here = start
            yield "Z", (), ()
            continue
        if name in "HV":
            on = "HV".index(name)
            there = (base[0] + values[0], here[1]) if not on else (here[0], base[1] + values[0])
            yield "L", (), (there,)
            here = handle = there
            continue
        arc = tuple(values[:5]) if name == "A" else ()
        rest = values[5:] if arc else values
        points = [(base[0] + x, base[1] + y) for x, y in zip(rest[::2], rest[1::2], strict=True)]
        if name == "S":  # its first handle mirrors the last one
            points.insert(0, (2 * here[0] - handle[0], 2 * here[1] - handle[1]))
        yield {"S": "C"}.get(name, name), arc, tuple(points)
        here = points[-1]
        handle = points[-2] if len(points) > 1 else here
        if name == "M":
            start, command = here, "l" if command == "m" else "L"
