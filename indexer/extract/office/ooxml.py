"""Word, PowerPoint and Excel files made fit for the libraries that read them.

Owns the copy of a file that a library gets in its place: only the parts that hold text, each paid
for by the budget and mended (``xml_mend``), with relations that lead somewhere. The libraries take
a file whole or not at all, with its pictures, films and macros; 300 MB of pictures, a relation to a
part that is missing, one damaged slide, or the content type of a template would each cost the
whole document. The copy has none of them, in the one edition of the standard that they know.
"""

from __future__ import annotations

import posixpath
import re
import tempfile
import warnings
import zipfile
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

from lxml import etree

from indexer.api.errors import LecternError, WorldError
from indexer.extract.base import Metadata
from indexer.extract.office.ooxml_parts import metadata
from indexer.extract.office.package import Package, resolve
from indexer.extract.office.xml_mend import Mender

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from indexer.config import Limits

MAIN = "officeDocument"  # the kind of the part that a document begins with
_PROPERTIES = "core-properties"
_IN_MEMORY_BYTES = 8 * 1024**2
_MAX_RELATIONS = 200_000
_RELATION_TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
# The strict edition of the standard has other namespaces for the same elements.
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_TRANSITIONAL = rb"http://schemas.openxmlformats.org/\1/2006/\2"
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)


@dataclass(frozen=True, slots=True)
class Kind:
    """What a library has to know of a kind of parts.

    Attributes:
        content: Its content type, without what all of them have in common.
        place: The one name under which the library looks for it, if it does.
        alias: The kind that it passes for, "" for its own.
        streamed: Whether it is read element by element and not held as a tree.
        keep: The names of its root's children that matter, if not all do.
        drop: The names of elements that must not be there.
        changes: What to write in place of what; tags are never torn for it.
    """

    content: str = "unknown"
    place: str = ""
    alias: str = ""
    streamed: bool = False
    keep: frozenset[str] = frozenset()
    drop: frozenset[str] = frozenset()
    changes: tuple[tuple[re.Pattern[bytes], bytes], ...] = ()

    def changed(self, data: bytes) -> bytes:
        for pattern, other in self.changes:
            data = pattern.sub(other, data)
        return data


