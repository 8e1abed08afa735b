"""Chooses between two bodies of a mail, and reads those that are neither plain text nor HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence

from indexer.extract.mail.message import Html
from indexer.extract.markup.html import parse_markup, read_tree
from indexer.text.sentences import UNSPACED

# In a script without spaces each sign counts as a word.
_WORD = re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])[^\W_]){{2,}}")
_ADDRESS = re.compile(r"\w+://\S+")
_CHOICE_CHARS = 200_000
# A body with this share of another's words says the same.
_COVERED = 0.7
_STUB_WORDS = 40


def better(chosen: list[str | Html], form: list[str | Html]) -> list[str | Html]:
    """Return the better of two forms of a mail, or both if each has much that the other lacks.

    The form that has the words of the other is better, and if both have, the plain text.
    """
    first, second = _words(chosen), _words(form)
    if not first or not second:
        return chosen if first else form
    has_second, has_first = _share(second, first), _share(first, second)
    if has_second >= _COVERED:
        alike = has_first >= _COVERED and not _is_plain(chosen) and _is_plain(form)
        return form if alike else chosen
    if has_first >= _COVERED:
        return form
    if len(first) <= _STUB_WORDS:  # or hardly any words in common
        return form if len(second) > len(first) else chosen
    return chosen + form


def _share(words: frozenset[str], others: frozenset[str]) -> float:
    return len(words & others) / len(words)


def _words(bodies: Sequence[str | Html]) -> frozenset[str]:
    """Return the words at the beginning of a body, without addresses of pages."""
    text = " ".join(_shown(body) for body in bodies)[:_CHOICE_CHARS]
    return frozenset(word.casefold() for word in _WORD.findall(_ADDRESS.sub(" ", text)))


def _shown(body: str | Html) -> str:
    if isinstance(body, Html):
        return read_tree(parse_markup(body.data[:_CHOICE_CHARS], body.charset))[0]
    return body


def _is_plain(bodies: Sequence[str | Html]) -> bool:
    return any(isinstance(body, str) and body.strip() for body in bodies)


_SOFT = re.compile(r"(>*)( ?)(.*)", re.DOTALL)


def unflowed(text: str, *, delete: bool) -> str:
    """Join lines that end with a space to the next (RFC 3676), without the space if ``delete``."""
    lines: list[str] = []
    depth, open_line = "", False
    for line in text.replace("\r\n", "\n").split("\n"):
        found = _SOFT.fullmatch(line)
        quotes, content = (found[1], found[3]) if found else ("", line)
        signature = content == "-- "
        if open_line and quotes == depth and not signature:
            lines[-1] += content
        else:
            lines.append(f"{quotes} {content}" if quotes else content)
        open_line = content.endswith(" ") and not signature
        if open_line and delete:
            lines[-1] = lines[-1][:-1]
        depth = quotes
    return "\n".join(lines)


_COMMAND = re.compile(r"<(<)|<(/?)([a-z0-9-]{1,60})>", re.IGNORECASE)
_PARAMETER = re.compile(r"<param>.*?</param>", re.IGNORECASE | re.DOTALL)


def enriched_text(text: str) -> str:
    """Return the words of a text in text/enriched (RFC 1896) or its older form."""
    text = _PARAMETER.sub("", text.replace("\r\n", "\n"))
    text = _COMMAND.sub(lambda found: found[1] or ("\n" if found[3].lower() == "nl" else ""), text)
    # A single line end is a space; the first of several is dropped.
    return re.sub(r"\n+", lambda found: found[0][1:] or " ", text)
