"""Moves long bodies of a mail to a file before it is parsed.

The parser of the standard library keeps a whole mail in memory. Owns which lines are moved, in one
pass, and reading them back. It must not know MIME.
"""

from __future__ import annotations

import re
import secrets
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_IN_MEMORY_BYTES = 1 << 20
_CHUNK_BYTES = 1 << 16
# Limits of what the parser gets: of a body, of headers, and of a mail. When the last one is
# exceeded, that of a body is ``_REDUCED_BYTES``.
_BODY_BYTES, _HEADER_BYTES, _MAIL_BYTES = 1 << 16, 1 << 20, 32 << 20
_REDUCED_BYTES = 1 << 12
_MAX_BORDERS = 5_000


class BodySpool:
    """Long bodies of one mail, in a file; each is replaced by a placeholder line."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES)  # noqa: SIM115  # closed by ``close``
        self._secret = secrets.token_hex(16).encode()
        self._mark = re.compile(rb"=%s (\d+) (\d+)\r?\n?" % self._secret)

    def put(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Yield lines, with placeholders for long bodies. Possible MIME boundaries stay."""
        kept = run = borders = 0
        room, begun, at_start = _HEADER_BYTES, -1, True
        for line in lines:
            if at_start and line.startswith(b"--") and borders < _MAX_BORDERS:
                if begun >= 0:
                    yield self._line(begun)
                borders, run, begun, room = borders + 1, 0, -1, _HEADER_BYTES
            elif not line.strip():
                room = _BODY_BYTES
            if kept > _MAIL_BYTES:
                room = _REDUCED_BYTES
            if begun < 0 and at_start and run > room:
                begun = self._file.tell()
            if begun < 0:
                run, kept = run + len(line), kept + len(line)
                yield line
            else:
                self._file.write(line)
            at_start = line.endswith(b"\n")
        if begun >= 0:
            yield self._line(begun)

    def pieces(self, body: bytes) -> Iterator[bytes]:
        """Yield a body with its placeholders replaced by the original lines."""
        at = 0
        for mark in self._mark.finditer(body):
            yield body[at : mark.start()]
            at = mark.end()
            start, end = int(mark[1]), int(mark[2])
            while start < end:
                self._file.seek(start)
                piece = self._file.read(min(_CHUNK_BYTES, end - start))
                start += len(piece)
                yield piece
        yield body[at:]

    def holds(self, body: bytes) -> bool:
        """Whether a body has placeholders."""
        return self._secret in body

    def close(self) -> None:
        self._file.close()

    def _line(self, begun: int) -> bytes:
        return b"=%s %d %d\n" % (self._secret, begun, self._file.tell())
