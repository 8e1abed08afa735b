"""What is said while the library changes to another language model, or is made anew.

Owns the sentences about ``changing`` and ``rebuilding`` in the engine's activity and status.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.api.translation import N_
from ui.words.amounts import share
from ui.words.translate import say

if TYPE_CHECKING:
    from collections.abc import Mapping

_CHANGING = N_("Changing to the language model {model}: {share} done.")
_MEANWHILE = N_("Until then the one before answers.")
_REBUILDING = N_("Made anew after an update: {share} done.")
_WORDS_FIRST = N_("Until then some is found by its words only.")


class Change(NamedTuple):
    """What changes, what that means meanwhile, and how much is done, 0 to 1."""

    told: str
    meanwhile: str
    done: float


def change(state: Mapping[str, Any]) -> Change | None:
    """The change that is under way, if any."""
    changing = state.get("changing")
    if changing:
        done = float(changing.get("understood", 0.0))
        told = say(_CHANGING).format(model=changing.get("model", ""), share=share(done))
        return Change(told, say(_MEANWHILE), done)
    if state.get("rebuilding"):
        done = float(state.get("understood", 0.0))
        return Change(say(_REBUILDING).format(share=share(done)), say(_WORDS_FIRST), done)
    return None
