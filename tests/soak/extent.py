"""How long and how much a scenario of the soak does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Extent:
    """The extent of one run of a scenario.

    Attributes:
        size: What the scenario counts: files, passages, queries or calls; its docstring says it.
        seconds: How long things are done to the library; making, settling and comparing come on
            top of that.
        seed: Of everything that is random.
    """

    size: int
    seconds: float
    seed: int = 1
