"""Office Open XML packages (ECMA-376, part 2): Word, PowerPoint and Excel files.

Only parts with text are unpacked. python-docx, python-pptx and openpyxl load a whole file, with
pictures and macros, and read nothing if a slide is damaged, a part is missing or a style is
unknown.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.api.errors import WorldError
from indexer.extract.office.package import PackageSource, ZipPackage, resolve
from indexer.extract.office.xml import local, metadata, read_pieces, read_tree

if TYPE_CHECKING:
    from indexer.config import Limits

_MAX_RELATIONS = 200_000


class OfficePackage(ZipPackage):
    """An open office file. ``main`` is the name of its main part.

    The name is ``usual`` if no relationship names the part. ``absent`` is the reason code for a
    file without it (``indexer.api.phrases``).

    Raises ``unreadable`` if it has no main part, and what ``ZipPackage`` raises.
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
        """Return the parts that a part refers to by some kinds of relationships."""
        relations = self._relations_from(part).values()
        return [name for kind, name in relations if kind in kinds and name in self]

    def part(self, referrer: str, identifier: str) -> str:
        """Return the part of a relationship by its id, "" if it is missing."""
        name = self._relations_from(referrer).get(identifier, ("", ""))[1]
        return name if name in self else ""

    def tree(self, part: str) -> tuple[Any, WorldError | None]:
        """Return the root of a part, read up to its first damage, and that damage, if any."""
        root, damage = read_tree(self.chunks(part), self.budget, self.budget.limits.tree_nodes)
        if root is not None and _declares_type(root):
            return None, _entities()
        return root, damage

    def elements(self, part: str, *names: str) -> Iterator[Any]:
        """Yield the elements of a part with some local names, up to its first damage."""
        root, _ = self.tree(part)
        yield from () if root is None else root.iter(*(f"{{*}}{name}" for name in names))

    def pieces(self, part: str, containers: frozenset[str]) -> Iterator[Any]:
        """Yield the elements of a part whose ancestors are all containers (``read_pieces``).

        ``containers`` has the local names of elements that are too large to be pieces, and of the
        root.

        Raises ``unreadable`` if the root is not a container, and what ``read_pieces`` raises.
        """
        for piece in read_pieces(self.chunks(part), self.budget, containers):
            if _declares_type(piece):
                raise _entities()
            if piece.getparent() is None and local(piece) not in containers:
                raise WorldError("unreadable", reason="parts_damaged", said=f"a {local(piece)}")
            yield piece

    def _relations_from(self, part: str) -> dict[str, tuple[str, str]]:
        """Return the kind and target of each internal relationship of a part, by its id."""
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
    """A document in an ``OfficePackage``."""

    _package: OfficePackage

    def __init__(self, package: OfficePackage) -> None:
        super().__init__(package)
        self.metadata = package.metadata

    def _main(self) -> Any:
        """Return the root of the main part.

        Raises ``WorldError`` if it is damaged from the start.
        """
        root, damage = self._package.tree(self._package.main)
        if root is None and damage is not None:
            raise damage
        return root


def _declares_type(element: Any) -> bool:
    return bool(element.getroottree().docinfo.doctype)


def _entities() -> WorldError:
    """Return the error for a document type, which entities need and no program writes."""
    return WorldError("unreadable", reason="xml_entities")
