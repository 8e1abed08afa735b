"""Calendars (iCalendar) and address books (vCard): each event or person below its name.

Both are lines of properties, folded at 75 bytes. Pictures, alarms and rules of time zones are left
out. The libraries icalendar and vobject hold a whole file as objects, and fail at any mistake.
"""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from indexer.api.types import BlockKind
from indexer.extract.page_writer import DecodedSource, PageWriter
from indexer.extract.plain.decode import MARK, decoded

# The labels of the properties to show, "" for no label.
_EVENT = {
    "SUMMARY": "", "DESCRIPTION": "", "COMMENT": "", "LOCATION": "Location", "DTSTART": "Start",
    "DTEND": "End", "DUE": "Due", "ORGANIZER": "Organizer", "ATTENDEE": "Attendee",
    "CONTACT": "Contact", "CATEGORIES": "Categories", "STATUS": "Status", "URL": "URL",
}  # fmt: skip
_PERSON = {
    "FN": "", "N": "", "NICKNAME": "Nickname", "ORG": "Organisation", "TITLE": "Title",
    "ROLE": "Role", "TEL": "Phone", "EMAIL": "Email", "ADR": "Address", "LABEL": "Address",
    "BDAY": "Birthday", "ANNIVERSARY": "Anniversary", "URL": "URL", "IMPP": "Messenger",
    "RELATED": "Related", "CATEGORIES": "Categories", "NOTE": "",
}  # fmt: skip
_CARDS = {"VEVENT": _EVENT, "VTODO": _EVENT, "VJOURNAL": _EVENT, "VCARD": _PERSON}
_NAMES = ("SUMMARY", "FN", "N", "ORG", "EMAIL")
_STRUCTURED = frozenset({"N", "ORG", "ADR"})
_LINE = re.compile(r'(?:[\w-]+\.)?([A-Za-z-]+)((?:;[^":;]*(?:"[^"]*"[^":;]*)*)*):(.*)', re.DOTALL)
_COMMON_NAME = re.compile(r';CN="?([^";:]+)', re.IGNORECASE)
_CHARSET = re.compile(r";CHARSET=\"?([\w.:-]+)", re.IGNORECASE)
_ESCAPED = re.compile(r"\\(.)")
_DATE = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)[\d:]*Z?)?$")
_MAX_DEPTH = 20
_LONGEST_LINE = 1 << 17  # characters; longer lines are pictures


class CardSource(DecodedSource):
    """An open calendar or address book."""

    def write_pages(self, writer: PageWriter) -> Iterator[None]:
        sections = (section.removeprefix(MARK) for section in self._file.sections())
        for name, lines in _cards(line for text in sections for line in text.splitlines()):
            self.budget.spend_elements(1 + len(lines))
            writer.add_block(name, BlockKind.HEADING, 1)
            for line in lines:
                if line != name:
                    writer.add_block(line)
            yield


open_source = CardSource.open_source


def calendar_text(text: str) -> str:
    """Return the lines that a mail program shows of a calendar's events and tasks."""
    shown = (line for _, lines in _cards(text.splitlines()) for line in lines)
    return "\n".join(dict.fromkeys(shown))


def _cards(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each event or person, and its lines to show."""
    open_parts: list[str] = []
    names: dict[str, str] = {}
    shown: dict[str, None] = {}
    # A last entry that was cut off is shown as well.
    for line in chain(_unfolded(lines), ("BEGIN:VCARD",)):
        found = _LINE.match(line)
        if found is None:
            continue
        name, parameters, value = found[1].upper(), found[2], found[3].strip()
        part = value.upper()
        if name == "BEGIN" and part in _CARDS:
            open_parts = []
        elif name == "END" and part in open_parts:
            del open_parts[open_parts.index(part) :]
        if shown and not open_parts:
            yield next((names[each] for each in _NAMES if each in names), ""), list(shown)
            names, shown = {}, {}
        if name == "BEGIN":
            open_parts = [*open_parts[-_MAX_DEPTH:], part]
        elif open_parts and name in (labels := _CARDS.get(open_parts[-1], {})):
            text = _value(name, parameters, value)
            names.setdefault(name, text)
            if text and not (name == "N" and "FN" in names):
                shown.setdefault(f"{labels[name]}: {text}" if labels[name] else text)


def _unfolded(lines: Iterable[str]) -> Iterator[str]:
    """Join folded lines (at a space or as quoted-printable), and cut endless ones."""
    line, length = [""], 0
    for next_line in lines:
        soft = line[-1].endswith("=") and "QUOTED-PRINTABLE" in line[0].upper()
        if next_line[:1] in (" ", "\t") or soft:
            if length < _LONGEST_LINE:
                line[-1] = line[-1].removesuffix("=") if soft else line[-1]
                line.append(next_line if soft else next_line[1:])
                length += len(next_line)
            continue
        yield "".join(line)
        line, length = [next_line[:_LONGEST_LINE]], len(next_line)
    yield "".join(line)


def _value(name: str, parameters: str, value: str) -> str:
    if "QUOTED-PRINTABLE" in parameters.upper():
        charset = _CHARSET.search(parameters)
        data = quopri.decodestring(value.encode("utf-8", "replace"))
        value = decoded(data, charset[1] if charset else "")
    if date := _DATE.match(value):
        day = f"{date[1]}-{date[2]}-{date[3]}"
        return f"{day} {date[4]}:{date[5]}" if date[4] else day
    if name in ("ORGANIZER", "ATTENDEE"):
        address = re.sub(r"^mailto:", "", value, flags=re.IGNORECASE)
        known = _COMMON_NAME.search(parameters)
        return f"{known[1]} <{address}>" if known and known[1] != address else address
    if name in _STRUCTURED:
        parts = re.split(r"(?<!\\);", value)
        if name == "N":  # "Harker;Mina;Wilhelmina;Dr.;" is "Dr. Mina Wilhelmina Harker"
            parts = [*parts[3:4], *parts[1:3], parts[0], *parts[4:]]
        value = (" " if name == "N" else ", ").join(part.strip() for part in parts if part.strip())
    return _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value).strip()
