"""Brings the help pages up to date with the program: ``python packaging/help_pages.py``.

Owns where in ``resources/help`` a table stands: between ``<!-- made: NAME -->`` and
``<!-- end -->``. The tables are ``app.reference``'s, and that of the keys, which only somebody who
may know both the commands and the window can ask for. The rest of a page is written by hand.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "resources" / "help"
_MADE = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def tables() -> dict[str, str]:
    from app.reference import tables as of_the_program

    return {**of_the_program(), "keys": "\n".join(_keys())}


def _keys() -> list[str]:
    from ui.keys import KEYS

    lines = []
    for group in KEYS:
        lines += [f"### {group.title}", "", "| keys | |", "|---|---|"]
        for key in group.keys:
            named = " ".join(f"<kbd>{each}</kbd>" for each in key.keys)
            lines.append(f"| {named} | {key.text} |")
        lines.append("")
    return lines


def renewed(page: str, made: dict[str, str]) -> str:
    """Return a page with its tables as they are now.

    Raises:
        KeyError: If it asks for a table that there is not.
    """
    return _MADE.sub(lambda match: f"{match[1]}\n{made[match[2]].strip()}\n\n{match[3]}", page)


def main() -> int:
    sys.path.insert(0, str(ROOT))
    made = tables()
    for page in sorted(PAGES.glob("*.md")):
        page.write_text(renewed(page.read_text("utf-8"), made), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
