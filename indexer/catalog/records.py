"""The records that the catalog takes and returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.api.types import FileState
    from indexer.catalog.states import Stamp


class FoundFile(Struct, frozen=True):
    """One entry of a walked folder.

    ``state`` is ``None`` for a file to be read. Otherwise the file's name or kind decides the
    state, and ``code`` and ``detail`` are the reason. An excluded folder is also such an entry.
    """

    name: bytes
    size: int
    mtime_ns: int
    volume: int
    inode: int
    format: str = ""
    state: FileState | None = None
    code: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


class FoundFolder(Struct, frozen=True):
    """One walked folder: its path below the root (b"" for the root) and its entries.

    A partial scan looks only at ``names``; None means that ``entries`` is the whole folder.
    """

    path: bytes
    volume: int
    entries: Sequence[FoundFile]
    names: frozenset[bytes] | None = None


class Root(Struct, frozen=True):
    """A folder, or a single file, that the person asked to have indexed.

    ``path`` is absolute. For a single file it is its folder and ``file_name`` its name.
    ``volume``, ``volume_path`` and ``inode`` are the folder's location at the last scan, see
    ``indexer.files.scanner.Location``; an inode of 0 means that it was never scanned.
    """

    id: int
    path: bytes
    file_name: bytes = b""
    online: bool = True
    patterns: tuple[str, ...] = ()
    volume: str = ""
    volume_path: bytes = b""
    inode: int = 0


class ScanCounts(Struct, frozen=True):
    """The changes of one scan."""

    seen: int = 0
    new: int = 0
    changed: int = 0
    known: int = 0  # new at this path, but known by its inode at another
    removed: int = 0
    offline: bool = False


class QueuedFile(Struct, frozen=True):
    """A file to be read. ``path`` is absolute, in the encoding of the file system."""

    file: int
    path: bytes
    format: str
    stamp: Stamp
    priority: int = 0  # above 0 if requested, or changed a moment ago
    alone: bool = False  # whether nothing else is read meanwhile and there is room in memory


class Begun(Struct, frozen=True):
    """The document of a text, and whether its passages have to be written."""

    doc: int
    write_passages: bool


class DocRow(Struct, frozen=True):
    """A document with its text in the store; ``labels`` of its first pages are read on demand."""

    doc: int
    text_id: str
    title_used: str
    title: str
    author: str
    created: str
    language: str
    pages: int
    characters: int
    passages: int
    sent_ns: int
    labels: tuple[str, ...] = ()


class DocumentFile(Struct, frozen=True):
    """A file of a document, for a hit: absolute path, root, and the path below the root."""

    file: int
    path: str
    root: str
    relative: str
    state: FileState
    size: int
    mtime_ns: int
    format: str = ""


class Space(Struct, frozen=True):
    """An embedding space; ``record`` holds the properties of its model."""

    id: int
    key: str
    active: bool
    record: Mapping[str, Any]

    @property
    def languages(self) -> frozenset[str]:
        """The languages that the model was trained for; empty if its record has none."""
        return frozenset(self.record.get("languages", ()))


class Totals(Struct, frozen=True):
    """Totals of the library in the active space. Copies of a document count once."""

    documents: int
    passages: int
    embedded: int
    characters: int
    pages: int

    @property
    def embedded_share(self) -> float:
        """The share of the passages that have vectors; 1 without any."""
        return self.embedded / self.passages if self.passages else 1.0


class DocFilter(Struct, frozen=True):
    """Conditions on the documents of a search. Values of one field are alternatives.

    Folders match whole components of the path, ignoring case: ``reports/2023`` matches in any
    folder, an absolute path only itself. ``dated_ns`` and ``size`` are half-open ranges, and
    ``None`` is no bound. The date of a mail is when it was sent, that of another document its
    file's. Titles and authors match by prefixes of their words.
    """

    folders: tuple[str, ...] = ()
    not_folders: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    not_extensions: tuple[str, ...] = ()
    dated_ns: tuple[int | None, int | None] = (None, None)
    size: tuple[int | None, int | None] = (None, None)
    titles: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
