"""Behaviour of PySide that we rely on, and that some versions get wrong."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Signal


class Sender(QObject):
    sent = Signal(int)


def test_signals_do_not_change_the_reference_count_of_true(qapp: object) -> None:
    sender = Sender()
    before = sys.getrefcount(True)
    for number in range(100):
        sender.sent.emit(number)
    assert sys.getrefcount(True) > before - 50, "Python ends when the last one is taken"
