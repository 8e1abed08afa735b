"""What is said about the engine's activity, and numbers that do not jump.

Owns the sentences of the activity panel and the smoothing of rates. Pure but for the memory of
the smoothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication

from indexer.api.progress import Step
from ui import words

if TYPE_CHECKING:
    from collections.abc import Mapping

translate = QCoreApplication.translate

# How much of each new value is taken over.
_NEW_RATE = 0.35


@dataclass(slots=True)
class Smooth:
    """Follows values calmly; what is not there any more is forgotten at once."""

    _kept: dict[str, float] = field(default_factory=dict)

    def follow(self, name: str, value: float) -> float:
        """Take a value and return what to show of it."""
        if value <= 0:
            self._kept.pop(name, None)
            return value
        before = self._kept.get(name, value)
        # A jump is news, not noise.
        calm = value if not 0.3 < value / before < 3 else before + _NEW_RATE * (value - before)
        self._kept[name] = calm
        return calm

    def clear(self) -> None:
        self._kept.clear()


def headline(activity: Mapping[str, Any]) -> str:
    """What is going on, in a few words."""
    if not activity:
        return translate("ActivityPanel", "The engine is starting…")
    if activity.get("paused"):
        return translate("ActivityPanel", "Paused")
    running = activity.get("running")
    if running:
        return _step(running.get("progress") or {})
    pending = int(activity.get("pending", 0))
    if pending:
        return words.waiting(pending)
    return translate("ActivityPanel", "Everything is up to date")


def _step(progress: Mapping[str, Any]) -> str:
    total, done = int(progress.get("files_total", 0)), int(progress.get("files_done", 0))
    if progress.get("step") == Step.MAINTAIN:
        return translate("ActivityPanel", "Tidying up")
    if progress.get("step") == Step.SCAN or not total:
        return translate("ActivityPanel", "Looking for new and changed files")
    if progress.get("step") == Step.RECOGNISE:
        text = translate("ActivityPanel", "Recognising text, {count} scanned pages left")
        return text.format(count=words.count(total - done))
    text = translate("ActivityPanel", "Reading {done} of {total} files")
    return text.format(done=words.count(min(done + 1, total)), total=words.count(total))


def facts(activity: Mapping[str, Any], smooth: Smooth) -> list[tuple[str, str]]:
    """The lines below the headline."""
    rows = []
    running = activity.get("running")
    progress = (running or {}).get("progress") or {}
    total, done = int(progress.get("files_total", 0)), int(progress.get("files_done", 0))
    # Scanned pages are no files, and nobody knows how long one takes.
    counted = running and progress.get("step") != Step.RECOGNISE
    if counted and total:
        text = translate("ActivityPanel", "{done} done, {left} left")
        left = max(0, total - done)
        rows.append(
            (
                translate("ActivityPanel", "Files:"),
                text.format(done=words.count(done), left=words.count(left)),
            )
        )
    if counted:
        rows.append((translate("ActivityPanel", "Pace:"), _rates(activity, smooth)))
        eta = progress.get("eta_seconds")
        rows.append(
            (
                translate("ActivityPanel", "Time left:"),
                words.about(float(eta)) if eta is not None else "…",
            )
        )
    else:
        smooth.clear()
    understood = float(activity.get("understood", 1.0))
    rows.append((translate("ActivityPanel", "Embedded:"), _understood(understood)))
    rows.append((translate("ActivityPanel", "Computes on:"), _device(activity)))
    return rows


def _rates(activity: Mapping[str, Any], smooth: Smooth) -> str:
    pages = smooth.follow("pages", float(activity.get("pages_per_second", 0)))
    passages = smooth.follow("passages", float(activity.get("passages_per_second", 0)))
    return translate("ActivityPanel", "{pages} pages and {passages} passages a second").format(
        pages=words.rate(pages), passages=words.rate(passages)
    )


def _understood(share: float) -> str:
    if share >= 1:
        return translate("ActivityPanel", "all of the text, by its words and by its meaning")
    text = translate(
        "ActivityPanel", "{share} of the text; all that was read is found by its words already"
    )
    return text.format(share=words.share(share))


def _device(activity: Mapping[str, Any]) -> str:
    device = str(activity.get("device", "")).upper()
    reason = words.notes(activity.get("device_notes", ()))
    if not device:
        return translate("ActivityPanel", "decided at the first use")
    if not reason:
        return device
    return translate("ActivityPanel", "{device} ({reason})").format(device=device, reason=reason)
