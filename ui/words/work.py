"""Sentences on what the engine does now; all parts of the window show the same ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.api.labels import PACE_REASONS
from indexer.api.translation import N_
from ui.words import amounts, names, say

if TYPE_CHECKING:
    from indexer.api.progress import Progress
    from indexer.api.status import Activity

# Reasons that are shown even if no job runs; the others concern only running jobs.
LASTING = PACE_REASONS.keys() - {"battery", "busy", "typing", "query", "in_use"}


def sentence(activity: Activity) -> str:
    """Say what the engine does, how long it takes, and why it waits or is slow."""
    reason = names.pause(activity.reason)
    if activity.running is None:
        return reason if activity.reason in LASTING else _resting(activity)
    change = names.change(activity)
    if activity.paused and not change:
        doing = names.doing(activity.running.progress)
        return say(N_("{reason}. {progress}.")).format(reason=reason, progress=doing)
    text = change or _progress(activity.running.progress)
    if not reason:
        return text
    return say(N_("{progress} {reason}.")).format(progress=text, reason=reason)


def meaning(share: float) -> str:
    """Say how much of the text can be found by its meaning; "" if all of it can."""
    if share >= 1:
        return ""
    return say(N_("Meaning search {share} ready")).format(share=amounts.share(share))


def _resting(activity: Activity) -> str:
    if activity.pending:
        return amounts.waiting(activity.pending)
    done = say(N_("No documents yet") if activity.empty else N_("Up to date"))
    return names.change(activity) or meaning(activity.embedded_share) or done


def _progress(progress: Progress) -> str:
    doing = names.doing(progress)
    if progress.eta_seconds is None:
        return f"{doing}."
    left = amounts.about(progress.eta_seconds)
    return say(N_("{progress}, {time} left.")).format(progress=doing, time=left)
