"""A display without a screen, to see how a program looks and how soon it paints.

It runs Xvfb and reads its picture. It needs only Python 3.10 and Xvfb.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import time
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

_SIZE = "1280x800x24"
# Seconds between two looks, and seconds without a change after which a picture is complete.
_LOOK_S, STILL_S = 0.05, 6.0
# The header of an XWD file: numbers of 32 bits, and the positions of some.
_HEADER = struct.Struct(">25I")
_WIDTH, _HEIGHT, _LINE, _COLOURS = 4, 5, 12, 19
_COLOUR_BYTES = 12


class Display:
    """An Xvfb that ends with the ``with`` block.

    Attributes:
        name: The value of ``DISPLAY``.
    """

    def __init__(self, folder: Path) -> None:
        self._picture = folder / "Xvfb_screen0"
        reading, writing = os.pipe()
        program = shutil.which("Xvfb") or "Xvfb"
        command = [program, "-displayfd", str(writing), "-screen", "0", _SIZE, "-fbdir",
                   str(folder), "-nolisten", "tcp", "-ac"]  # fmt: skip
        self._server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as answer:
            self.name = f":{answer.readline().strip()}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.terminate()
        self._server.wait()

    def pixels(self) -> tuple[int, int, bytes]:
        """Return the width, the height, and four bytes for each pixel: blue, green, red, none."""
        content = self._picture.read_bytes()
        numbers = _HEADER.unpack_from(content)
        begin = numbers[0] + numbers[_COLOURS] * _COLOUR_BYTES
        size = numbers[_LINE] * numbers[_HEIGHT]
        return numbers[_WIDTH], numbers[_HEIGHT], content[begin : begin + size]

    def wait_for_paint(self, patience_s: float) -> float:
        """Return the seconds until something is painted.

        Raises:
            TimeoutError: If nothing is painted.
        """
        empty, began = self.pixels()[2], time.monotonic()
        while time.monotonic() - began < patience_s:
            if self.pixels()[2] != empty:
                return time.monotonic() - began
            time.sleep(_LOOK_S)
        raise TimeoutError(f"nothing was painted in {patience_s:.0f} s")

    def wait_until_still(self, patience_s: float) -> None:
        """Wait until the picture stays the same for ``STILL_S``, at most ``patience_s``."""
        last, since, ends = b"", time.monotonic(), time.monotonic() + patience_s
        while time.monotonic() < min(since + STILL_S, ends):
            if (now := self.pixels()[2]) != last:
                last, since = now, time.monotonic()
            time.sleep(_LOOK_S)

    def save(self, file: Path) -> None:
        """Write the picture as PNG."""
        width, height, pixels = self.pixels()
        red, green, blue = pixels[2::4], pixels[1::4], pixels[0::4]
        colours = bytearray(3 * width * height)
        colours[0::3], colours[1::3], colours[2::3] = red, green, blue
        rows = (colours[each * 3 * width :][: 3 * width] for each in range(height))
        lines = b"".join(b"\0" + row for row in rows)
        head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
        file.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_part(*each) for each in parts))


def _part(kind: bytes, content: bytes) -> bytes:
    """Return a chunk of a PNG file: length, kind, content, checksum."""
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)
