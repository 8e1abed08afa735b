"""Characters of the fonts Symbol and Wingdings, which number their signs like Latin letters."""

from __future__ import annotations

import json
import re
from pathlib import Path

_PRIVATE = 0xF000  # Office adds it to the codes of such fonts
_FILE = Path(__file__).resolve().parents[3] / "resources" / "office.json"
#: Characters and encodings of fonts, and words of RTF, by the numbers of office programs.
TABLES = json.loads(_FILE.read_text("utf-8"))
_SYMBOL: dict[int, str] = {int(code): sign for code, sign in TABLES["symbol"].items()}
_WINGDINGS: dict[int, str] = {int(code): sign for code, sign in TABLES["wingdings"].items()}
_OWN = re.compile("[\uf020-\uf0ff]")


def symbol(font: str, code: int) -> str:
    """Return the character with a code in a font, "" if it is unknown."""
    name, at = font.casefold(), code - _PRIVATE if code >= _PRIVATE else code
    if name.startswith("wingdings"):
        return _WINGDINGS.get(at, "") if name == "wingdings" else ""
    if name.startswith("symbol") or code >= _PRIVATE:
        return _SYMBOL.get(at, "")
    return chr(code) if 0x20 <= code < 0xD800 else ""


def readable(text: str, font: str) -> str:
    """Replace the codes of such fonts in a text."""
    return _OWN.sub(lambda found: symbol(font, ord(found[0])), text)
