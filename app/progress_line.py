"""Progress of indexing as a line of text, on a terminal or in a log.

On a terminal one line is rewritten in place; elsewhere a line is written every few seconds, so that
a log stays short. ``rich`` has no such log, and needs escape sequences.
"""

from __future__ import annotations

import time
from pathlib import PurePath
from typing import TYPE_CHECKING, TextIO

from app import render
from indexer.api.labels import PACE_REASONS
from indexer.api.progress import Progress, Step

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.render import Style

LOG_INTERVAL_S = 5.0


class ProgressLine:
    """Writes snapshots of progress. To be called on one thread.

    Args:
        stream: Where to write.
        style: What it can show.
        live: Whether ``stream`` is a terminal whose line can be rewritten.
        clock: Seconds, from any beginning.
    """

    def __init__(
        self,
        stream: TextIO,
        style: Style,
        *,
        live: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream = stream
        self._style = style
        self.live = live
        self._clock = clock
        self._next = clock() + LOG_INTERVAL_S
        self._written = 0

    def __call__(self, progress: Progress) -> None:
        if self.live:
            self._rewrite(describe(progress, self._style))
        elif self._clock() >= self._next:
            self._next = self._clock() + LOG_INTERVAL_S
            self._stream.write(describe(progress, self._style) + "\n")
            self._stream.flush()

    def clear(self) -> None:
        """Erase the line."""
        if self._written:
            self._rewrite("")
            self._stream.write("\r")
            self._stream.flush()
            self._written = 0

    def _rewrite(self, text: str) -> None:
        # Spaces instead of an escape sequence, which some terminals do not know.
        text = render.elide(text, self._style.width - 1, self._style.dots)
        wide = render.cells(text)
        self._stream.write("\r" + text + " " * max(0, self._written - wide))
        self._stream.flush()
        self._written = wide


def describe(progress: Progress, style: Style) -> str:
    """Return one line that says what is done, how fast, and how long it will take."""
    if progress.note:
        return f"{_done(progress)}: {render.name(pace_reason(progress.note))}"
    if progress.step is Step.SCAN:
        return f"Looking for documents: {render.count(progress.files_total, 'file')} found"
    if progress.step is Step.MAINTAIN:
        return f"{_done(progress)}: tidying the index"
    if progress.step is Step.RECOGNISE:
        left = render.count(progress.files_total - progress.files_done, "scanned page")
        return f"Recognising text: {left} left"
    if progress.step is Step.MEASURE:
        return f"Measuring: {progress.files_done:,} of {progress.files_total:,}"
    if progress.step is Step.FETCH:
        if not progress.bytes_total:
            return f"Asking for {render.name(progress.current)}"
        sizes = render.size(progress.bytes_done), render.size(progress.bytes_total)
        return f"Fetching {render.name(progress.current)}: {' of '.join(sizes)}"
    parts = [
        _done(progress),
        f"{render.count(progress.pages, 'page')} ({progress.pages_per_second:.1f}/s)",
        f"{render.count(progress.passages, 'passage')} ({progress.passages_per_second:.1f}/s)",
    ]
    if progress.eta_seconds is not None:
        parts.append(f"{render.about(progress.eta_seconds)} left")
    name = render.name(PurePath(progress.current).name)
    separator = " · " if style.unicode else ", "
    return separator.join([*parts, name] if name else parts)


def _done(progress: Progress) -> str:
    return f"{progress.files_done:,}/{render.count(progress.files_total, 'file')}"


def pace_reason(code: str) -> str:
    """Format why work is slowed down, or waits."""
    label = PACE_REASONS.get(code, render.phrase(code))
    return f"{label[0].lower()}{label[1:]}"
