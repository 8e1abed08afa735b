"""HTML: the text that a browser displays, with blocks from its elements.

``selectolax`` parses like a browser. Style sheets are not read: an element is hidden by its
attributes only.
"""

from __future__ import annotations

import base64
import html
import plistlib
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from msgspec import Struct
from selectolax.lexbor import LexborHTMLParser

from indexer.api.formats import PROPERTY_LIST
from indexer.api.types import BlockKind
from indexer.extract.base import (
    Metadata,
    PageSource,
    RawBlock,
    RawPage,
    about,
    check_size,
    damage_as_unreadable,
    joined_blocks,
)
from indexer.extract.markup.mathml import formula
from indexer.extract.numerals import FORMS, lowered, raised, written_number
from indexer.extract.plain.decode import decoded

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from indexer.config import Limits

_HIDING = '[hidden], [style*="none" i], [style*="hidden" i], dialog'
_HIDDEN = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.IGNORECASE)
# Types of fields that display their value. Others are for passwords, files, colours and choices.
_FIELDS = frozenset({
    "", "text", "search", "email", "url", "tel", "number", "date", "month", "week", "time",
    "datetime-local", "submit", "button", "reset",
})  # fmt: skip
_MAX_REPLACEMENT_CHARS = 2_000
_STYLES = {"lower-alpha": "a", "lower-latin": "a", "upper-alpha": "A", "upper-latin": "A",
           "lower-roman": "i", "upper-roman": "I"}  # fmt: skip
_STYLE = re.compile(r"list-style(?:-type)?\s*:[^;]*?(none|disc|(?:lower|upper)-\w+)", re.IGNORECASE)
_NUMBER = re.compile(r"\s*(-?\d{1,6})")


def _is_hidden(node: Any) -> bool:
    attributes = node.attributes
    if node.tag == "dialog" and "open" not in attributes:
        return True
    if "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found":
        return True
    return _HIDDEN.search(attributes.get("style") or "") is not None


def replacement_text(node: Any) -> str:
    """Return the text displayed for a picture, a field or a choice."""
    if node.tag == "img":
        shown = str(node.attributes.get("alt") or "")
    else:
        shown = _of_field(node) if node.tag == "input" else _of_choice(node)
    return " ".join(shown[:_MAX_REPLACEMENT_CHARS].split())


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


class HtmlListNumbers(Struct):
    """The numbers of one list. ``form`` is HTML's ``type``, "" for a list without numbers."""

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
        return f"{written_number(number, FORMS.get(self.form, ''))}. " if self.form else ""


def _number(node: Any, name: str, default: int) -> int:
    found = _NUMBER.match(node.attributes.get(name) or "")
    return int(found[1]) if found else default


def _written(node: Any, tag: str) -> str | None:
    """Return a formula, or a raised or lowered figure, in one line; ``None`` for other elements."""
    if tag == "math":
        return formula(node)
    if tag == "span" and (shifted := _SHIFTED.search(node.attributes.get("style") or "")):
        tag = shifted[1].lower()
    if tag not in ("sup", "sub"):
        return None
    inner = node
    for _ in range(_MAX_WRAPPERS):  # links and the like around the figure
        inner = inner.child
        if inner is None or inner.next is not None or inner.tag == "-text":
            break
    if inner is None or inner.tag != "-text" or inner.next is not None:
        return None
    text = inner.text_content or ""
    found = raised(text) if tag == "sup" else lowered(text)
    return found if found != text else None


def _framed(frame: Any) -> str:
    """Return the page inside the element of a frame, "" if it is elsewhere."""
    found = _DATA.match(frame.attributes.get("src") or "")
    if frame.attributes.get("srcdoc") or found is None:
        return frame.attributes.get("srcdoc") or ""
    data = unquote_to_bytes(found[3])
    try:
        data = base64.b64decode(data) if found[2] else data
    except ValueError:
        return ""
    return decoded(data, found[1] or "")


