"""XML read piece by piece: a paragraph, a row, a slide, each a small tree that soon is gone.

Owns the parser and everything that makes hostile XML harmless; it must not know what elements
mean. The parser is lxml's: it never looks at what is outside of the file, leaves entities as they
are, and gives up on nesting or texts without end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lxml import etree

from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from indexer.extract.budget import Budget

# Of one piece, and of what stands between two: a tree takes up to thirty times its source.
_MAX_HELD_BYTES = 8 * 1024**2
_HARMLESS = {
    "resolve_entities": False, "no_network": True, "remove_comments": True, "remove_pis": True,
}  # fmt: skip


def read_pieces(
    chunks: Iterable[bytes], budget: Budget, is_open: Callable[[str], bool]
) -> Iterator[Any]:
    """Yield the elements that stand in nothing but open ones.

    Args:
        chunks: The bytes of a document.
        budget: Pays for the elements.
        is_open: Tells by its tag whether an element is too large to be a piece. What is open is
            yielded too when it ends, without its pieces.

    Raises:
        WorldError: ``unreadable`` if it is not well formed, ``too_complex`` past the budget; in
            both cases after the pieces that stood before.
    """
    parser = etree.XMLPullParser(events=("end",), **_HARMLESS)
    held = 0
    for data in chunks:
        damage = _damage(parser, parser.feed, data)
        held += len(data)
        for _, element in parser.read_events():
            budget.spend_elements(1)
            around = element.getparent()
            if around is None or (is_open(around.tag) and _stands_in(around, is_open)):
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


def read_whole(data: bytes) -> tuple[Any, WorldError | None]:
    """Return the root of a small document as far as it can be read, if at all, and its damage."""
    parser = etree.XMLParser(recover=True, **_HARMLESS)
    try:
        return etree.fromstring(data, parser), _worst(parser.error_log)
    except etree.XMLSyntaxError as error:
        return None, _unreadable(str(error))


def _stands_in(element: Any, is_open: Callable[[str], bool]) -> bool:
    return all(is_open(around.tag) for around in element.iterancestors())


def _forget(element: Any) -> None:
    """Empty an element, and take out those before it; the parser itself still needs the last."""
    element.clear(keep_tail=True)
    while element.getprevious() is not None:
        del element.getparent()[0]


def _damage(parser: Any, parse: Callable[..., object], *data: bytes) -> WorldError | None:
    try:
        parse(*data)
    except etree.XMLSyntaxError as error:
        return _unreadable(str(error))
    # Some damages are only noted, and what comes next would be taken for another document.
    return _worst(parser.feed_error_log)


def _worst(log: Any) -> WorldError | None:
    error = log.filter_from_fatals().last_error
    return None if error is None else _unreadable(str(error.message))


def _unreadable(said: str) -> WorldError:
    return WorldError("unreadable", reason="xml_damaged", said=said[:200])
