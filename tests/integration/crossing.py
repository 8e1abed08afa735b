"""Traces which modules of the program run, in this process and in the children that it starts.

A child that loads ``IN_CHILDREN`` as its ``sitecustomize`` traces the readers that it forks. They
write to the error stream, the only way out of a confined process.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import FrameType

ROOT = str(Path(__file__).resolve().parents[2]) + os.sep
ROOMS = tuple(ROOT + room + os.sep for room in ("app", "ui", "indexer"))
MARK = "CROSSED "
IN_CHILDREN = "from tests.integration import crossing\n\ncrossing.trace_readers()\n"
# The words of a passage that is followed; they contain no line end.
FOLLOWED = "the keeper of the seventh lamp counts the boats"
_A_FUNCTION = 0x1  # CO_OPTIMIZED, which bodies of modules and classes do not have


class Trace:
    """The modules whose functions were called, and the classes that were made with the text."""

    def __init__(self, *, writes: bool = False) -> None:
        self.modules: Counter[str] = Counter()  # calls of their functions
        self.forms: dict[str, None] = {}
        self._writes = writes
        self._written: set[str] = set()

    def __enter__(self) -> Self:
        threading.setprofile(self._seen)
        sys.setprofile(self._seen)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def take(self) -> Trace:
        """Return what was seen so far, and begin anew."""
        taken = Trace()
        taken.modules, self.modules = self.modules, Counter()
        taken.forms, self.forms = self.forms, {}
        return taken

    def add_written(self, text: str) -> None:
        """Add what children have written."""
        for line in text.splitlines():
            if line.startswith(MARK):
                self._add(*line.removeprefix(MARK).split(" "))

    def _seen(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "return":
            # Structures of the contract are made without a call, and told when they are returned.
            made = type(argument)
            names: tuple[str, ...] = getattr(made, "__struct_fields__", ())
            if made.__module__.startswith("indexer.") and any(
                _is_followed(getattr(argument, name)) for name in names
            ):
                self._add("form", f"{made.__module__}.{made.__qualname__}")
        if event != "call":
            return
        code = frame.f_code
        if code.co_filename.startswith(ROOMS):
            if code.co_flags & _A_FUNCTION:
                self._add("module", code.co_filename.removeprefix(ROOT))
        elif code.co_name == "__init__" and code.co_filename == "<string>":  # of a data class
            values = dict(frame.f_locals)
            made = type(values.pop("self", None))
            if made.__module__.startswith("indexer.") and any(map(_is_followed, values.values())):
                self._add("form", f"{made.__module__}.{made.__qualname__}")

    def _add(self, kind: str, name: str) -> None:
        if kind == "module":
            self.modules[name] += 1
        else:
            self.forms[name] = None
        if self._writes and name not in self._written:
            self._written.add(name)
            os.write(2, f"{MARK}{kind} {name}\n".encode())


def _is_followed(value: object) -> bool:
    return isinstance(value, str) and FOLLOWED in " ".join(value.split())


def trace_readers() -> None:
    """Trace what this process forks."""
    os.register_at_fork(after_in_child=Trace(writes=True).__enter__)