def _shadow_root(template: Any) -> str:
    """Return the content of a template if browsers display it, else ""."""
    if not _SHADOWS & template.attributes.keys():
        return ""
    found = _SHADOW_ROOT.match(template.html or "")
    return found[1] if found else ""


_MAX_WRAPPERS = 4
_PLACED = {"x", "y", "dy"}  # attributes of a line in a drawing
_SHIFTED = re.compile(r"vertical-align\s*:\s*(sup|sub)(?:er)?\b", re.IGNORECASE)
_DATA = re.compile(
    r"\s*data:text/html(?:;charset=([\w-]+))?(;base64)?,(.*)", re.DOTALL | re.IGNORECASE
)
_CHARSET = re.compile(
    rb"<(?:meta|\?xml)[^>]*?(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE
)
_SELF_CLOSED = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)"
    r"([a-zA-Z][\w:-]*)((?:\s[^<>]*)?)/>"
)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_SPACE = re.compile(r"[ \t\n\r\f]+")
_SPACES = re.compile(r" {2,}")
_AROUND_TABS = re.compile(r" *\t *")
_AROUND_BREAKS = re.compile(r"[ \t]*\n[ \t\n]*")
_SILENT = frozenset({
    "script", "style", "template", "datalist", "rt", "rp",
    "rtc", "annotation", "annotation-xml", "head", "-comment", "!doctype", "!--",
})  # fmt: skip
_REPLACED = frozenset({"img", "input", "select"})
_FRAMES = frozenset({"iframe", "template"})
_SHADOWS = frozenset({"shadowrootmode", "shadowroot"})  # the name in older pages
# Elements that browsers show where they cannot show these.
_FALLBACKS = ("noscript", "object", "canvas", "video", "audio")
_SHADOW_ROOT = re.compile(
    r"<template(?:\s+(?!shadowroot)[^\s=>]+(?:=\"[^\"]*\")?)*\s+shadowroot[^>]*>(.*)</template>",
    re.DOTALL | re.IGNORECASE,
)
_LISTS = frozenset({"ol", "ul", "menu"})
_MAX_PAGES = 100
_MAX_FRAMES = 5  # frames in frames, as each is parsed again
_AROUND = (BlockKind.BOILERPLATE, 0)
# The kind and level of text by the innermost of these elements, but all text in navigation is that.
_ROLES: dict[str, tuple[BlockKind, int]] = {
    **{f"h{level}": (BlockKind.HEADING, level) for level in range(1, 7)},
    **dict.fromkeys(("nav", "footer", "menu", *_FALLBACKS), _AROUND),
    **dict.fromkeys(("li", "dd"), (BlockKind.LIST_ITEM, 0)),
    "pre": (BlockKind.CODE, 0),
    "figcaption": (BlockKind.CAPTION, 0),
}
_IN_TABLES = {"td": "\t", "th": "\t", "tr": "\n", "table": "\n", "caption": "\n"}
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3",
    "h4", "h5", "h6", "header", "hgroup", "hr", "html", "legend", "li", "main", "menu", "nav",
    *_FALLBACKS, "ol", "p", "pre", "section", "summary", "table", "caption", "td", "th", "tr", "ul",
})  # fmt: skip


class HtmlSource(PageSource):
    """A parsed page."""

    def __init__(self, tree: Any) -> None:
        self._tree = tree
        self.metadata = _metadata(tree)

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        tree, self._tree = self._tree, None
        yield RawPage(1, *read_tree(tree))

    def close(self) -> None:
        self._tree = None
        super().close()


def open_source(path: Path, password: str | None, limits: Limits) -> HtmlSource:
    """Open a page (``indexer.extract.base.Opener``)."""
    check_size(path, limits.markup_bytes)
    data = path.read_bytes()
    return HtmlSource(parse_markup(_archived(data) if data.startswith(PROPERTY_LIST) else data))


