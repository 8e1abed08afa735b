"""Timers, made in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QObject


def timer(
    parent: QObject, interval_ms: int, call: Callable[[], object], *, single: bool = True
) -> QTimer:
    """Return a stopped timer of ``parent`` that calls once, or again and again."""
    made = QTimer(parent)
    made.setInterval(interval_ms)
    made.setSingleShot(single)
    made.timeout.connect(call)
    return made
