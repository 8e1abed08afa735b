"""Waits for what a preview shows, and reads its pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication

from indexer.api.pages import Rest
from ui.preview.client import Urgency

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtCore import QRectF
    from PySide6.QtWidgets import QAbstractScrollArea, QWidget
    from pytestqt.qtbot import QtBot

    from indexer.api.types import Hit
    from ui.preview.panel import Preview


def wait_for_page(qtbot: QtBot, preview: Preview) -> None:
    """Wait until the page of the hit is painted with its marks."""

    def there() -> bool:
        pages = preview.pages
        document = pages.document
        return (
            preview.shown is pages
            and document is not None
            and bool(pages.marks.passage)
            and all(
                document.band(key.page, key.width, key.band) is not None
                for page in pages.visible_pages()
                for key in pages.visible_keys(page)
            )
        )

    qtbot.waitUntil(there)


def wait_for_child(qtbot: QtBot, preview: Preview) -> None:
    """Wait until the render child has answered all that is more urgent than a request to rest."""
    answers: list[object] = []
    client = preview.loader.client
    client.ask_child(Rest(), lambda answer, _data: answers.append(answer), urgency=Urgency.REST)
    qtbot.waitUntil(lambda: bool(answers))


def show(qtbot: QtBot, preview: Preview, hit: Hit) -> None:
    preview.show_hit(hit, [hit], 0)
    wait_for_page(qtbot, preview)


def inside(painted: Any, places: Iterable[QRectF]) -> Any:
    """Return which pixels of an array lie in one of some rectangles."""
    rows, columns = np.indices(painted.shape[:2])
    within = np.zeros(painted.shape[:2], bool)
    for place in places:
        across = (place.left() <= columns) & (columns <= place.right())
        within |= across & (place.top() <= rows) & (rows <= place.bottom())
    return within


def pixels(widget: QWidget) -> Any:
    """Return the pixels of a widget as an array of rows, columns and colours."""
    return as_array(widget.grab().toImage())


def as_array(image: QImage) -> Any:
    """Return the pixels of an image, as ``pixels`` does."""
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    return data[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def like(found: Any, colour: QColor, slack: int = 12) -> Any:
    wanted = np.array([colour.red(), colour.green(), colour.blue()])
    return (np.abs(found.astype(int) - wanted) <= slack).all(axis=2)


def turn(view: QAbstractScrollArea, angle: int) -> None:
    """Turn the wheel over the middle of a view while Ctrl is held."""
    viewport = view.viewport()
    middle = QPointF(viewport.rect().center())
    event = QWheelEvent(
        middle, viewport.mapToGlobal(middle), QPoint(), QPoint(0, angle),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(viewport, event)
