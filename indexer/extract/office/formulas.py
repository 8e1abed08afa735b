"""Formulas of office files (OMML) in one line: "3/40", "10⁶", "√(a+b)"."""

from __future__ import annotations

from typing import Any

from indexer.extract.numerals import fraction, in_brackets, lowered, power, raised
from indexer.extract.office.xml import attribute, local

_MAX_DEPTH = 60
_SKIPPED = frozenset({"del", "moveFrom", "instrText", "delText"})


def formula(element: Any, depth: int = 0) -> str:
    """Return a formula, or a part of one, as a line of text."""
    name = local(element)
    if name == "t":
        return element.text or ""
    if depth > _MAX_DEPTH or name in _SKIPPED or name.endswith("Pr"):
        return ""
    found = [(local(child), formula(child, depth + 1)) for child in element]
    part = dict(found)
    if name == "f":
        return fraction(part.get("num", ""), part.get("den", ""))
    if name in ("sSup", "sSub", "sSubSup"):
        base = part.get("e", "") + lowered(part.get("sub", ""))
        return power(base, part.get("sup", "")) if "sup" in part else base
    if name == "rad":
        return f"{raised(part.get('deg', ''))}√{in_brackets(part.get('e', ''))}"
    if name == "d":
        inside = _sign(element, "sepChr", "|").join(text for _, text in found if text)
        return f"{_sign(element, 'begChr', '(')}{inside}{_sign(element, 'endChr', ')')}"
    if name == "nary":
        limits = lowered(part.get("sub", "")) + raised(part.get("sup", ""))
        return f"{_sign(element, 'chr', '∫')}{limits} {part.get('e', '')}"
    if name in ("m", "eqArr"):
        return "; ".join(text for _, text in found if text)
    between = " " if name == "mr" else ""
    return between.join(text for _, text in found if text)


def _sign(element: Any, name: str, usual: str) -> str:
    """Return the sign in the properties of a delimiter or an operator."""
    found = next(element.iterfind(f"{{*}}{local(element)}Pr/{{*}}{name}"), None)
    return usual if found is None else attribute(found)
