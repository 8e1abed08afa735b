"""Walks and documents made by hand, for the tests of the catalog."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.api.requests import Order
from indexer.api.types import DocumentInfo, FileState
from indexer.catalog.coverage import CoverageFilter
from indexer.catalog.records import FoundFile, FoundFolder, QueuedFile, Root

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.api.types import FileRow
    from indexer.catalog.catalog import Catalog

VOLUME = 7


def listed(catalog: Catalog, state: FileState | None = None) -> list[FileRow]:
    """List the files in the order of their paths."""
    return catalog.coverage.page(CoverageFilter(state), Order.PATH, 0, 10_000)


def found(
    name: str,
    *,
    inode: int = 0,
    size: int = 10,
    mtime_ns: int = 1,
    state: FileState | None = None,
    volume: int = VOLUME,
) -> FoundFile:
    code = "unsupported" if state else ""
    return FoundFile(name.encode(), size, mtime_ns, volume, inode, "text", state, code)


@dataclass
class FakeWalk:
    """A walk that yields what it was given."""

    folders: dict[str, list[FoundFile]]
    reachable: bool = True
    unread: dict[bytes, str] = field(default_factory=dict)
    volume: int = VOLUME
    only: dict[bytes, frozenset[bytes]] | None = None

    def __iter__(self) -> Iterator[FoundFolder]:
        for path, entries in self.folders.items():
            names = self.only.get(path.encode()) if self.only is not None else None
            yield FoundFolder(path.encode(), self.volume, entries, names)


def info(
    text: str, *, version: int = 1, bad_pages: tuple[int, ...] = (), lost: str = ""
) -> DocumentInfo:
    return DocumentInfo(
        text_id=f"text of {text}, version {version}",
        format="text",
        extractor_version=version,
        title=f"Title of {text}",
        author="",
        created="",
        language="en",
        pages=3,
        characters=100,
        bad_pages=bad_pages,
        lost=lost,
    )


def root_at(catalog: Catalog, folder: Path) -> Root:
    folder.mkdir(exist_ok=True)
    return catalog.roots.add_root(folder)


def read(catalog: Catalog, job: QueuedFile, text: str, *, passages: int = 4) -> int:
    """Take one job through extraction, as the pipeline does; gives the document."""
    catalog.queue.started(job.file)
    begun = catalog.docs.begin(
        job.file, f"hash of {text}", job.stamp, info(text), title_used=f"Title of {text}"
    )
    if begun.write_passages:
        catalog.docs.finish_passages(begun.doc, passages)
    return begun.doc


def read_all(catalog: Catalog) -> dict[str, int]:
    """Read every queued file as if its text were its name; gives documents by name."""
    docs = {}
    while jobs := catalog.queue.take(10):
        for job in jobs:
            name = job.path.decode().rpartition("/")[2]
            docs[name] = read(catalog, job, name)
    return docs


def states(catalog: Catalog) -> dict[str, str]:
    return {row.file: str(row.state) for row in listed(catalog)}
