"""The colours, light and dark, the sizes of gaps, the scale of text, and the icons.

Every text colour has a contrast of at least 4.5 with its background. An icon is a line drawing of
``resources/icons`` with a view box of 24 by 24 and ``stroke="currentColor"``, rendered at any size
in the colour of the text next to it.
"""

from __future__ import annotations

import functools
from importlib import resources
from typing import TYPE_CHECKING

from msgspec import Struct
from PySide6.QtCore import QByteArray, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QGuiApplication,
    QIcon,
    QIconEngine,
    QPainter,
    QPalette,
    QPixmap,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QFrame, QProxyStyle, QStyle, QStyleFactory
from shiboken6 import isValid

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication, QStyleOption, QWidget


# Gaps in device-independent pixels: within a control, between controls, around a group, around
# a page.
S, M, L, XL = 4, 8, 16, 24


class Theme(Struct, frozen=True):
    """The colours of a theme.

    ``text``, ``muted``, ``accent``, ``good``, ``warning`` and ``bad`` are for text on ``base``
    (lists, fields) and ``raised`` (the window). ``mark_text`` is for text on ``mark``, the
    background of the best sentence. ``edge`` surrounds fields and check boxes. ``outline`` is
    drawn on white pages.
    """

    dark: bool
    base: QColor
    raised: QColor
    line: QColor
    edge: QColor
    text: QColor
    muted: QColor
    accent: QColor
    selection: QColor
    selection_text: QColor
    mark: QColor
    mark_text: QColor
    outline: QColor
    good: QColor
    warning: QColor
    bad: QColor


def _theme(*, dark: bool, **colours: str) -> Theme:
    return Theme(dark=dark, **{name: QColor(value) for name, value in colours.items()})


LIGHT = _theme(
    dark=False,
    base="#ffffff", raised="#f4f5f6", line="#d5d8dc", edge="#7b8088",
    text="#1b1e23", muted="#59606a", accent="#1d5fa8",
    selection="#1d5fa8", selection_text="#ffffff",
    mark="#ffeea8", mark_text="#1b1e23",
    outline="#1d5fa8",
    good="#187341", warning="#855400", bad="#b3261e",
)  # fmt: skip
DARK = _theme(
    dark=True,
    base="#1b1d20", raised="#25272b", line="#3c4047", edge="#757b84",
    text="#e7e8ea", muted="#a5abb4", accent="#86b7f3",
    selection="#2c5f9e", selection_text="#ffffff",
    mark="#584a16", mark_text="#fff4d2",
    outline="#1d5fa8",
    good="#6cc793", warning="#e3b062", bad="#f2938b",
)  # fmt: skip

# Fusion draws the edges of these in a darker shade of the window's colour, with little contrast.
_EDGED = ("QCheckBox", "QRadioButton", "QLineEdit", "QAbstractSpinBox", "QPlainTextEdit")
_FUSION_DARKENS = 1.4

_current = LIGHT


def current() -> Theme:
    """Return the current colours. Call it at each paint, since they may change."""
    return _current


# The shares of the selection's colour in the background of a selected and of a hovered row.
_TINT, _HOVER_TINT = 0.16, 0.06
_FAINT_MARK = 0.35  # the share of the mark's colour behind further sentences


def row_background(*, selected: bool = False, hovered: bool = False) -> QColor:
    """Return the background of a row of a list; texts keep a contrast of 4.5 on each."""
    share = _TINT if selected else _HOVER_TINT if hovered else 0.0
    return blend(_current.selection, _current.base, share)


def mark_colours(*, strong: bool) -> tuple[QColor, QColor]:
    """Return the background and text colour of a marked sentence; only the best is ``strong``."""
    if strong:
        return _current.mark, _current.mark_text
    return blend(_current.mark, _current.base, _FAINT_MARK), _current.text


def blend(over: QColor, under: QColor, share: float) -> QColor:
    """Mix two opaque colours; ``share``, from 0 to 1, is that of the first."""
    whole = (over.redF(), over.greenF(), over.blueF())
    none = (under.redF(), under.greenF(), under.blueF())
    mixed = (a * share + b * (1 - share) for a, b in zip(whole, none, strict=True))
    return QColor.fromRgbF(*mixed)


def paint_rounded(
    painter: QPainter,
    area: QRectF,
    pen: QColor | Qt.PenStyle,
    brush: QColor | Qt.BrushStyle = Qt.BrushStyle.NoBrush,
    radius: float = S,
) -> None:
    """Paint a rectangle with round corners, an edge and a background."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen)
    painter.setBrush(brush)
    painter.drawRoundedRect(area, radius, radius)


# The sizes at which icons are drawn, in device-independent pixels, so that their lines stay even.
ICON_SIDES = (12, 16, 20, 24, 32, 40, 48, 64)


def icon_side(height: float, lines: float = 1.2) -> int:
    """Return the size of ``ICON_SIDES`` that is nearest to ``lines`` heights of a font."""
    return min(ICON_SIDES, key=lambda side: (abs(side - height * lines), -side))


def icon_size(widget: QWidget, lines: float = 1.2) -> QSize:
    """Return the size of icons beside a widget's text. Call it again at a ``FontChange``."""
    side = icon_side(widget.fontMetrics().height(), lines)
    return QSize(side, side)


