"""The sentences about ``changing`` and ``rebuilding`` in the engine's activity and status."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from indexer.api.translation import N_
from ui.words.amounts import share
from ui.words.translate import say

if TYPE_CHECKING:
    from indexer.api.status import Activity, Status

_CHANGING = N_("Changing to the language model {model}: {share} done.")
_MEANWHILE = N_("Until then the one before answers.")
_REBUILDING = N_("Made anew after an update: {share} done.")
_WORDS_FIRST = N_("Until then some is found by its words only.")


class ChangeText(NamedTuple):
    """Sentences about the change and its effect meanwhile, and the share that is done, 0 to 1."""

    sentence: str
    meanwhile: str
    done: float


def change(state: Activity | Status) -> ChangeText | None:
    """Return the texts of the change under way, if any."""
    if changing := state.changing:
        done = changing.embedded_share
        sentence = say(_CHANGING).format(model=changing.model, share=share(done))
        return ChangeText(sentence, say(_MEANWHILE), done)
    if state.rebuilding:
        done = state.embedded_share
        return ChangeText(say(_REBUILDING).format(share=share(done)), say(_WORDS_FIRST), done)
    return None
