"""Lists the documents of folders and object storage, groups them into shards, and fetches them.

Each document has a mark that changes with its content: the SHA-256 of a file, or the entity tag of
an object, so that objects need not be read to be listed.

Shards have a bounded size, and change little when files come and go. The bits of the hash of a
document's mark determine its leaf in a binary tree. So equal contents, whose text is kept once, are
together. A leaf that is too large becomes two. A new or deleted file thus changes only its own
shard, and at most divides it or joins it with its sibling. The number of a leaf also determines the
numbers of its documents, so that no two shards of a library have equal ones and their tables can be
put side by side.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

from msgspec import Struct

from indexer.api.errors import WorldError
from indexer.api.formats import BY_EXTENSION, extension_of
from indexer.embed.model_files import hash_file
from indexer.shards.object_store import ObjectStore, checked, is_uri

_READ = frozenset({"", *BY_EXTENSION})


class SourceFile(Struct, frozen=True):
    """A document below a source, which is a folder or a URI.

    ``path`` is relative, with "/" between components; ``mark`` changes with the content.
    """

    source: str
    path: str
    size: int
    mark: str

    @property
    def whole(self) -> str:
        """The whole path or URI of the document."""
        return f"{self.source.rstrip('/')}/{self.path}"


class LeftOut(Struct, frozen=True):
    """A document that is not in a shard or not searchable there, and the reason code."""

    path: str
    code: str


def normal(source: str) -> str:
    """Return a source in its form for shards: a URI, or the absolute path of a folder.

    Raises ``path_missing``, or ``store_failed`` as ``checked`` does.
    """
    if "://" in source:
        source = checked(source)
        if not source.startswith("file:"):
            return source
        source = unquote(source.removeprefix("file://"))
    folder = os.path.abspath(os.path.expanduser(source))  # noqa: PTH100, PTH111  # not through links
    if not Path(folder).is_dir():
        raise WorldError("path_missing", path=folder)
    return folder


def listed(
    sources: Sequence[str], gone: Callable[[], None] = lambda: None
) -> tuple[list[SourceFile], list[LeftOut]]:
    """List possible documents without hidden ones, and those that cannot be read.

    Args:
        sources: See ``normal``.
        gone: Called between files; an exception from it ends the listing.
    """
    found: list[SourceFile] = []
    failures: list[LeftOut] = []
    for source in sources:
        for path, size, mark in _objects(source) if is_uri(source) else _files(source):
            gone()
            if extension_of(path.rpartition("/")[2]) not in _READ:
                continue
            if not is_uri(source):
                try:
                    mark = hash_file(Path(source) / path)  # noqa: PLW2901  # of the file
                except OSError:
                    failures.append(LeftOut(f"{source}/{path}", "path_denied"))
                    continue
            found.append(SourceFile(source, path, size, mark))
    return found, failures


def _objects(source: str) -> Iterator[tuple[str, int, str]]:
    for each in ObjectStore(source).entries(""):
        parts = each.name.split("/")
        # A hostile name could lead out of the worker's folder.
        if all(part and not part.startswith(".") and "\\" not in part for part in parts):
            yield each.name, each.size, each.mark


def _files(source: str) -> Iterator[tuple[str, int, str]]:
    for folder, below, names in os.walk(source):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder) / name
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                with contextlib.suppress(OSError):  # it was deleted meanwhile
                    yield path.relative_to(source).as_posix(), path.stat().st_size, ""


def fetch(document: SourceFile, target: Path) -> str:
    """Copy a document to a new file; return "", or the reason code if it is left out.

    Raises ``OSError``, for example on a full disk, or ``store_failed`` if the object storage
    refuses.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    if is_uri(document.source):
        store = ObjectStore(document.source)
        found = store.fetch(document.path, target)
        if found is None:
            return "path_missing"
        mark, modified = found
    else:
        path = Path(document.source) / document.path
        try:
            modified = path.stat().st_mtime
            path.open("rb").close()
        except FileNotFoundError:
            return "path_missing"
        except OSError:
            return "path_denied"
        shutil.copyfile(path, target)
        mark = hash_file(target)
    if mark != document.mark:
        target.unlink()
        return "changed"
    os.utime(target, (modified, modified))
    return ""


# About 250,000 passages of average documents.
SHARD_BYTES = 512 << 20
# The most documents of a shard. It has twice as many numbers, as those of failed attempts are not
# reused.
MOST_DOCUMENTS, NUMBERS = 8_192, 16_384
# Numbers of documents have 31 bits.
_DEEPEST = 16


class PlannedShard(Struct, frozen=True):
    """A leaf with its documents. ``name`` is a hash of all that determines the shard's content."""

    name: str
    leaf: int
    documents: tuple[SourceFile, ...]

    @property
    def first_document(self) -> int:
        """The first of the numbers of its documents."""
        return self.leaf * NUMBERS + 1

    @property
    def size(self) -> int:
        """The bytes of its documents."""
        return sum(each.size for each in self.documents)


def planned(
    documents: Iterable[SourceFile], reader: str, most_bytes: int = SHARD_BYTES
) -> list[PlannedShard]:
    """Group documents into shards.

    Args:
        documents: The documents in any order.
        reader: The way in which they are read and embedded, which is part of the shards' names.
        most_bytes: The most bytes of a shard's documents, unless equal ones have more.
    """
    marked = sorted((_number(one.mark), one.source, one.path, one) for one in documents)
    shards: list[PlannedShard] = []

    def divide(leaf: int, depth: int, some: Sequence[tuple[int, str, str, SourceFile]]) -> None:
        size = sum(one.size for *_, one in some)
        small = size <= most_bytes and len(some) <= MOST_DOCUMENTS
        if not some:
            return
        if small or depth == _DEEPEST or some[0][0] == some[-1][0]:
            own = tuple(one for *_, one in some)
            shards.append(PlannedShard(_name(reader, leaf, own), leaf, own))
            return
        for bit in (0, 1):
            inside = [each for each in some if each[0] >> (255 - depth) & 1 == bit]
            divide(2 * leaf + bit, depth + 1, inside)

    divide(1, 0, marked)
    return shards


def _number(mark: str) -> int:
    return int.from_bytes(hashlib.sha256(mark.encode()).digest(), "big")


def _name(reader: str, leaf: int, documents: Sequence[SourceFile]) -> str:
    rows = sorted((one.source, one.path, one.mark) for one in documents)
    return hashlib.sha256(json.dumps([reader, leaf, rows]).encode()).hexdigest()
