"""The values of a workbook's cells as text: shared strings, and the formats of numbers.

Owns ``sharedStrings.xml`` and ``styles.xml``. Strings wait in a temporary file, because a workbook
may hold more of them than memory should. Numbers are written plainly, without the separators and
colours of their formats, except that dates are dates and shares are percent.
"""

from __future__ import annotations

import re
import tempfile
from array import array
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from indexer.extract.docx_styles import number as whole
from indexer.extract.xml_events import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.extract.package import Package

_IN_MEMORY_BYTES = 8 * 1024**2
_MAX_CELL_CHARS = 40_000  # Excel allows 32,767
_MAX_FORMATS = 100_000
_DATE_NUMBERS = frozenset({*range(14, 18), 22, *range(27, 37), *range(50, 59)})
_TIME_NUMBERS = frozenset({18, 19, 20, 21, 45, 46, 47})
_PERCENT_NUMBERS = frozenset({9, 10})
_NO_CODE = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_DAY_ZERO = datetime(1899, 12, 30)  # noqa: DTZ001  # cells know no zones
_DAY_ZERO_1904 = datetime(1904, 1, 1)  # noqa: DTZ001
_LAST_DAY = 2_958_466.0  # the end of the year 9999


class Strings:
    """The strings that cells share, by their numbers."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES)  # noqa: SIM115
        self._ends = array("Q", [0])
        self._parts: list[str] = []
        self._texts = 0
        self._phonetic = 0

    def read(self, package: Package, part: str) -> None:
        parse(package.chunks(part), self, package.budget)

    def __getitem__(self, index: int) -> str:
        """Return a string, "" for a number that has none."""
        if not 0 <= index < len(self._ends) - 1:
            return ""
        self._file.seek(self._ends[index])
        return self._file.read(self._ends[index + 1] - self._ends[index]).decode("utf-8", "replace")

    def close(self) -> None:
        self._file.close()

    def start(self, name: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002
        if name == "si":
            self._parts = []
        elif name == "t":
            self._texts += 1
        elif name == "rPh":
            self._phonetic += 1

    def end(self, name: str) -> None:
        if name == "t":
            self._texts -= 1
        elif name == "rPh":
            self._phonetic -= 1
        elif name == "si":
            data = "".join(self._parts)[:_MAX_CELL_CHARS].encode("utf-8", "replace")
            self._file.seek(self._ends[-1])
            self._file.write(data)
            self._ends.append(self._ends[-1] + len(data))

    def text(self, data: str) -> None:
        if self._texts and not self._phonetic:
            self._parts.append(data)


class Formats:
    """How the numbers of cells are shown, by the number of their style."""

    def __init__(self, *, from_1904: bool) -> None:
        self._zero = _DAY_ZERO_1904 if from_1904 else _DAY_ZERO
        self._codes: dict[int, str] = {}
        self._styles: list[int] = []
        self._kinds: dict[int, str] = {}
        self._in_cells = False

    def read(self, package: Package, part: str) -> None:
        parse(package.chunks(part), self, package.budget)

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "numFmt" and len(self._codes) < _MAX_FORMATS:
            code = attributes.get("formatCode", "")[:200]
            self._codes[whole(attributes.get("numFmtId", ""))] = code
        elif name == "cellXfs":
            self._in_cells = True
        elif name == "xf" and self._in_cells and len(self._styles) < _MAX_FORMATS:
            self._styles.append(whole(attributes.get("numFmtId", ""), 0))

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self._in_cells = False

    def text(self, data: str) -> None:
        """Styles have no text."""

    def shown(self, value: str, style: int) -> str:
        """Write a number as its style wants it: a date, a time, a share, or itself."""
        kind = self._kind(style)
        if not kind and (len(value) < 15 or value.isdigit()):
            return value
        try:
            number = float(value)
        except ValueError:
            return value
        if kind == "percent":
            return f"{number * 100:.12g}%"
        if kind in ("date", "time") and 0 <= number < _LAST_DAY:
            return self._moment(number, kind)
        return f"{number:.15g}"

    def _kind(self, style: int) -> str:
        if style not in self._kinds:
            known = 0 <= style < len(self._styles)
            self._kinds[style] = self._kind_of(self._styles[style]) if known else ""
        return self._kinds[style]

    def _kind_of(self, form: int) -> str:
        code = _NO_CODE.sub("", self._codes.get(form, "")).lower().partition(";")[0]
        if form in _PERCENT_NUMBERS or code.endswith("%"):
            return "percent"
        if form in _DATE_NUMBERS or (("y" in code or "d" in code) and "general" not in code):
            return "date"
        if form in _TIME_NUMBERS or "h" in code or "ss" in code:
            return "time"
        return ""

    def _moment(self, number: float, kind: str) -> str:
        moment = self._zero + timedelta(seconds=round(number * 86_400))
        if kind == "time" and number < 1:
            return f"{moment:%H:%M:%S}".removesuffix(":00")
        day = moment.date().isoformat()
        return day if number % 1 == 0 else f"{day} {moment:%H:%M:%S}".removesuffix(":00")
