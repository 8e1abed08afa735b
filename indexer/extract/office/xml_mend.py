"""XML made fit for libraries that hold it as a tree: well formed, without what they stumble over.

Owns everything that makes hostile and damaged XML harmless before a library sees it; it must not
know what elements mean. What is well formed passes as it stands, in pieces. At a damage, or past
what may be held, it ends: what stood before is kept and its elements are closed. A declared
document type is refused, because no office program writes one and entities need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.parsers import expat

from indexer.api.errors import WorldError
from indexer.extract.page_writer import SALVAGEABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MAX_DEPTH = 250  # of elements in elements; the libraries' parser takes 256
_MAX_HELD_BYTES = 8 * 1024**2  # between two tags; the libraries' parser takes 10 MB


class Mender:
    """Lets one part of XML through.

    Args:
        spend: Pays for each element; raises ``WorldError`` past its limit, as the next does.
        hold: Pays for the elements and attributes that pass.
        keep: The names of the root's children that pass, all of them if none are given.
        drop: The names of elements that pass nowhere.

    Attributes:
        damage: Why the end is missing, if it is.
    """

    def __init__(
        self,
        spend: Callable[[int], None],
        hold: Callable[[int], None],
        keep: frozenset[str] = frozenset(),
        drop: frozenset[str] = frozenset(),
    ) -> None:
        self.damage: WorldError | None = None
        self._spend = spend
        self._hold = hold
        self._keep = keep
        self._drop = drop
        self._locals: dict[str, str] = {}
        self._depth = 0
        self._open: _Open | None = None  # the elements around the place that is read
        self._safe: tuple[int, _Open | None] = (0, None)  # the last place to end at, and its own
        self._passing_from = 0
        self._dropped_at = 0  # the depth of the element that does not pass, 0 if none is open
        self._resume = False  # whether the next tag passes again
        self._pieces: list[tuple[int, int]] = []  # places in the part
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.namespace_prefixes = True
        self._parser.ordered_attributes = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = _refuse

    @property
    def is_begun(self) -> bool:
        """Whether there is a root with something in it."""
        return self._safe[1] is not None

    def through(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield what passes, piece by piece."""
        held = bytearray()
        base = 0  # the place of what is held
        try:
            for data in chunks:
                held += data
                self._parser.Parse(data, False)  # noqa: FBT003  # the library's own call
                end = self._safe[0]
                yield from self._passed(held, base, end)
                del held[: end - base]
                base = end
                if len(held) > _MAX_HELD_BYTES:
                    raise WorldError("too_complex", limit=f"{_MAX_HELD_BYTES:,} bytes of one text")
            self._parser.Parse(b"", True)  # noqa: FBT003
            yield from self._passed(held, base, base + len(held))
        except WorldError as error:
            if error.code not in SALVAGEABLE:
                raise
            self.damage = error
        except expat.ExpatError as error:
            self.damage = WorldError("unreadable", reason="xml_damaged", said=str(error))
        except (UnicodeError, LookupError):
            self.damage = WorldError("unreadable", reason="xml_encoding")
        if self.damage is None:
            return
        yield from self._passed(held, base, self._safe[0])
        around = self._safe[1]
        while around is not None:
            yield f"</{around.name}>".encode()
            around = around.around

    def _passed(self, held: bytearray, base: int, end: int) -> Iterator[bytes]:
        """Yield what passes of what is held up to a place."""
        pieces, self._pieces = self._pieces, []
        if not self._dropped_at and not self._resume and self._passing_from < end:
            pieces.append((self._passing_from, end))
            self._passing_from = end
        for first, last in pieces:
            yield bytes(held[first - base : last - base])

    def _start(self, name: str, attributes: list[str]) -> None:
        self._depth += 1
        place = self._parser.CurrentByteIndex
        self._pass_again(place)
        self._safe = (place, self._safe[1] if self._dropped_at else self._open)
        if self._depth > MAX_DEPTH:
            raise WorldError("too_complex", limit=f"{MAX_DEPTH} elements inside each other")
        self._spend(1)
        self._open = _Open(name, self._open)
        if self._dropped_at:
            return
        if name not in self._locals:
            self._locals[name] = name.split(" ")[1 if " " in name else 0]
        local = self._locals[name]
        if local in self._drop or (self._depth == 2 and self._keep and local not in self._keep):
            self._dropped_at = self._depth
            self._pieces.append((self._passing_from, place))
        else:
            self._hold(1 + len(attributes) // 2)

    def _end(self, _name: str) -> None:
        if self._resume:
            self._pass_again(self._parser.CurrentByteIndex)
        if self._depth == self._dropped_at:
            self._dropped_at, self._resume = 0, True
        self._depth -= 1
        if self._open is not None:
            self._open = self._open.around

    def _pass_again(self, place: int) -> None:
        if self._resume:
            self._resume, self._passing_from = False, place


class _Open:
    """An open element: its name as it is written, and the one around it."""

    __slots__ = ("_name", "around")

    def __init__(self, name: str, around: _Open | None) -> None:
        self._name = name
        self.around = around

    @property
    def name(self) -> str:
        parts = self._name.split(" ")  # namespace, name, prefix: as many as there are
        return f"{parts[2]}:{parts[1]}" if len(parts) == 3 else parts[-1]


def _refuse(*_: object) -> None:
    raise WorldError("unreadable", reason="xml_entities")
