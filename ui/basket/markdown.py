"""The basket as Markdown, with the pictures in a folder beside it. It must not know widgets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.api.atomic import replacing, write_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ui.basket.report import Entry, Report

_SIGNS = re.compile(r"[\\`*_{}\[\]<>#|~$&@]")
# What makes a list, a heading or a rule of a line only at its beginning.
_BEGINNING = re.compile(r"^(\s*)([-+=]|\d+(?=[.)]))")
_PICTURES = "pictures"


def write(path: Path, report: Report) -> None:
    """Write the file, and its pictures.

    Raises:
        OSError: If one cannot be written.
    """
    folder = path.with_name(f"{path.stem}-{_PICTURES}")
    names: dict[int, list[str]] = {}
    for number, entry in enumerate(report.entries, 1):
        for part, picture in enumerate(entry.pictures, 1):
            folder.mkdir(exist_ok=True)
            name = f"{number}-{part}.png"
            with replacing(folder / name) as file:
                file.write(picture.data)
            names.setdefault(number, []).append(f"{folder.name}/{name}")
    write_file(path, text_of(report, names))


def text_of(report: Report, pictures: dict[int, list[str]]) -> str:
    """Return the text; ``pictures`` are their paths by the numbers of the entries, from 1."""
    parts = [f"# {escaped(report.title)}"]
    for number, entry in enumerate(report.entries, 1):
        parts += _entry(number, entry, report, pictures.get(number, []))
    if report.sources:
        lines = [f"- {escaped(text)} [@{key}]" for key, text in report.sources]
        parts += [f"## {escaped(report.sources_title)}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def _entry(number: int, entry: Entry, report: Report, pictures: list[str]) -> Iterator[str]:
    yield f"## {number}. {escaped(entry.title)}"
    if entry.headings:
        yield f"<em>{escaped(entry.headings)}</em>"  # asterisks mark no text that ends with a sign
    low, high = entry.best
    before, best, after = entry.text[:low], entry.text[low:high], entry.text[high:]
    marked = f"<mark>{_inside(best)}</mark>" if best else ""
    yield f"> {escaped(before)}{marked}{_inside(after)}"
    link = f" [{escaped(report.link_label)}]({entry.link})" if entry.link else ""
    yield f"— {escaped(entry.cited)} [@{entry.key}]{link}"
    if entry.remark:
        yield f"<em>{escaped(entry.remark)}</em>"
    if entry.note:
        note = "  \n".join(escaped(line) for line in entry.note.splitlines())
        yield f"**{escaped(report.note_label)}** {note}"
    for picture, path in zip(entry.pictures, pictures, strict=True):
        yield f"![{escaped(picture.place)}](<{path}>)"


def escaped(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    return _BEGINNING.sub(_escape_beginning, _inside(text))


def _inside(text: str) -> str:
    return _SIGNS.sub(r"\\\g<0>", text)


def _escape_beginning(found: re.Match[str]) -> str:
    sign = found[2]
    # A number needs the sign behind it escaped, which is not part of the match.
    return f"{found[1]}\\{sign}" if not sign.isdigit() else f"{found[1]}{sign}\\"
