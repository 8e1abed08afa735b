"""Finds what a test of the window leaves behind: threads, running timers, windows.

It must not know any widget of ours.
"""

from __future__ import annotations

import gc
import threading
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QEvent, QThreadPool, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

POOL_MS = 60_000
THREAD_S = 60.0


@dataclass(frozen=True, slots=True)
class Before:
    """The threads and windows before a test."""

    threads: frozenset[threading.Thread]
    windows: frozenset[int]


def look() -> Before:
    return Before(frozenset(threading.enumerate()), frozenset(map(id, _windows())))


def left_behind(before: Before) -> list[str]:
    """Return the names of what is new since then, after deferred deletions."""
    if not QThreadPool.globalInstance().waitForDone(POOL_MS):
        return ["work in the global thread pool"]
    gc.collect()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QCoreApplication.processEvents()
    return [*_threads(before), *_timers(), *_left_windows(before)]


def _threads(before: Before) -> list[str]:
    fresh = [each for each in threading.enumerate() if each not in before.threads]
    for thread in fresh:
        if not isinstance(thread, threading._DummyThread):
            thread.join(THREAD_S)
    return [
        f"the thread {each.name}"
        for each in fresh
        if each.is_alive() and not isinstance(each, threading._DummyThread)
    ]


def _timers() -> list[str]:
    timers = [each for each in gc.get_objects() if type(each) is QTimer]
    running = [each for each in timers if isValid(each) and each.isActive()]
    for each in running:
        each.stop()  # so that only the test that left it fails
    return [f"a running timer of {type(each.parent()).__name__}" for each in running]


def _windows() -> list[QWidget]:
    return [each for each in QApplication.topLevelWidgets() if isValid(each)]


def _left_windows(before: Before) -> list[str]:
    return [
        f"the window {type(each).__name__} {each.objectName()}"
        for each in _windows()
        if id(each) not in before.windows and each.parent() is None
    ]
