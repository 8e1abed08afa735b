"""Word, PowerPoint and Excel files: which parts they have, and how these refer to each other.

Owns relations between parts and the part that a document begins with. Parts are read by ``xml``, in
pieces or whole; nothing but the parts that hold text is ever unpacked. python-docx, python-pptx and
openpyxl, the libraries for these formats, take a file whole or not at all, pictures and macros
included: one damaged slide, a relation to a part that is missing or a style that they do not know
would each cost the whole document.
"""

from __future__ import annotations

import posixpath
from itertools import islice
from typing import TYPE_CHECKING, Any

from indexer.api.errors import WorldError
from indexer.extract.office.package import Package, PackageSource, resolve
from indexer.extract.office.xml import local, metadata, read_pieces, read_tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.config import Limits

_MAX_RELATIONS = 200_000


class OfficePackage(Package):
    """An open office file.

    Args:
        path: The file.
        limits: What the document may cost.
        usual: The name of the part that the document begins with, if nothing says another.
        absent: The reason for a file without it, as a code of ``indexer.api.phrases``.

    Attributes:
        main: The part that the document begins with.
        metadata: What the file says about itself.

    Raises:
        WorldError: ``unreadable`` if it has no such part, and all that ``Package`` raises.
    """

    def __init__(self, path: Path, limits: Limits, usual: str, absent: str) -> None:
        super().__init__(path, limits)
        self._relations: dict[str, dict[str, tuple[str, str]]] = {}
        try:
            self.main = next(iter(self.related("", "officeDocument")), usual)
            if self.main not in self:
                raise WorldError("unreadable", reason=absent)
            about = self.related("", "core-properties")
            self.metadata = metadata(self.tree(about[0])[0] if about else None)
        except BaseException:
            self.close()
            raise

    def related(self, part: str, *kinds: str) -> list[str]:
        """Return the parts of some kinds that a part refers to."""
        relations = self._relations_from(part).values()
        return [name for kind, name in relations if kind in kinds and name in self]

    def part(self, referrer: str, identifier: str) -> str:
        """Return the part of a relationship id, or ""."""
        name = self._relations_from(referrer).get(identifier, ("", ""))[1]
        return name if name in self else ""

    def tree(self, part: str) -> tuple[Any, WorldError | None]:
        """Return the root of a part up to its first damage, if at all, and the damage."""
        root, damage = read_tree(self.chunks(part), self.budget, self.budget.limits.tree_nodes)
        if root is not None and _declares_type(root):
            return None, _entities()
        return root, damage

    def pieces(self, part: str, containers: frozenset[str]) -> Iterator[Any]:
        """Yield the elements of a part that are only inside containers (``read_pieces``).

        Args:
            part: Its name.
            containers: The local names of elements that are too large to be pieces, the root's
                too; a part with another root is no such part.
        """

        def is_open(tag: object) -> bool:
            return str(tag).rpartition("}")[2] in containers

        for piece in read_pieces(self.chunks(part), self.budget, is_open):
            if _declares_type(piece):
                raise _entities()
            if piece.getparent() is None and local(piece) not in containers:
                raise WorldError("unreadable", reason="parts_damaged", said=f"a {local(piece)}")
            yield piece

    def _relations_from(self, part: str) -> dict[str, tuple[str, str]]:
        """Return what a part refers to inside the file: kind and name by identifier."""
        if part not in self._relations:
            folder, name = posixpath.split(part)
            place = posixpath.join(folder, "_rels", f"{name}.rels")
            root = self.tree(place)[0] if place in self else None
            elements = () if root is None else root.iter("{*}Relationship")
            self._relations[part] = {
                each.get("Id", ""): (
                    each.get("Type", "").rpartition("/")[2],
                    resolve(part, each.get("Target", "")),
                )
                for each in islice(elements, _MAX_RELATIONS)
                if each.get("TargetMode") != "External"
            }
        return self._relations[part]


class OfficeSource(PackageSource):
    """A document of such a package."""

    _package: OfficePackage

    def __init__(self, package: OfficePackage) -> None:
        super().__init__(package)
        self.metadata = package.metadata

    def _main(self) -> Any:
        """Return the root of the part that the document begins with; raise its damage for none."""
        root, damage = self._package.tree(self._package.main)
        if root is None and damage is not None:
            raise damage
        return root


def _declares_type(element: Any) -> bool:
    return bool(element.getroottree().docinfo.doctype)


def _entities() -> WorldError:
    """Return the outcome of a document type: no office program writes one, and entities need it."""
    return WorldError("unreadable", reason="xml_entities")
