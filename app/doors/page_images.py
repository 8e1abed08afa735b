"""Renders pages of documents as images, and finds passages on them, by a render child of its own.

The child reads documents confined, as it does for the window. It ends a reader that hangs. If the
child itself ends, the next request starts another.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import threading
from itertools import count
from pathlib import Path
from typing import TypeVar

from indexer.api.codec import Hello, check_hello, read_answer, read_frame, write_frame
from indexer.api.errors import WorldError
from indexer.api.pages import DocumentSource, GetImage, GetMarks, MarkBox, Open, Opened, PageRequest
from indexer.confine.process import child_command, kill_readers, make_scratch, start_child

A = TypeVar("A")

_MODULE = "indexer.render.child"
_LIMITS = (f"--address-space={4 << 30}", f"--resident={1 << 30}", "--silence=30")


class PageRenderer:
    """Renders pages of documents. Thread-safe; one page at a time.

    ``library`` is the folder of the library, which has the text recognised on scanned pages.
    """

    def __init__(self, library: Path) -> None:
        self._library = library
        self._asking = threading.Lock()
        self._numbers = count(1)
        self._scratch = make_scratch()
        self._child: subprocess.Popen[bytes] | None = None

    def start_child(self) -> None:
        """Start the child ahead of the first request, which would otherwise wait .7 s for it."""
        with self._asking, contextlib.suppress(OSError, WorldError):
            if self._child is None:
                self._start()

    def open_page(self, path: Path, page: int) -> Opened:
        """Return how many pages a document has, and the size of one of them in points."""
        return self._ask(Open(DocumentSource(path), page))[0]

    def places(self, path: Path, page: int, last: int, text: str, start: int) -> list[MarkBox]:
        """Return the boxes of a passage; empty if its pages do not have it."""
        request = GetMarks(DocumentSource(path), page, last, text, start, ((0, len(text)),))
        found = self._ask(request)[0]
        return [box for boxes in found.spans for box in boxes] if found.found else []

    def image(self, path: Path, page: int, width: int) -> bytes:
        """Return a page as a PNG of a width in pixels."""
        image, rows = self._ask(GetImage(DocumentSource(path), page, width))
        return png(image.columns, image.rows, image.stride, rows)

    def close(self) -> None:
        """End the child."""
        with self._asking:
            self._end()
            self._scratch.cleanup()

    def _ask(self, request: PageRequest[A]) -> tuple[A, bytes]:
        with self._asking:
            child = self._child or self._start()
            number = next(self._numbers)
            try:
                write_frame(_pipe(child.stdin), request.header(number))
                answered = read_frame(_pipe(child.stdout))
            except OSError:
                answered = None
            if answered is None:
                self._end()
                raise WorldError("bad_request", reason="the page cannot be rendered")
        header, data = answered
        return read_answer(header, request.answer), data

    def _start(self) -> subprocess.Popen[bytes]:
        options = (*_LIMITS, f"--engine={os.getpid()}", f"--scratch={self._scratch.name}",
                   f"--library={self._library}")  # fmt: skip
        command = [*child_command(_MODULE), *options]
        child = self._child = start_child(command, subprocess.DEVNULL)
        greeting = read_frame(_pipe(child.stdout))
        if greeting is None:
            raise WorldError("bad_request", reason="the page cannot be rendered")
        check_hello(greeting[0], Hello)
        return child

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            kill_readers(child.pid)
            child.kill()
            child.communicate()


def _pipe(stream: A | None) -> A:
    if stream is None:
        raise OSError("the child has no pipe")
    return stream


def png(columns: int, rows: int, stride: int, pixels: bytes) -> bytes:
    """Encode 8-bit RGB rows as a PNG, quickly rather than small."""
    from PIL import Image

    made = io.BytesIO()
    image = Image.frombuffer("RGB", (columns, rows), pixels, "raw", "RGB", stride, 1)
    image.save(made, "PNG", compress_level=1)
    return made.getvalue()
