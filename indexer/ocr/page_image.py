"""Makes the image of a page easy to read: evenly lit, upright and straight.

Photographs of paper are dim at an edge, turned by some degrees, or on their side. All changes to an
image are recorded, so that places in it can be converted to places on the page. All functions are
pure. This module uses only Pillow and numpy, and knows nothing about documents or recognition.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct, field
from PIL import Image, ImageFilter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.ocr.layer import Box, RecognisedLine


Grey = Image.Image  # an image of mode "L": black is 0, white 255
# The light of the paper around a place: the lightest of this many pixels at an eighth of the size,
# blurred. A letter is narrower than this at any resolution that is used here.
_SHRINK, _LIGHTEST, _BLUR = 8, 9, 6
# The percentage of pixels that becomes black, and the lightest grey that may become black.
_BLACK_SHARE, _BLACK_AT_MOST = 0.5, 0.6
# Degrees: the largest angle that is corrected, and the steps of the coarse and the fine search.
_MOST_SKEW, _COARSE, _FINE = 15.0, 0.5, 0.05
_SKEW_SIDE, _SKEW_POINTS, _INK = 1000, 40_000, 150
_FEW_POINTS = 200
_STRAIGHT = 0.15


def evenly_lit(image: Grey) -> Grey:
    """Divide an image by the light on its paper, and stretch its contrast."""
    width, height = image.size
    small = image.resize(
        (max(1, width // _SHRINK), max(1, height // _SHRINK)), Image.Resampling.BOX
    )
    paper = small.filter(ImageFilter.MaxFilter(_LIGHTEST)).filter(ImageFilter.GaussianBlur(_BLUR))
    light = np.asarray(paper.resize(image.size, Image.Resampling.BILINEAR), np.float32)
    level = np.asarray(image, np.float32)
    level /= np.maximum(light, 1.0)
    black = min(float(np.percentile(level[::4, ::4], _BLACK_SHARE)), _BLACK_AT_MOST)
    level -= black
    level *= 255.0 / (1.0 - black)
    return Image.fromarray(np.clip(level, 0, 255).astype(np.uint8))


def skew(image: Grey) -> float:
    """Return by how many degrees anticlockwise an image must be turned to level its lines."""
    scale = min(1.0, _SKEW_SIDE / max(image.size))
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    down, across = np.nonzero(np.asarray(image.resize(size, Image.Resampling.BOX)) < _INK)
    if len(down) < _FEW_POINTS:
        return 0.0
    every = math.ceil(len(down) / _SKEW_POINTS)
    down, across = down[::every], across[::every]

    def sharpness(degrees: float) -> float:
        turn = math.radians(degrees)
        rows = down * math.cos(turn) - across * math.sin(turn)
        ink = np.bincount((rows - rows.min()).astype(np.intp)).astype(np.float64)
        return float((np.diff(ink) ** 2).sum())

    coarse = max(np.arange(-_MOST_SKEW, _MOST_SKEW + _COARSE, _COARSE), key=sharpness)
    fine = np.arange(coarse - _COARSE, coarse + _COARSE + _FINE, _FINE)
    return float(max(fine, key=sharpness))


class UprightImage(Struct, frozen=True):
    """An image, and the ``matrix`` (2 by 3) from its pixels to those of the page's image.

    ``turn`` is the rotation of the text on the page, in quarters clockwise.
    """

    grey: Grey
    matrix: NDArray[np.float64] = field(default_factory=lambda: np.eye(2, 3))
    turn: int = 0

    def turned(self, quarters: int) -> UprightImage:
        """Return the image turned by some quarters anticlockwise."""
        if not (quarters := quarters % 4):
            return self
        width, height = self.grey.size
        # The way to turn it, and the matrix from the turned image back.
        way, back = {
            1: (Image.Transpose.ROTATE_90, [[0, -1, width], [1, 0, 0]]),
            2: (Image.Transpose.ROTATE_180, [[-1, 0, width], [0, -1, height]]),
            3: (Image.Transpose.ROTATE_270, [[0, 1, 0], [-1, 0, height]]),
        }[quarters]
        turned = self.grey.transpose(way)
        return UprightImage(turned, self._after(np.array(back, float)), (self.turn + quarters) % 4)

    def straightened(self) -> UprightImage:
        """Return the image with level lines of text."""
        degrees = skew(self.grey)
        if abs(degrees) < _STRAIGHT:
            return self
        cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        width, height = self.grey.size
        # The new image is as large as the turned sheet, so that no corner is cut off.
        wide = math.ceil(abs(width * cos) + abs(height * sin))
        high = math.ceil(abs(width * sin) + abs(height * cos))
        x0 = width / 2 - cos * wide / 2 + sin * high / 2
        y0 = height / 2 - sin * wide / 2 - cos * high / 2
        back = np.array([[cos, -sin, x0], [sin, cos, y0]])
        straight = self.grey.transform(
            (wide, high), Image.Transform.AFFINE, tuple(back.ravel()),
            Image.Resampling.BICUBIC, fillcolor=255,
        )  # fmt: skip
        return UprightImage(straight, self._after(back), self.turn)

    def on_page(self, lines: Iterable[RecognisedLine]) -> list[RecognisedLine]:
        """Return lines of this image as lines of the page's image."""
        return [
            line.moved(self._box_on_page, line.size, (line.turn + self.turn) % 4) for line in lines
        ]

    def _box_on_page(self, box: Box) -> Box:
        left, top, right, bottom = box
        centre: Any = self.matrix @ np.array([(left + right) / 2, (top + bottom) / 2, 1.0])
        wide, high = (right - left) / 2, (bottom - top) / 2
        if self.turn % 2:
            wide, high = high, wide
        x, y = float(centre[0]), float(centre[1])
        return x - wide, y - high, x + wide, y + high

    def _after(self, back: NDArray[np.float64]) -> NDArray[np.float64]:
        matrix: NDArray[np.float64] = self.matrix @ np.vstack([back, [0.0, 0.0, 1.0]])
        return matrix