def separator(shape: QFrame.Shape) -> QFrame:
    """Return a hairline between two parts of the window."""
    line = QFrame()
    line.setFrameShape(shape)
    line.setFrameShadow(QFrame.Shadow.Plain)
    line.setForegroundRole(QPalette.ColorRole.Mid)
    return line


# Metrics that are constant in Fusion, whatever the size of the text.
_SCALED = frozenset({
    QStyle.PixelMetric.PM_IndicatorWidth, QStyle.PixelMetric.PM_IndicatorHeight,
    QStyle.PixelMetric.PM_ExclusiveIndicatorWidth, QStyle.PixelMetric.PM_ExclusiveIndicatorHeight,
    # Icons in fields, lists and tabs follow this one.
    QStyle.PixelMetric.PM_SmallIconSize, QStyle.PixelMetric.PM_ScrollBarExtent,
    QStyle.PixelMetric.PM_MenuButtonIndicator, QStyle.PixelMetric.PM_CheckBoxLabelSpacing,
})  # fmt: skip


_BAR_PX = 11  # the width of a scroll bar


class _Enlarged(QProxyStyle):
    """Fusion with indicators and icons that are enlarged like the text."""

    def __init__(self, factor: float) -> None:
        super().__init__("fusion")
        self._factor = factor

    def pixelMetric(
        self,
        metric: QStyle.PixelMetric,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
    ) -> int:
        pixels = super().pixelMetric(metric, option, widget)
        return round(pixels * self._factor) if metric in _SCALED else pixels


class Themes(QObject):
    """Sets the theme of the application, and follows the system if that is the setting."""

    changed = Signal()

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self._mode = "system"
        self._font = QFont(app.font())
        # With a style sheet, which only this sets, the style has no name.
        self._is_fusion = app.style().name() == "fusion" or bool(app.styleSheet())
        self._factor = 1.0
        app.styleHints().colorSchemeChanged.connect(self._follow)

    def apply(self, mode: str) -> None:
        """Use ``system``, ``light`` or ``dark`` from now on."""
        self._mode = mode
        wanted = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}
        # Native styles and window frames follow this; some platforms ignore it.
        self._app.styleHints().setColorScheme(wanted.get(mode, Qt.ColorScheme.Unknown))
        self._follow()

    def scale_text(self, percent: int) -> None:
        """Show all text at a percentage of the system's size."""
        font = QFont(self._font)
        if font.pointSizeF() > 0:
            font.setPointSizeF(self._font.pointSizeF() * percent / 100)
        else:
            font.setPixelSize(round(self._font.pixelSize() * percent / 100))
        if font != self._app.font():
            self._app.setFont(font)
        factor = percent / 100
        if self._is_fusion and factor != self._factor:
            # A style in Python is slower, so it is used only where it is needed.
            self._factor = factor
            style = _Enlarged(factor) if factor != 1.0 else QStyleFactory.create("fusion")
            self._app.setStyle(style)
            self._follow()

    def _follow(self) -> None:
        global _current  # noqa: PLW0603  # one application, one theme
        scheme = self._app.styleHints().colorScheme()
        dark = self._mode == "dark" or (self._mode == "system" and scheme is Qt.ColorScheme.Dark)
        _current = DARK if dark else LIGHT
        # Qt uses Fusion where it has no native style; a native style has its own colours.
        if self._is_fusion:
            self._app.setPalette(palette(_current))
            lists = palette(_current)
            lists.setColor(QPalette.ColorRole.Highlight, row_background(selected=True))
            lists.setColor(QPalette.ColorRole.HighlightedText, _current.text)
            edged = edged_palette(_current)
            boxes = QPalette(lists)  # tables have check boxes
            boxes.setColor(QPalette.ColorRole.Window, edged.color(QPalette.ColorRole.Window))
            palettes = {"QAbstractItemView": lists, "QTableWidget": boxes}
            palettes |= dict.fromkeys(_EDGED, edged)
            for name, made in palettes.items():
                self._app.setPalette(made, name)  # type: ignore[arg-type]  # the stub wants bytes
            sheet = flat_sheet(_current, self._factor)
            if sheet != self._app.styleSheet():
                self._app.setStyleSheet(sheet)
        self.changed.emit()


