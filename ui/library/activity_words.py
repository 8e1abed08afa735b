"""The texts of the activity page, with smoothed rates. Pure but for the state of ``Smooth``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from indexer.api.progress import Step
from indexer.api.types import FileState
from ui.words import amounts, failures, names
from ui.words.names import language

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.api.progress import Progress
    from indexer.api.status import Activity, Status

translate = QCoreApplication.translate

# Weight of a new value in the exponential smoothing.
_NEW_RATE = 0.35
# The most languages that are named.
_LANGUAGES = 6


@dataclass(slots=True)
class Smooth:
    """Exponential smoothing of values by key; missing values are dropped."""

    _kept: dict[str, float] = field(default_factory=dict)

    def follow(self, name: str, value: float) -> float:
        """Add a value and return the smoothed one; a large change is not smoothed."""
        if value <= 0:
            self._kept.pop(name, None)
            return value
        before = self._kept.get(name, value)
        smooth = value if not 0.3 < value / before < 3 else before + _NEW_RATE * (value - before)
        self._kept[name] = smooth
        return smooth

    def clear(self) -> None:
        self._kept.clear()


def headline(activity: Activity | None) -> str:
    """The current activity in a few words."""
    if activity is None:
        return translate("ActivityPanel", "The engine is starting…")
    if activity.paused:
        return translate("ActivityPanel", "Paused")
    if activity.running is not None:
        return names.doing(activity.running.progress)
    if activity.pending:
        return amounts.waiting(activity.pending)
    return translate("ActivityPanel", "Everything is up to date")


def facts(activity: Activity, smooth: Smooth) -> list[tuple[str, str]]:
    """The lines below the headline."""
    rows = []
    progress = activity.running.progress if activity.running is not None else None
    # Recognition counts pages, not files, and has no estimate of time.
    if progress is not None and progress.step is not Step.RECOGNISE:
        rows.append((translate("ActivityPanel", "Pace:"), _rates(activity, smooth)))
        eta = progress.eta_seconds
        value = amounts.about(eta) if eta is not None else "…"
        rows.append((translate("ActivityPanel", "Time left:"), value))
    else:
        smooth.clear()
    # A library without text counts as embedded, which says nothing while it is first read.
    known = progress is None or progress.passages or activity.embedded_share < 1
    share = _share(activity.embedded_share) if known else "…"
    rows.append((translate("ActivityPanel", "Embedded:"), share))
    rows.append((translate("ActivityPanel", "Computes on:"), _device(activity)))
    return rows


def holdings(status: Status) -> list[tuple[str, str]]:
    """What the library holds, in which languages, with which model, and on how much of the disk."""
    amount = (
        amounts.documents(status.documents),
        amounts.pages(status.pages),
        amounts.hits(status.passages),
    )
    spoken = sorted(status.languages, key=lambda each: -each.documents)
    shown = [
        f"\u2068{language(each.language)}\u2069 {amounts.count(each.documents)}"
        for each in spoken
        if each.language
    ]
    disk = translate("ActivityPanel", "{size} on the disk, where {free} are free").format(
        size=amounts.size(status.bytes), free=amounts.size(status.free_bytes)
    )
    rows = [
        (translate("ActivityPanel", "Text:"), " · ".join(amount)),
        (translate("ActivityPanel", "Languages:"), " · ".join(shown[:_LANGUAGES])),
        (translate("ActivityPanel", "Model:"), status.model),
        (translate("ActivityPanel", "Index:"), disk),
    ]
    return [(name, value) for name, value in rows if value]


def still_queued(counts: Mapping[str, int], progress: Progress | None) -> dict[str, int]:
    """Return the files by state, without the queued ones that a job has read since.

    What became of these is not known before the next status.
    """
    made = dict(counts)
    if progress is not None and progress.step is Step.INDEX and progress.files_total:
        left = max(progress.files_total - progress.files_done, 0)
        made[FileState.QUEUED] = min(made.get(FileState.QUEUED, 0), left)
    return made


def _rates(activity: Activity, smooth: Smooth) -> str:
    pages = smooth.follow("pages", activity.pages_per_second)
    passages = smooth.follow("passages", activity.passages_per_second)
    return translate("ActivityPanel", "{pages} pages and {passages} passages a second").format(
        pages=amounts.rate(pages), passages=amounts.rate(passages)
    )


def _share(share: float) -> str:
    if share >= 1:
        return translate("ActivityPanel", "all of the text, by its words and by its meaning")
    text = translate(
        "ActivityPanel", "{share} of the text; all that was read is found by its words already"
    )
    return text.format(share=amounts.share(share))


def _device(activity: Activity) -> str:
    device = activity.device.upper()
    reason = failures.notes(activity.device_notes)
    if not device:
        return translate("ActivityPanel", "decided at the first use")
    if not reason:
        return device
    return translate("ActivityPanel", "{device} ({reason})").format(device=device, reason=reason)
