"""XML as a stream of events: elements that begin, elements that end, text between them.

Owns the parser and everything that makes hostile XML harmless; it must not know what elements
mean. No tree is built, so that a document of any size needs the same memory, and what stood before
a damage was already handed over. The parser is expat, of the standard library: libraries that read
office files build trees several times the size of their source, and lose notes, text boxes and
tracked changes, which matter when one searches. Declared entities are refused (none of these
formats has any), external ones are never looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol
from xml.parsers import expat

from indexer.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from indexer.extract.budget import Budget

MAX_DEPTH = 2_000  # of elements in elements; real documents stay below a hundred
_MAX_NAMES = 100_000


class Handler(Protocol):
    """What takes the events."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None: ...

    def end(self, name: str) -> None: ...

    def text(self, data: str) -> None: ...


def local(name: str) -> str:
    """Name elements and attributes without their namespace."""
    return name.rpartition(" ")[2]


def feed(
    chunks: Iterable[bytes],
    handler: Handler,
    budget: Budget,
    naming: Callable[[str], str] = local,
) -> Iterator[None]:
    """Parse a document, pausing after each chunk so that what was read can be handed on.

    Args:
        chunks: Its bytes.
        handler: Gets the events.
        budget: Pays for the elements.
        naming: Makes the names that the handler gets of ``"namespace name"``.

    Raises:
        WorldError: ``unreadable`` if it is not well formed, ``too_complex`` past the budget.
    """
    parser = _parser(handler, budget, naming)
    try:
        for data in chunks:
            parser.Parse(data, False)  # noqa: FBT003  # the library's own call
            yield
        parser.Parse(b"", True)  # noqa: FBT003
    except expat.ExpatError as error:
        raise WorldError("unreadable", reason="xml_damaged", said=str(error)) from error
    except (UnicodeError, LookupError) as error:
        raise WorldError("unreadable", reason="xml_encoding") from error
    yield


def parse(
    chunks: Iterable[bytes],
    handler: Handler,
    budget: Budget,
    naming: Callable[[str], str] = local,
) -> None:
    """Parse a document to its end; see ``feed``."""
    for _ in feed(chunks, handler, budget, naming):
        pass


def _parser(handler: Handler, budget: Budget, naming: Callable[[str], str]) -> expat.XMLParserType:
    names: dict[str, str] = {}
    depth = 0

    def named(name: str) -> str:
        if len(names) > _MAX_NAMES:
            names.clear()
        short = names[name] = naming(name)
        return short

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        budget.spend_elements(1)
        if depth > MAX_DEPTH:
            raise WorldError("too_complex", limit=f"{MAX_DEPTH:,} elements inside each other")
        if attributes:
            attributes = {names.get(key) or named(key): attributes[key] for key in attributes}
        handler.start(names.get(name) or named(name), attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        handler.end(names.get(name) or named(name))

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = handler.text
    parser.EntityDeclHandler = _refuse
    return parser


def _refuse(*_: object) -> None:
    raise WorldError("unreadable", reason="xml_entities")
