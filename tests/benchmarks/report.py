"""Sections of the table: kept as JSON, shown as Markdown.

It defines the form of results and how they are written; it must not know what was measured.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from indexer.api.private_files import write_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the table: rows of cells below named columns, and how to read them."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)  # kept, not shown

    def markdown(self) -> str:
        """The section as a Markdown table with a heading."""
        lines = [f"### {self.title}", "", _line(self.columns), _line(["---"] * len(self.columns))]
        lines += [_line([shown(cell) for cell in row]) for row in self.rows]
        for note in self.notes:
            lines += ["", note]
        return "\n".join(lines)

    def save(self, folder: Path, machine: Mapping[str, Any]) -> None:
        """Keep the section, with the machine it was measured on, as ``<name>.json``."""
        folder.mkdir(parents=True, exist_ok=True)
        kept = {"machine": dict(machine), **asdict(self)}
        text = json.dumps(kept, indent=1, ensure_ascii=False) + "\n"
        write_file(folder / f"{self.name}.json", text)


def load(file: Path) -> tuple[Section, dict[str, Any]]:
    """Return a section that was kept, and its machine."""
    kept = json.loads(file.read_text(encoding="utf-8"))
    machine = kept.pop("machine")
    kept["columns"] = tuple(kept["columns"])
    kept["rows"] = tuple(tuple(row) for row in kept["rows"])
    kept["notes"] = tuple(kept["notes"])
    return Section(**kept), machine


def document(sections: Sequence[Section], machine: Mapping[str, Any]) -> str:
    """All sections below a description of the machine."""
    facts = "; ".join(f"{name} {value}" for name, value in machine.items() if value)
    return "\n\n".join([f"Measured on: {facts}.", *(one.markdown() for one in sections)]) + "\n"


def shown(cell: Cell) -> str:
    """A cell as text: counts with separators, other numbers with their significant digits.

    >>> [shown(x) for x in (1234, 0.98765, 12.345, 1234.5, "a", None)]
    ['1,234', '0.988', '12.3', '1,234', 'a', '']
    """
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell.replace("|", "\\|")
    if isinstance(cell, int):
        return f"{cell:,}"
    size = abs(cell)
    return f"{cell:,.0f}" if size >= 100 else f"{cell:.1f}" if size >= 10 else f"{cell:.3f}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
