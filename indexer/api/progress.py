"""Progress and cancelling: one call that reports and raises ``Cancelled`` if the token is set.

A loop that reports progress can thus be cancelled. A reporter passes on at most ten reports a
second.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct, field

from indexer.api.errors import Cancelled

MIN_INTERVAL_S = 0.1


# The units of an estimate in seconds.
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_UNITS = (("minute", _MINUTE, 90 * _MINUTE), ("hour", _HOUR, 2 * _DAY))


def rough(seconds: float) -> tuple[int, str]:
    """Round an estimated time up to a number and its unit.

    >>> [rough(seconds) for seconds in (5, 61, 25 * 60, 100 * 60, 200_000)]
    [(0, 'minute'), (2, 'minute'), (25, 'minute'), (2, 'hour'), (3, 'day')]

    The number is 0 up to a minute, and a multiple of five above twenty.
    """
    if seconds <= _MINUTE:
        return 0, "minute"
    name, unit = next(((name, unit) for name, unit, end in _UNITS if seconds <= end), ("day", _DAY))
    number = math.ceil(seconds / unit)
    return (number if number <= 20 else math.ceil(number / 5) * 5), name


class Step(StrEnum):
    """The steps of an indexing job."""

    SCAN = "scan"
    INDEX = "index"  # extracting, embedding and writing overlap
    RECOGNISE = "recognise"  # recognises text; counts scanned pages instead of files
    MAINTAIN = "maintain"
    FETCH = "fetch"  # downloads the files of a model; counts bytes
    MEASURE = "measure"  # measures models; counts parts of the measurement


class Progress(Struct, frozen=True):
    """A snapshot of an indexing run. Rates are per second over the run so far."""

    step: Step
    files_done: int = 0
    files_total: int = 0
    pages: int = 0
    passages: int = 0  # passages that have vectors
    passages_pending: int = 0  # passages that are searchable by words and have no vectors yet
    tokens: int = 0
    seconds: float = 0.0
    eta_seconds: float | None = None
    current: str = ""
    note: str = ""  # a key of ``labels.PACE_REASONS`` while the run waits
    bytes_done: int = 0
    bytes_total: int = 0  # 0 while unknown


class CancelToken:
    """A flag that another thread sets. Thread-safe."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        self._event.set()

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()

    def check(self) -> None:
        """Raise ``Cancelled`` once ``cancel`` was called."""
        if self._event.is_set():
            raise Cancelled

    def wait(self, seconds: float) -> None:
        """Wait. Raises ``Cancelled`` as soon as the token is cancelled."""
        self._event.wait(seconds)
        self.check()


Report = Callable[[Progress], None]


def ignore_progress(_report: object) -> None:
    """Ignore a report."""


class Reporter(Struct):
    """Passes on at most ten reports a second, and raises ``Cancelled``.

    ``note`` is called with a sentence before a slow step that reports nothing.
    """

    sink: Report = ignore_progress
    token: CancelToken = field(default_factory=CancelToken)
    note: Callable[[str], None] = ignore_progress
    _last: float = float("-inf")

    def report(self, progress: Progress, *, force: bool = False) -> None:
        """Report a snapshot. Raises ``Cancelled`` if the token was cancelled."""
        if self.is_due() or force:
            self._last = time.monotonic()
            self.sink(progress)

    def is_due(self) -> bool:
        """Whether a report would be passed on now; asked before a snapshot that is costly to take.

        Raises ``Cancelled`` if the token was cancelled.
        """
        self.token.check()
        return time.monotonic() - self._last >= MIN_INTERVAL_S
