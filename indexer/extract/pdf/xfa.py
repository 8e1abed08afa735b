"""The text of XFA forms, whose pages only Adobe's programs show: the printed words and the values.

Other programs show the page "Please wait" that such a PDF also has. A form whose fields are drawn
on its pages as well is read there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from indexer.extract.office.xml import local, read_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.extract.budget import Budget

_MAX_NODES = 500_000
_REFERENCE = re.compile(r"(\d+) 0 R")
_TEXTS = ("{*}text", "{*}exData", "{*}decimal", "{*}integer", "{*}date", "{*}float")


def form_lines(document: Any, budget: Budget) -> list[str]:
    """Return the lines of the XFA form of an open PDF; none if it has none, or draws its fields.

    Raises:
        WorldError: ``too_complex`` if it exceeds a limit.
    """
    catalog = document.pdf_catalog()
    kind, value = document.xref_get_key(catalog, "AcroForm/XFA")
    if kind == "null":
        return []
    drawn = document.xref_get_key(catalog, "AcroForm/Fields")[1] not in ("null", "[]")
    if drawn and document.xref_get_key(catalog, "NeedsRendering")[1] != "true":
        return []
    numbers = [int(number) for number in _REFERENCE.findall(value)]
    data = b"".join(document.xref_stream(number) or b"" for number in numbers)
    budget.spend_bytes(len(data))
    root, _ = read_tree([data], budget, _MAX_NODES)
    return [] if root is None else list(_lines(root))


def _lines(root: Any) -> Iterator[str]:
    """Yield the printed words and the fields with their values, then the values without a field."""
    values: dict[str, list[str]] = {}
    for element in root.iterfind(".//{*}datasets/{*}data//{*}*"):
        text = _folded(element.text or "")
        if text and len(element) == 0:
            values.setdefault(local(element), []).append(text)
    for element in root.iterfind(".//{*}template//{*}*"):
        name = local(element)
        if name == "draw":
            yield from filter(None, [_said(element.find("{*}value"))])
        elif name in {"field", "exclGroup"}:
            caption = _said(element.find("{*}caption/{*}value"))
            given = values.pop(element.get("name", ""), [])
            given = given or [_said(element.find("{*}value"))]
            line = ": ".join(filter(None, (caption, "; ".join(filter(None, given)))))
            if line:
                yield line
    for name, given in values.items():
        yield f"{name}: {'; '.join(given)}"


def _said(value: Any) -> str:
    """Return the text in a value, plain or rich."""
    if value is None:
        return ""
    return _folded(" ".join("".join(each.itertext()) for each in value.iter(*_TEXTS)))


def _folded(text: str) -> str:
    return " ".join(text.split())
