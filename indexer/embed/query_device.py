"""Where questions are encoded: on the processor, or on the accelerator if that is faster here.

A large model answers sooner on an idle accelerator, but behind the runs of indexing a question
waits. Both cases are measured once and kept with the findings of the machine.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.embed.devices import CPU
from indexer.embed.factory import OpenedLater
from indexer.embed.findings import keep, kept

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.embed.embedder import OnnxEmbedder
    from indexer.embed.models import ModelRecord

_QUESTION = "who pays for the repair of a roof that a storm has damaged, and until when"
_ROUNDS = 5


@dataclass(slots=True)
class QueryDevice:
    """Chooses among two embedders of queries. Thread-safe.

    Args:
        open: Opens a model on the accelerator; on the processor if that is refused.
    """

    open: Callable[[ModelRecord], OnnxEmbedder]
    _faster: dict[tuple[Path, str], bool] = field(default_factory=dict)  # by finding
    _opened: OpenedLater[OnnxEmbedder] = field(init=False)

    def __post_init__(self) -> None:
        self._opened = OpenedLater(self.open)

    def choose(self, own: OnnxEmbedder, device: str, *, busy: bool) -> OnnxEmbedder:
        """The embedder that is faster for a question; ``own`` until that is known.

        The accelerator is opened in a thread, and not at all where it is known to be slower.

        Args:
            own: On the processor.
            device: The name of the accelerator, under which the finding is kept.
            busy: Whether it is indexing.
        """
        idle = f"{device} queries"
        what = f"{idle} while indexing" if busy else idle
        if not (self._may_be_faster(own, idle) and self._may_be_faster(own, what)):
            return own
        other = self._opened.get(own.record, wait=False)
        if other is None:
            return own
        known = own.form.path, what
        if other.provider.name == CPU:  # refused; with another driver it may not be
            self._faster[own.form.path, idle] = False
        elif known not in self._faster:
            self._faster[known] = seconds(other) < seconds(own)
            keep(own.form, what, self._faster[known])
        if not self._faster.get((own.form.path, idle), True):
            self._opened = OpenedLater(self.open)  # closes it
        return other if self._faster.get(known) else own

    def _may_be_faster(self, own: OnnxEmbedder, what: str) -> bool:
        """Whether the accelerator is faster, or that is not known."""
        known = own.form.path, what
        if known not in self._faster and type(found := kept(own.form, what)) is bool:
            self._faster[known] = found
        return self._faster.get(known, True)


def seconds(embedder: OnnxEmbedder) -> float:
    """The least time of a question of some length."""
    embedder.query_states(_QUESTION)  # the first run allocates
    spent = []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        embedder.query_states(_QUESTION)
        spent.append(time.perf_counter() - began)
    return min(spent)