def flat_sheet(theme: Theme, factor: float) -> str:
    """Return the style sheet of flat fields, scroll bars and heads of lists.

    Fusion would draw them bevelled, and fields with other corners than buttons.
    """
    width, gap = round(_BAR_PX * factor), 2
    return f"""
QLineEdit[frame="true"] {{
    background: {theme.base.name()}; border: 1px solid {theme.edge.name()};
    border-radius: {S}px; padding: {S - 1}px {S}px;
}}
QLineEdit[frame="true"]:focus {{
    border: 2px solid {theme.outline.name()}; padding: {S - 2}px {S - 1}px;
}}
QScrollBar {{ background: transparent; border: none; margin: 0; }}
QScrollBar:vertical {{ width: {width}px; }} QScrollBar:horizontal {{ height: {width}px; }}
QScrollBar::handle {{ background: {theme.edge.name()}; border-radius: {width // 2 - gap}px; }}
QScrollBar::handle:vertical {{ min-height: {3 * width}px; margin: {gap}px; }}
QScrollBar::handle:horizontal {{ min-width: {3 * width}px; margin: {gap}px; }}
QScrollBar::handle:hover, QScrollBar::handle:pressed {{ background: {theme.muted.name()}; }}
QScrollBar::handle:disabled, QScrollBar::add-page, QScrollBar::sub-page {{ background: none; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QToolButton::menu-indicator {{ image: none; }} QTableView {{ gridline-color: {theme.line.name()}; }}
QHeaderView, QTableCornerButton::section {{ background: {theme.base.name()}; border: none; }}
QHeaderView::section {{
    background: {theme.base.name()}; color: {theme.muted.name()};
    border: none; border-bottom: 1px solid {theme.line.name()}; padding: {S}px;
}}
"""


def palette(theme: Theme) -> QPalette:
    """Return Qt's palette for a theme."""
    role = QPalette.ColorRole
    made = QPalette()
    colours = {
        role.Window: theme.raised, role.WindowText: theme.text,
        role.Base: theme.base, role.AlternateBase: theme.raised, role.Text: theme.text,
        role.PlaceholderText: theme.muted,
        role.Button: theme.raised, role.ButtonText: theme.text, role.BrightText: theme.bad,
        role.ToolTipBase: theme.base, role.ToolTipText: theme.text,
        role.Highlight: theme.selection, role.HighlightedText: theme.selection_text,
        role.Accent: theme.selection,
        role.Link: theme.accent, role.LinkVisited: theme.accent,
        role.Light: theme.base, role.Midlight: theme.raised, role.Mid: theme.line,
        role.Dark: theme.line, role.Shadow: theme.line,
    }  # fmt: skip
    for each, colour in colours.items():
        made.setColor(each, colour)
    faint = QColor(theme.muted)
    faint.setAlphaF(0.6)
    for each in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, each, faint)
    return made


def edged_palette(theme: Theme) -> QPalette:
    """Return the palette of the controls whose edge Fusion derives from the window's colour."""
    made = palette(theme)
    edge = theme.edge
    value = min(round(edge.value() * _FUSION_DARKENS), 255)
    made.setColor(QPalette.ColorRole.Window, QColor.fromHsv(edge.hue(), edge.saturation(), value))
    return made


_PIXMAPS = 512
_VIEW = 24  # the side of the view box of a drawing
_STROKE = "1.75"


def icon(name: str) -> QIcon:
    """Return the icon of ``resources/icons/NAME.svg`` in the colour of the text of buttons.

    Raises ``FileNotFoundError`` if there is no such drawing.
    """
    _drawing(name)
    return QIcon(_keep(_DrawingEngine(name)))


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
    wide = max(float(_STROKE), _VIEW / size)  # at least a pixel, as thinner lines are pale
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

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        ratio = painter.device().devicePixelRatio()
        drawn = pixmap(self._name, min(rect.width(), rect.height()), self._colour(mode), ratio)
        side = drawn.deviceIndependentSize().width()
        left = rect.x() + (rect.width() - side) / 2
        top = rect.y() + (rect.height() - side) / 2
        painter.drawPixmap(round(left), round(top), drawn)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        made = QPixmap(size)
        made.fill(Qt.GlobalColor.transparent)
        painter = QPainter(made)
        self.paint(painter, made.rect(), mode, state)
        painter.end()
        return made

    def clone(self) -> QIconEngine:
        return _keep(_DrawingEngine(self._name))

    def _colour(self, mode: QIcon.Mode) -> QColor:
        group = QPalette.ColorGroup
        shown = group.Disabled if mode is QIcon.Mode.Disabled else group.Active
        return QGuiApplication.palette().color(shown, QPalette.ColorRole.ButtonText)


# Python would free a clone that only Qt holds.
_kept: list[_DrawingEngine] = []


def _keep(engine: _DrawingEngine) -> _DrawingEngine:
    _kept[:] = [each for each in _kept if isValid(each)]
    _kept.append(engine)
    return engine
