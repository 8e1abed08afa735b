"""Chats that WhatsApp exported: the messages of each day, with their times and senders.

The order of day and month, which depends on the telephone, is found from all dates of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from indexer.api.types import BlockKind
from indexer.extract.page_writer import DecodedSource, PageWriter

# "[01.02.24, 10:11:12] Anna: …" on iPhones, "1/2/24, 10:11 PM - Anna: …" elsewhere.
_MESSAGE = re.compile(
    r"[\u200e\u200f]?\[?(\d{1,4})([./-])(\d{1,2})\2\s?(\d{2,4}),?\s+"
    r"(\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[AaPp]\.?\s?[Mm]\.?)?)\s*(?:\]|\s-)\s(.*)"
)
_MARKS = str.maketrans(dict.fromkeys("\u200e\u200f\u202a\u202c", None))


class ChatSource(DecodedSource):
    """An open chat."""

    def write_pages(self, writer: PageWriter) -> Iterator[None]:
        lines = self.text.splitlines()
        month_first = _month_first(lines)
        day, message = "", ""
        for line in lines:
            found = _MESSAGE.match(line)
            if found is None:
                message += "\n" + line.translate(_MARKS)
                continue
            writer.add_block(message)
            yield
            if (date := _date(*found.group(1, 3, 4), month_first=month_first)) != day:
                day = date
                writer.add_block(day, BlockKind.HEADING, 1)
            message = f"{found[5]} {found[6].translate(_MARKS)}"
        writer.add_block(message)


open_source = ChatSource.open_source


def _month_first(lines: Iterable[str]) -> bool:
    for found in filter(None, map(_MESSAGE.match, lines)):
        if int(found[1]) > 12 or found[2] == ".":
            return False
        if int(found[3]) > 12:
            return True
    return False


def _date(first: str, second: str, third: str, *, month_first: bool) -> str:
    """Return a date in ISO format."""
    if len(first) == 4:
        return f"{first}-{int(second):02d}-{int(third):02d}"
    year = third if len(third) == 4 else f"20{third}"
    month, day = (first, second) if month_first else (second, first)
    return f"{year}-{int(month):02d}-{int(day):02d}"