def _archived(data: bytes) -> bytes:
    """Return the page of a web archive of Safari, and the pages in its frames, in UTF-8.

    Raises ``unreadable`` if it is damaged.
    """
    pages: list[str] = []
    with damage_as_unreadable("content_damaged"):
        waiting = [plistlib.loads(data)]
        for _ in range(_MAX_PAGES):  # a damaged archive may contain itself
            if not waiting:
                break
            archive = waiting.pop()
            main = archive["WebMainResource"]
            if "html" in main["WebResourceMIMEType"]:
                label = main.get("WebResourceTextEncodingName", "")
                pages.append(decoded(main["WebResourceData"], label))
            waiting += archive.get("WebSubframeArchives", [])[::-1]
    return "".join(pages).encode("utf-8-sig", "replace")


def read_tree(tree: Any, frames: int = 0) -> tuple[str, tuple[RawBlock, ...]]:
    """Return the displayed text and the blocks of a page that lies inside ``frames`` others."""
    if tree.body is None:
        return "", ()
    # The body never counts as hidden, as a script would display it.
    body = tree.body.mem_id
    hidden = frozenset(
        node.mem_id for node in tree.css(_HIDING) if node.mem_id != body and _is_hidden(node)
    )
    text, blocks = _HtmlReader(hidden, frames).read(tree.body)
    if not text and hidden:  # a script would display it
        return _HtmlReader(frozenset(), frames).read(tree.body)
    return text, blocks


def parse_markup(data: bytes, charset: str = "", *, xml: bool = False) -> Any:
    """Parse a page (a file, a chapter, the body of a mail), given its declared encoding.

    With ``xml`` it is XHTML, where any element may be self-closing. An HTML parser would take
    ``<title/>`` for a start tag.
    """
    declared = None if charset else _CHARSET.search(data[:4096])
    text = decoded(data, charset if declared is None else declared[1].decode("ascii"))
    if xml or text.startswith("<?xml"):
        text = _CDATA.sub(lambda found: html.escape(found[1], quote=False), text)
        text = _SELF_CLOSED.sub(r"<\1\2></\1>", text)
    return LexborHTMLParser(text)


def _metadata(tree: Any) -> Metadata:
    def meta(*names: str) -> str:
        found = (tree.css_first(f"meta[{name} i]") for name in names)
        values = (node.attributes.get("content") for node in found if node is not None)
        return " ".join((next(values, "") or "").split())

    title = tree.css_first("title")
    created = re.match(
        r"\d{4}-\d{2}-\d{2}", meta("property='article:published_time'", "name='date'")
    )
    wrote = about(
        keywords=meta("name='keywords'"),
        description=meta("name='description'", "property='og:description'"),
    )
    return Metadata(
        " ".join(title.text().split())[:500] if title is not None else "",
        meta("name='author'")[:500],
        created[0] if created else "",
        about=wrote,
    )


