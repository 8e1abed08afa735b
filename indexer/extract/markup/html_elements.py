"""Hidden elements, replacement texts and list numbers of HTML pages.

Style sheets are not read: an element is hidden by its attributes only. Elements are those of
``selectolax``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from indexer.extract.numerals import written_number

_HIDING = '[hidden], [style*="none" i], [style*="hidden" i], dialog'
_HIDDEN = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.IGNORECASE)
# Types of fields that display their value; others are for passwords, files, colours and choices.
_FIELDS = frozenset({
    "", "text", "search", "email", "url", "tel", "number", "date", "month", "week", "time",
    "datetime-local", "submit", "button", "reset",
})  # fmt: skip
_MAX_CHARS = 2_000
_FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_STYLES = {"lower-alpha": "a", "lower-latin": "a", "upper-alpha": "A", "upper-latin": "A",
           "lower-roman": "i", "upper-roman": "I"}  # fmt: skip
_STYLE = re.compile(r"list-style(?:-type)?\s*:[^;]*?(none|disc|(?:lower|upper)-\w+)", re.IGNORECASE)
_NUMBER = re.compile(r"\s*(-?\d{1,6})")


def hidden_elements(tree: Any) -> frozenset[int]:
    """Return the ids of hidden elements; the body is none, as a script would display it."""
    body = tree.body
    return frozenset(
        node.mem_id for node in tree.css(_HIDING) if node.mem_id != body.mem_id and _is_hidden(node)
    )


def _is_hidden(node: Any) -> bool:
    attributes = node.attributes
    if node.tag == "dialog" and "open" not in attributes:
        return True
    if "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found":
        return True
    return _HIDDEN.search(attributes.get("style") or "") is not None


def replacement_text(node: Any) -> str:
    """Return the text displayed for a picture, a field or a choice."""
    shown = {"img": _of_picture, "input": _of_field, "select": _of_choice}[node.tag](node)
    return " ".join(shown[:_MAX_CHARS].split())


def _of_picture(node: Any) -> str:
    return str(node.attributes.get("alt") or "")


def _of_field(node: Any) -> str:
    attributes = node.attributes
    if (attributes.get("type") or "").strip().lower() not in _FIELDS:
        return ""
    return str(attributes.get("value") or attributes.get("placeholder") or "")


def _of_choice(node: Any) -> str:
    options = node.css("option")
    if "multiple" not in node.attributes:
        chosen = [option for option in options if "selected" in option.attributes]
        options = (chosen or options)[:1]
    return ", ".join(option.attributes.get("label") or option.text() for option in options)


@dataclass(slots=True)
class HtmlListNumbers:
    """The numbers of one list; ``form`` is HTML's ``type``, "" for a list without numbers."""

    form: str = ""
    next: int = 1

    @classmethod
    def from_list(cls, node: Any) -> HtmlListNumbers:
        """Return the numbering of a list."""
        if node.tag != "ol" or "reversed" in node.attributes:
            return cls()
        styled = _STYLE.search(node.attributes.get("style") or "")
        if styled is None:
            return cls(node.attributes.get("type") or "1", _number(node, "start", 1))
        return cls(_STYLES.get(styled[1].lower(), ""), _number(node, "start", 1))

    def mark(self, item: Any) -> str:
        """Count a list item, and return its number with a full stop, or ""."""
        number = _number(item, "value", self.next)
        self.next = number + 1
        return f"{written_number(number, _FORMS.get(self.form, ''))}. " if self.form else ""


def _number(node: Any, name: str, default: int) -> int:
    found = _NUMBER.match(node.attributes.get(name) or "")
    return int(found[1]) if found else default
