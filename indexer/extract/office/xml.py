"""Reads XML of office files and books, in pieces (a paragraph, a row) or a small part whole.

lxml is set to read no other files and resolve no entities, and fails at 256 nested levels or texts
of 10 MB.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lxml import etree

from indexer.api.errors import WorldError
from indexer.extract.base import Metadata
from indexer.extract.numerals import lowered, raised
from indexer.extract.page_writer import SALVAGEABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from indexer.extract.document import Budget

# The limit of one piece, and of the data between two: a tree takes up to 30 times its source.
_MAX_HELD_BYTES = 8 * 1024**2
_MAX_TREE_BYTES = 64 * 1024**2
_HARMLESS = {
    "resolve_entities": False, "no_network": True, "remove_comments": True, "remove_pis": True,
}  # fmt: skip
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
# "Page 3 of 12" in any language: one or two numbers, each after a short word or none.
PAGE_NUMBER = re.compile(
    r"\W{0,3}(?:[^\W\d]{1,8}\W{0,3})?\d+\W{0,3}(?:[^\W\d]{1,5}\W{0,3}\d+\W{0,3})?$"
)
_MAX_DESCRIPTION_CHARS = 2_000
_RAISED_STYLE = re.compile(
    "superscript|hochgestellt|exposant|notereference|notenzeichen|appelnote", re.IGNORECASE
)
_FIRST_DATE = "1980-01-01"  # the default of programs without a clock


def local(element: Any) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def one_line(element: Any) -> str:
    """Return the text of an element and all below it, with single spaces."""
    return " ".join("".join(element.itertext()).split())


def read_pieces(
    chunks: Iterable[bytes],
    budget: Budget,
    containers: Collection[str],
    name_of: Callable[[Any], str] = local,
) -> Iterator[Any]:
    """Yield the elements whose ancestors are all containers, which are too large to be pieces.

    A container is yielded at its end, without its pieces; ``containers`` has the names that
    ``name_of`` gives them. ``budget`` is charged for the elements.

    Raises:
        WorldError: ``unreadable`` if it is not well-formed, ``too_complex`` if it exceeds a limit;
            both after the pieces before that.
    """
    parser = etree.XMLPullParser(events=("end",), **_HARMLESS)
    held = 0
    for data in chunks:
        damage = _damage(parser, parser.feed, data)
        held += len(data)
        for _, element in parser.read_events():
            budget.spend_elements(1)
            if all(name_of(each) in containers for each in element.iterancestors()):
                yield element
                _forget(element)
                held = 0
        if damage is not None:
            raise damage
        if held > _MAX_HELD_BYTES:
            raise WorldError("too_complex", limit=f"{_MAX_HELD_BYTES:,} bytes of one element")
    damage = _damage(parser, parser.close)
    if damage is not None:
        raise damage


def read_tree(
    chunks: Iterable[bytes], budget: Budget, max_nodes: int
) -> tuple[Any, WorldError | None]:
    """Return the root of a part, read up to its first damage or limit, and the error if any.

    ``max_nodes`` limits elements and attributes; ``budget`` is charged for the elements.
    """
    parser = etree.XMLPullParser(events=("start",), **_HARMLESS)
    root, nodes, size = None, 0, 0
    try:
        for data in chunks:
            size += len(data)
            damage = _damage(parser, parser.feed, data)
            for _, element in parser.read_events():
                root = element if root is None else root
                nodes += 1 + len(element.attrib)
                budget.spend_elements(1)
            if damage is not None:
                return root, damage
            if nodes > max_nodes or size > _MAX_TREE_BYTES:
                raise WorldError("too_complex", limit=f"{max_nodes:,} elements at once")
        return root, _damage(parser, parser.close)
    except WorldError as error:
        if error.code not in SALVAGEABLE:
            raise
        return root, error


def read_whole(data: bytes) -> tuple[Any, WorldError | None]:
    """Return the root of a small document, with damages repaired by lxml, and the worst error."""
    parser = etree.XMLParser(recover=True, **_HARMLESS)
    try:
        return etree.fromstring(data, parser), _worst(parser.error_log)
    except etree.XMLSyntaxError as error:
        return None, _unreadable(str(error))


def attribute(element: Any, name: str = "val") -> str:
    """Return an attribute of any namespace, "" if missing."""
    # ``items()`` takes quadratic time.
    key = next((key for key in element.keys() if key.rpartition("}")[2] == name), None)  # noqa: SIM118  # an element is its children
    return "" if key is None else str(element.get(key))


def paragraphs(root: Any) -> list[str]:
    """Return the paragraphs of a part without structure, such as a diagram or a comment."""
    found = [""]
    for element in () if root is None else root.iter("{*}p", "{*}t", "{*}text", "{*}cNvPr"):
        name = local(element)
        if name != "t":
            found.append("")
        if name == "cNvPr":
            found += (description(element), "")
        elif name != "p":
            found[-1] += element.text or ""
    return [text for text in (" ".join(text.split()) for text in found) if text]


_FILE_NAME = re.compile(r"\S*(?:[/\\]|\.\w{2,5}$)\S*")


def description(drawn: Any) -> str:
    """Return what a picture is said to show, by the properties of its drawing."""
    text = " ".join((attribute(drawn, "descr") or attribute(drawn, "title")).split())
    return "" if _FILE_NAME.fullmatch(text) else text[:_MAX_DESCRIPTION_CHARS]


def text_position(run: Any) -> Callable[[str], str]:
    """Return how the figures of a run are written: on the line, above or below it."""
    properties = run.find("{*}rPr") if local(run) == "r" else None
    for each in () if properties is None else properties:
        name = local(each)
        if name == "vertAlign":
            return {"superscript": raised, "subscript": lowered}.get(attribute(each), str)
        if name == "rStyle" and _RAISED_STYLE.search(attribute(each)):
            return raised
        if name == "position" and whole_number(attribute(each).lstrip("-")) > 3:
            return lowered if attribute(each).startswith("-") else raised
    return str


def plausible_date(text: str) -> str:
    """Return the date of a time in ISO format, "" for a default of a clock that was never set."""
    date = _DATE.match(text.strip())
    return date[0] if date and date[0] > _FIRST_DATE else ""


def whole_number(text: str, otherwise: int = -1) -> int:
    """Parse a small whole number; return ``otherwise`` for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else otherwise


def metadata(root: Any) -> Metadata:
    """Return the metadata in the root of the core properties, which may be ``None``."""
    values = dict.fromkeys(("title", "creator", "created"), "")
    for element in () if root is None else root.iter("{*}*"):
        if local(element) in values:
            values[local(element)] = " ".join((element.text or "").split())[:500]
    return Metadata(values["title"], values["creator"], plausible_date(values["created"]))


def _forget(element: Any) -> None:
    """Clear an element and remove those before it; the parser still needs the last one."""
    element.clear(keep_tail=True)
    while element.getprevious() is not None:
        del element.getparent()[0]


def _damage(parser: Any, parse: Callable[..., object], *data: bytes) -> WorldError | None:
    try:
        parse(*data)
    except etree.XMLSyntaxError as error:
        return _unreadable(str(error))
    # Some errors are only logged, and the rest would be parsed as another document.
    return _worst(parser.feed_error_log)


def _worst(log: Any) -> WorldError | None:
    error = log.filter_from_fatals().last_error
    return None if error is None else _unreadable(str(error.message))


def _unreadable(said: str) -> WorldError:
    return WorldError("unreadable", reason="xml_damaged", said=said[:200])
