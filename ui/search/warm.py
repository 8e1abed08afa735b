"""Paints sample results off screen, which fills the caches of fonts and icons ahead of need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from indexer.api.types import Hit, Why
from ui.search.delegate import ResultsDelegate
from ui.search.grouping import grouped
from ui.search.model import ResultsModel
from ui.search.results_style import ResultsStyle

if TYPE_CHECKING:
    from ui.search.view import ResultsView

# The letters of most texts; the second sentence is the marked one.
_TEXT = (
    "The quick brown fox jumps over the lazy dog. PACK MY BOX, with 5 dozen (liquor) jugs; "
    "isn’t it “fine”? Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich: 0123456789."
)
_BEST = (45, 86)


def warm(view: ResultsView) -> None:
    """Paint a document with a hit of each reason, as ``view`` would."""
    style = ResultsStyle.from_widget(view, max(view.viewport().width(), 1))
    delegate = ResultsDelegate(style)
    model = ResultsModel()
    model.show(grouped([_hit(why) for why in Why]), same_query=False)
    ratio = view.devicePixelRatioF()
    height = sum(map(delegate.height, model.rows))
    image = QImage(round(style.width * ratio), round(height * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    painter = QPainter(image)
    option = QStyleOptionViewItem()
    view.initViewItemOption(option)
    top = 0
    for number, row in enumerate(model.rows):
        option.rect = QRect(0, top, style.width, delegate.height(row))
        option.state = QStyle.StateFlag.State_Enabled
        delegate.paint(painter, option, model.index(number))
        top += option.rect.height()
    painter.end()


def _hit(why: Why) -> Hit:
    at = list(Why).index(why)
    return Hit(
        path=f"/{_TEXT}",
        root="/",
        file=_TEXT,
        title=_TEXT,
        page=1 + at,
        page_last=1 + at,
        start=at,
        end=at + len(_TEXT),
        score=1.0,
        text=_TEXT,
        heading_path=(_TEXT,),
        why=why,
        best=_BEST,
        marks=(_BEST,),
        modified_ns=1,
    )
