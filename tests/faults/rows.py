"""The old faults as ``faults.toml`` lists them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Fault:
    """An old fault: the change that brings it back, and the tests that catch it."""

    says: str
    commit: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def put_back(self, text: str) -> str:
        """The text of the file with the fault in it.

        Raises:
            ValueError: If what is to be replaced does not stand there exactly once.
        """
        if text.count(self.old) != 1:
            raise ValueError(f"{self.file} holds {text.count(self.old)} times: {self.old}")
        return text.replace(self.old, self.new)


def faults() -> dict[str, Fault]:
    """All faults by name."""
    rows = tomllib.loads(Path(__file__).with_name("faults.toml").read_text("utf-8"))
    return {name: Fault(**{**row, "tests": tuple(row["tests"])}) for name, row in rows.items()}
