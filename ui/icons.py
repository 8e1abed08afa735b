"""Icons: line drawings in SVG, rendered at any size in the colour of the text next to them.

A drawing of ``resources/icons`` has a view box of 24 by 24 and ``stroke="currentColor"``.
"""

from __future__ import annotations

import functools
from importlib import resources
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSize, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QIconEngine, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from shiboken6 import isValid

if TYPE_CHECKING:
    from PySide6.QtCore import QRect
    from PySide6.QtGui import QColor

_PIXMAPS = 512
_VIEW = 24  # the side of the view box of a drawing
_STROKE = "1.75"


def icon(name: str, role: QPalette.ColorRole = QPalette.ColorRole.ButtonText) -> QIcon:
    """Return the icon of ``resources/icons/NAME.svg`` in the colour of ``role``.

    Raises:
        FileNotFoundError: If there is no such drawing.
    """
    _drawing(name)
    return QIcon(_keep(_DrawingEngine(name, role)))


def pixmap(name: str, size: int, colour: QColor, ratio: float = 1.0) -> QPixmap:
    """Return a drawing for a delegate to paint: ``size`` logical pixels at a device ratio."""
    made = QPixmap(rendered(name, round(size * ratio), colour.rgba()))
    made.setDevicePixelRatio(ratio)
    return made


@functools.cache
def _drawing(name: str) -> str:
    return (resources.files("resources") / "icons" / f"{name}.svg").read_text(encoding="utf-8")


@functools.lru_cache(_PIXMAPS)
def rendered(name: str, size: int, rgba: int) -> QPixmap:
    """Render a drawing, ``size`` device pixels wide and high; the latest renderings are kept."""
    wide = max(float(_STROKE), _VIEW / size)  # a pixel at least, or they are pale
    svg = _drawing(name).replace("currentColor", f"#{rgba & 0xFFFFFF:06x}")
    svg = svg.replace(f'stroke-width="{_STROKE}"', f'stroke-width="{wide:.4g}"')
    made = QPixmap(QSize(size, size))
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    painter.setOpacity((rgba >> 24) / 255)
    QSvgRenderer(QByteArray(svg.encode())).render(painter)
    painter.end()
    return made


class _DrawingEngine(QIconEngine):
    """Draws an icon in the current palette."""

    def __init__(self, name: str, role: QPalette.ColorRole) -> None:
        super().__init__()
        self._name = name
        self._role = role

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        ratio = painter.device().devicePixelRatio()
        side = round(min(rect.width(), rect.height()) * ratio)
        drawn = QPixmap(rendered(self._name, side, self._colour(mode).rgba()))
        drawn.setDevicePixelRatio(ratio)
        left = rect.x() + (rect.width() - side / ratio) / 2
        top = rect.y() + (rect.height() - side / ratio) / 2
        painter.drawPixmap(round(left), round(top), drawn)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        side = min(size.width(), size.height())
        drawn = rendered(self._name, side, self._colour(mode).rgba())
        if size.width() == size.height():
            return drawn
        made = QPixmap(size)
        made.fill(Qt.GlobalColor.transparent)
        painter = QPainter(made)
        painter.drawPixmap((size.width() - side) // 2, (size.height() - side) // 2, drawn)
        painter.end()
        return made

    def clone(self) -> QIconEngine:
        return _keep(_DrawingEngine(self._name, self._role))

    def _colour(self, mode: QIcon.Mode) -> QColor:
        palette = QGuiApplication.palette()
        if mode is QIcon.Mode.Disabled:
            return palette.color(QPalette.ColorGroup.Disabled, self._role)
        return palette.color(self._role)


# Python would free a clone that only Qt holds.
_kept: list[_DrawingEngine] = []


def _keep(engine: _DrawingEngine) -> _DrawingEngine:
    _kept[:] = [each for each in _kept if isValid(each)]
    _kept.append(engine)
    return engine
