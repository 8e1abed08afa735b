"""Formulas of web pages and e-books (MathML) in one line: "3/40", "10⁶", "√(a+b)"."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from indexer.extract.numerals import fraction, in_brackets, lowered, power, raised

_MAX_DEPTH = 60
_SILENT = frozenset({"annotation", "annotation-xml", "-comment", "script", "style"})
_SPACE = re.compile(r"\s+")


def formula(node: Any, depth: int = 0) -> str:
    """Return a formula, or a part of one, as a line of text."""
    tag = node.tag or ""
    if tag == "-text":
        return _SPACE.sub(" ", node.text_content or "")
    if tag in _SILENT or depth > _MAX_DEPTH:
        return ""
    parts = [formula(one, depth + 1) for one in _children(node)]
    if tag.startswith("m") and tag not in ("math", "mtext"):
        parts = [part.strip() for part in parts]
    return _written(tag, parts)


def _written(tag: str, parts: list[str]) -> str:
    """Return an element of a formula as a line, given the text of its parts."""
    if len(parts) == 2 and tag in _OF_TWO:
        return _OF_TWO[tag](*parts)
    if len(parts) == 3 and tag in ("msubsup", "munderover"):
        return power(parts[0] + lowered(parts[1]), parts[2])
    if tag == "msqrt":
        return f"√{in_brackets(''.join(parts))}"
    if tag == "mfenced":
        return f"({', '.join(parts)})"
    return {"mtable": "; ", "mtr": " "}.get(tag, "").join(parts)


_OF_TWO: dict[str, Callable[[str, str], str]] = {
    "mfrac": fraction,
    **dict.fromkeys(("msup", "mover"), power),
    **dict.fromkeys(("msub", "munder"), lambda base, below: base + lowered(below)),
    "mroot": lambda base, degree: f"{raised(degree)}√{in_brackets(base)}",
}


def _children(node: Any) -> list[Any]:
    """Return the children of a node, without white space between them."""
    return [
        child
        for child in node.iter(include_text=True)
        if child.tag != "-text" or (child.text_content or "").strip() or node.tag == "mtext"
    ]