class OfficeFile:
    """A copy of an office file with nothing but the parts that matter.

    Args:
        path: The file.
        limits: What the document may cost.
        kinds: The kinds of parts that matter, by the last word of their relations' type.
        usual: The name of the part that the document begins with, if nothing says another.
        absent: What a file without it is told to lack, as a code of ``indexer.api.phrases``.

    Attributes:
        file: The copy.
        main: The part that the document begins with; parts go by their names in the copy.
        metadata: What the file says about itself.
        damage: Why the ends of parts are missing.

    Raises:
        WorldError: ``unreadable`` if it has no such part, and all that ``Package`` raises.
    """

    def __init__(
        self, path: Path, limits: Limits, kinds: Mapping[str, Kind], usual: str, absent: str
    ) -> None:
        self.damage: dict[str, WorldError] = {}
        self.metadata = Metadata()
        self._limits = limits
        self._kinds = kinds
        self._absent = absent
        self._tree_nodes = 0
        self._names: dict[str, str] = {}  # of parts in the copy, "" for those that are not in it
        self._types: dict[str, str] = {}
        self._related: dict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
        self.file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES)  # noqa: SIM115
        try:
            with Package(path, limits) as self._package:
                self.budget = self._package.budget
                with zipfile.ZipFile(self.file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as copy:
                    self._copy_all(copy, usual)
            self._zip = zipfile.ZipFile(self.file)
        except BaseException:
            self.file.close()
            raise

    @property
    def main(self) -> str:
        return self.related("", MAIN)[0]

    def related(self, part: str, *kinds: str) -> list[str]:
        """Return the parts of some kinds that a part refers to."""
        return [name for kind, name in self._related[part].values() if name and kind in kinds]

    def part(self, referrer: str, identifier: str) -> str:
        """Return the part that an identifier stands for, or ""."""
        return self._related[referrer].get(identifier, ("", ""))[1]

    def tree(self, part: str) -> Any:
        """Return the root of a part."""
        with library_failures():
            return etree.fromstring(self._zip.read(part), _PARSER)

    def close(self) -> None:
        self._zip.close()
        self.file.close()

    def _copy_all(self, copy: zipfile.ZipFile, usual: str) -> None:
        """Copy what the file refers to, what that refers to, and so on."""
        waiting = [""]  # by the names in the file; "" is the file as a whole
        while waiting:
            part = waiting.pop()
            name = self._names.get(part, "")
            relations = self._relations(part) if part else self._beginning(usual)
            for identifier, kind, target in relations:
                if target not in self._names:
                    self._names[target] = self._copy(copy, kind, target)
                    if self._names[target]:
                        waiting.append(target)
                self._related[name][identifier] = (kind, self._names[target])
            rows = [
                (identifier, self._kinds[kind].alias or kind, found)
                for identifier, (kind, found) in self._related[name].items()
            ]
            copy.writestr(_relations_name(name), _relations_xml(rows))
        copy.writestr("[Content_Types].xml", _types_xml(self._types))

    def _beginning(self, usual: str) -> list[tuple[str, str, str]]:
        """Read the metadata, and return the relation to the part that the document begins with."""
        found = [("begin", MAIN, usual)]
        for identifier, kind, target in self._relations(""):
            if kind == _PROPERTIES:
                self.metadata = metadata(self._parsed(target))
            elif kind == MAIN and target in self._package:
                found[0] = (identifier, kind, target)
        if found[0][2] not in self._package:
            raise WorldError("unreadable", reason=self._absent)
        return found

    def _relations(self, part: str) -> Iterator[tuple[str, str, str]]:
        """Yield what a part refers to inside the file: identifier, kind, name in the file."""
        tree = self._parsed(_relations_name(part))
        elements = () if tree is None else tree.iter("{*}Relationship")
        for element in islice(elements, _MAX_RELATIONS):
            kind = element.get("Type", "").rpartition("/")[2]
            known = kind in self._kinds or (kind == _PROPERTIES and not part)
            if known and element.get("TargetMode") != "External":
                yield element.get("Id", ""), kind, resolve(part, element.get("Target", ""))

    def _parsed(self, target: str) -> Any:
        """Return the root of a small part of the file, ``None`` if it is missing or lost."""
        if target not in self._package:
            return None
        data = b"".join(self._mender(Kind()).through(self._chunks(target)))
        try:
            return etree.fromstring(data, _PARSER)
        except (etree.XMLSyntaxError, ValueError):
            return None

    def _copy(self, copy: zipfile.ZipFile, kind: str, target: str) -> str:
        """Copy a part and return its new name; one that is missing or lost has none.

        Raises:
            WorldError: If the document begins with the part and nothing of it is left.
        """
        known = self._kinds[kind]
        name = known.place or f"part{len(self._names)}.xml"
        if target not in self._package or name in self._types:
            return ""
        mender = self._mender(known)
        pieces = mender.through(self._chunks(target))
        begun = b""
        while not mender.is_begun and (data := next(pieces, b"")):
            begun += data
        if mender.damage is not None and not mender.is_begun:
            if kind == MAIN:
                raise mender.damage
            return ""
        with copy.open(name, "w", force_zip64=True) as part:
            for data in chain((begun,), pieces):
                part.write(known.changed(data))
        if mender.damage is not None:
            self.damage[name] = mender.damage
        self._types[name] = known.content
        return name

    def _chunks(self, target: str) -> Iterator[bytes]:
        chunks = self._package.chunks(target)
        # Namespaces are declared where a part begins.
        first = _STRICT.sub(_TRANSITIONAL, next(chunks, b""))
        return chain((first,), chunks)

    def _mender(self, kind: Kind) -> Mender:
        hold = _free if kind.streamed else self._hold
        return Mender(self.budget.spend_elements, hold, kind.keep, kind.drop)

    def _hold(self, count: int) -> None:
        self._tree_nodes += count
        if self._tree_nodes > self._limits.tree_nodes:
            raise WorldError("too_complex", limit=f"{self._limits.tree_nodes:,} elements at once")


@contextmanager
def library_failures() -> Iterator[None]:
    """Turn whatever a library raises about a document into its outcome, and keep it quiet."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (LecternError, MemoryError, OSError):
        raise
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise WorldError("unreadable", reason="parts_damaged", said=said) from error


def _free(_count: int) -> None:
    """Parts that are read element by element are not held."""


def _relations_name(part: str) -> str:
    folder, name = posixpath.split(part)
    return posixpath.join(folder, "_rels", f"{name}.rels")


def _relations_xml(relations: Iterable[tuple[str, str, str]]) -> str:
    """Write relations; one that leads nowhere stays, for those who ask for it by its identifier."""
    rows = (
        f"<Relationship Id={quoteattr(identifier)} "
        + (
            f'Type={quoteattr(_RELATION_TYPE + kind)} Target="/{name}"/>'
            if name
            else 'Type="lost" Target="lost" TargetMode="External"/>'
        )
        for identifier, kind, name in relations
    )
    return f'<Relationships xmlns="{_RELATIONS}">{"".join(rows)}</Relationships>'


def _types_xml(types: Mapping[str, str]) -> str:
    rows = (
        f'<Override PartName="/{name}" '
        f'ContentType="application/vnd.openxmlformats-officedocument.{content}+xml"/>'
        for name, content in types.items()
    )
    default = '<Default Extension="rels" ContentType="application/xml"/>'
    return f'<Types xmlns="{_TYPES}">{default}{"".join(rows)}</Types>'