class _HtmlReader:
    """Walks the tree and collects text and blocks.

    Elements may be nested tens of thousands deep, so it does not recurse, and stacks only the
    elements in ``_ROLES``.
    """

    def __init__(self, hidden: frozenset[int], frames: int) -> None:
        self._hidden = hidden
        self._frames = frames
        self._found: list[tuple[str, BlockKind, int]] = []
        self._pending: list[str] = []
        self._roles = [(BlockKind.PARAGRAPH, 0)]
        self._tables = 0
        self._verbatim = 0
        self._lists: list[HtmlListNumbers] = []
        self._mark = ""  # the number of the current list item, until its text comes
        self._drawings = 0
        self._drawn = 0  # texts in drawings

    def read(self, root: Any) -> tuple[str, tuple[RawBlock, ...]]:
        """Return the text and the blocks of an element."""
        node, entering = root, True
        while node is not None:
            tag = node.tag or ""
            if not entering:
                self._leave(tag)
            elif self._begin(node, tag):
                if node.child is not None:
                    node = node.child
                    continue
                self._leave(tag)
            if node.mem_id == root.mem_id:
                break
            if node.next is not None:
                node, entering = node.next, True
            else:
                node, entering = node.parent, False
        self._flush()
        return joined_blocks(self._found)

    def _begin(self, node: Any, tag: str) -> bool:
        """Enter an element or read it whole, and return whether it was entered."""
        if tag == "-text":
            self._text(node.text_content or "")
        elif tag in _REPLACED or tag in _FRAMES:
            self._replace(node, tag)
        elif tag not in _SILENT and node.mem_id not in self._hidden:
            written = _written(node, tag)
            if written is None:
                self._enter(node, tag)
                return True
            self._text(written)
        return False

    def _enter(self, node: Any, tag: str) -> None:
        if tag == "br":
            self._pending.append("\n")
        elif self._tables:
            self._pending.append(_IN_TABLES.get(tag, " " if tag in _BLOCKS else ""))
        elif tag in _BLOCKS:
            self._flush()
        if tag == "tspan" and not _PLACED.isdisjoint(node.attributes):
            self._pending.append(" ")
        if tag in _LISTS:
            self._lists.append(HtmlListNumbers.from_list(node))
        elif tag == "li" and self._lists:
            self._number(self._lists[-1].mark(node))
        self._count(tag, 1)
        if tag in _ROLES:
            around = self._roles[-1] == _AROUND
            self._roles.append(_AROUND if around else _ROLES[tag])

    def _leave(self, tag: str) -> None:
        outermost = self._tables == 1 and tag == "table"
        if tag in _BLOCKS and (self._tables == 0 or outermost):
            self._flush()
        if tag in _LISTS and self._lists:
            self._lists.pop()
        elif tag == "li":
            self._mark = ""
        self._count(tag, -1)
        if tag in _ROLES:
            self._roles.pop()

    def _count(self, tag: str, step: int) -> None:
        """Count the open elements that change how text is read."""
        if tag == "table":
            self._tables += step
        elif tag == "pre":
            self._verbatim += step
        elif tag == "svg":
            self._drawings += step
        elif tag in ("text", "foreignobject", "foreignObject") and self._drawings:
            self._drawn += step
            self._pending.append(" " if step > 0 else "")

    def _number(self, mark: str) -> None:
        if self._tables:
            self._pending.append(mark)
        else:
            self._mark += mark

    def _replace(self, node: Any, tag: str) -> None:
        """Read the replacement text of an element, or the page in a frame."""
        if node.mem_id in self._hidden:
            return
        if tag not in _FRAMES:
            self._text(f" {replacement_text(node)} ")
            return
        if self._frames >= _MAX_FRAMES:
            return
        inside = _framed(node) if tag == "iframe" else _shadow_root(node)
        if not inside:
            return
        text, blocks = read_tree(LexborHTMLParser(inside), self._frames + 1)
        if self._tables:
            self._text(text)
            return
        self._flush()
        self._found += (
            (text[block.start : block.end], block.kind, block.level) for block in blocks
        )

    def _text(self, text: str) -> None:
        if self._drawings and not self._drawn:
            return
        self._pending.append(text if self._verbatim else _SPACE.sub(" ", text))

    def _flush(self) -> None:
        """End the current block."""
        if not self._pending:
            return
        text = "".join(self._pending)
        self._pending = []
        if self._verbatim and not self._tables:
            text = text.strip("\n")
        else:
            text = _AROUND_BREAKS.sub("\n", _AROUND_TABS.sub("\t", _SPACES.sub(" ", text)))
            text = text.strip("\n \t")
        if not text:
            return
        text, self._mark = self._mark + text, ""
        kind, level = self._roles[-1]
        if self._tables and kind is not BlockKind.BOILERPLATE:
            kind = BlockKind.TABLE
        self._found.append((text, kind, level))
