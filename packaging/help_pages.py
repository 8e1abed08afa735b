"""Updates the tables of the help pages: ``python packaging/help_pages.py``.

A table in ``resources/help`` stands between ``<!-- made: NAME -->`` and ``<!-- end -->``. There are
the tables of ``command_reference`` and that of the keys. The rest of a page is written by hand.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from command_reference import tables as of_the_program

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "resources" / "help"
_MADE = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def tables() -> dict[str, str]:
    from ui.keys import key_tables

    return {**of_the_program(), "keys": "\n".join(key_tables())}


def renewed(page: str, made: dict[str, str]) -> str:
    """Return a page with its tables made anew.

    Raises:
        KeyError: If it names an unknown table.
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
