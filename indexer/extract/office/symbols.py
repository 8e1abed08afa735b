"""Characters of the fonts Symbol and Wingdings, which number their signs like Latin letters."""

from __future__ import annotations

import re

_PRIVATE = 0xF000  # Office adds it to the codes of such fonts
_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_"
    "‾αβχδεφγηιϕκλµνοπθρστυϖωξψζ{|}∼\0" + "\0" * 32 + "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵"
    "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑" + "\0" * 11 + "〉∫"
)
_WINGDINGS = {
    0x28: "☎", 0x2A: "✉", 0x4A: "☺", 0x4C: "☹", 0x6C: "●", 0x6E: "■", 0x6F: "☐", 0x71: "❑",
    0x76: "❖", 0x9F: "•", 0xA7: "▪", 0xA8: "☐", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE8: "➔",
    0xF0: "⇨", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_OWN = re.compile("[\uf020-\uf0ff]")


def symbol(font: str, code: int) -> str:
    """Return the character with a code in a font, "" if it is not known."""
    name, at = font.casefold(), code - _PRIVATE if code >= _PRIVATE else code
    if name.startswith("wingdings"):
        return _WINGDINGS.get(at, "") if name == "wingdings" else ""
    if name.startswith("symbol") or code >= _PRIVATE:
        found = _SYMBOL[at - 0x20] if 0x20 <= at < 0x20 + len(_SYMBOL) else ""
        return found.strip("\0")
    return chr(code) if 0x20 <= code < 0xD800 else ""


def readable(text: str, font: str) -> str:
    """Replace the codes of such fonts that stand in a text."""
    return _OWN.sub(lambda found: symbol(font, ord(found[0])), text)
