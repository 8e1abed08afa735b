"""A render child for tests: started as the window starts it, asked over its pipes."""

from __future__ import annotations

import contextlib
import struct
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from indexer.api.codec import Hello, check_hello, decode, decode_error, read_frame, write_frame
from indexer.api.pages import DocumentSource, GetLetters
from indexer.confine.process import child_environment, kill_readers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.api.codec import Header
    from indexer.api.pages import PageRequest

A = TypeVar("A")

ROOT = Path(__file__).resolve().parents[2]


class Asker:
    """Asks a running child one question after the other."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self._in, self._out = process.stdin, process.stdout
        self._ids = count(1)
        frame = read_frame(self._out)
        assert frame is not None
        assert check_hello(frame[0], Hello).role == "render"

    def __call__(self, request: PageRequest[A]) -> tuple[A, bytes]:
        """Ask, and return the answer.

        Raises:
            LecternError: If that is the answer.
        """
        reply, data = self.send(request.header(next(self._ids)))
        return decode(request.answer, reply["answer"]), data

    def send(self, header: Header) -> tuple[Header, bytes]:
        """Send any header, and return the reply's, unless that is an error."""
        write_frame(self._in, header)
        frame = read_frame(self._out)
        assert frame is not None, "the child has ended"
        reply, data = frame
        assert reply["id"] == header.get("id")
        if reply["type"] == "error":
            raise decode_error(reply["error"])
        return reply, data

    def letters(self, path: Path, page: int) -> tuple[str, list[tuple[float, ...]]]:
        found, data = self(GetLetters(DocumentSource(path), page))
        sides = struct.unpack(f"<{4 * len(found.text)}f", data)
        return found.text, [sides[i : i + 4] for i in range(0, len(sides), 4)]


@contextlib.contextmanager
def render_child(*arguments: str, code: str = "") -> Iterator[Asker]:
    """Start a render child, or one that runs some code; it does not outlive the block."""
    begun = ["-c", code] if code else ["-m", "indexer.render.child"]
    command = [sys.executable, "-P", *begun, *arguments]
    environment = {**child_environment(), "PYTHONWARNINGS": "error"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        try:
            yield Asker(process)
        finally:
            if process.poll() is None:
                kill_readers(process.pid)
                process.kill()
