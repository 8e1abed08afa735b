"""Elements of office files as the libraries hold them: names, attributes, plain text, metadata.

Owns what is the same in Word, PowerPoint and Excel files. Names are compared without their
namespaces.
"""

from __future__ import annotations

import re
from typing import Any

from indexer.extract.base import Metadata

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_FIRST_DATE = "1980-01-01"  # what programs write that know of no time; office files are younger


def local(element: Any) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def attribute(element: Any, name: str = "val") -> str:
    """Return an attribute, whatever its namespace, "" if it is not there."""
    for key, value in element.items():
        if key.rpartition("}")[2] == name:
            return str(value)
    return ""


def paragraphs(root: Any) -> list[str]:
    """Return the paragraphs of a part of which only the text matters: a diagram, a comment."""
    found = [""]
    for element in root.iter("{*}p", "{*}t", "{*}text"):
        name = local(element)
        if name != "t":
            found.append("")
        if name != "p":
            found[-1] += element.text or ""
    return [text for text in (" ".join(text.split()) for text in found) if text]


def plausible_date(text: str) -> str:
    """Return the date that a time begins with, "" for the zeros of clocks that were never set."""
    date = _DATE.match(text.strip())
    return date[0] if date and date[0] > _FIRST_DATE else ""


def metadata(root: Any) -> Metadata:
    """Return what a file says about itself, given the root of its properties, if it has any."""
    values = dict.fromkeys(("title", "creator", "created"), "")
    for element in () if root is None else root.iter("{*}*"):
        if local(element) in values:
            values[local(element)] = " ".join((element.text or "").split())[:500]
    return Metadata(values["title"], values["creator"], plausible_date(values["created"]))
