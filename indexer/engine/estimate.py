"""Estimates the cost of indexing some folders: files, bytes, pages and time.

A walk counts files without parsing them. The rates from bytes to pages to seconds are those
measured in this library, or defaults until it has indexed enough. The bytes per page of PDFs vary a
hundredfold, so they are measured on a sample of the PDFs.
"""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from indexer.api.answers import Estimate, FormatEstimate
from indexer.api.errors import WorldError
from indexer.api.formats import BY_NAME
from indexer.catalog.records import Root
from indexer.catalog.roots import join, normal
from indexer.embed.model_files import find_record
from indexer.files.scanner import rules_for
from indexer.files.walk import RootWalk, first_bytes
from indexer.pipeline.rates import Throughput, load_throughput

if TYPE_CHECKING:
    from indexer.api.progress import CancelToken
    from indexer.api.requests import EstimateIndex
    from indexer.catalog.catalog import Catalog
    from indexer.config import EngineConfig

# The time of this format is left out, as recognition comes last, at an unknown rate.
_UNTIMED = "image"
# The most estimated pages of a file; the least is 1.
MOST_PAGES = 20_000
# The most folders and files to name among those that patterns exclude.
MOST_NAMED = 50
# The number of PDFs in the sample, and how many bytes of each are searched for pages.
_SAMPLED, _SAMPLED_BYTES = 64, 4_000_000
# The object of a page. Compressed objects are not found; all pages of a PDF are of one kind.
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")


class WalkCounts(Struct):
    """Counts the files that walks find."""

    formats: dict[str, list[int]] = field(default_factory=dict)  # files, bytes
    left_out: Counter[str] = field(default_factory=Counter)
    known: int = 0
    sample: list[bytes] = field(default_factory=list)  # paths of PDFs, a uniform sample
    staying: set[bytes] | None = None  # paths of files read now or before, if requested
    _chance: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311  # no secret

    def count_walk(self, walk: RootWalk, read_before: Mapping[bytes, tuple[int, int]]) -> None:
        """Count the files under one root.

        Args:
            walk: The walk, not yet iterated.
            read_before: Size and time of the files in the library, by absolute path.

        Raises ``Cancelled`` if the walk's token was cancelled.
        """
        for folder in walk:
            for entry in folder.entries:
                path = join(walk.root.path, folder.path, entry.name)
                before = read_before.get(path)
                if entry.state is None and self.staying is not None:
                    self.staying.add(path)
                if entry.state is not None:
                    self.left_out[entry.code or str(entry.state)] += 1
                elif before == (entry.size, entry.mtime_ns):
                    self.known += 1
                else:
                    one = self.formats.setdefault(entry.format, [0, 0])
                    one[0] += 1
                    one[1] += entry.size
                    if entry.format == "pdf":
                        self._sample(path, one[0])

    def _sample(self, path: bytes, number: int) -> None:
        """Put the ``number``-th file into the sample with the same probability as those before."""
        if number <= _SAMPLED:
            self.sample.append(path)
        elif (place := self._chance.randrange(number)) < _SAMPLED:
            self.sample[place] = path

    def to_estimate(self, rates: Throughput, page_bytes: Mapping[str, float]) -> Estimate:
        pages = sum(
            pages_of(form, files, size, page_bytes)
            for form, (files, size) in self.formats.items()
            if form != _UNTIMED
        )
        words = pages / rates.pages
        meaning = pages * rates.passages_a_page / rates.passages
        return Estimate(
            files=sum(files for files, _ in self.formats.values()),
            bytes=sum(size for _, size in self.formats.values()),
            formats={
                form: FormatEstimate(files, size)
                for form, (files, size) in sorted(self.formats.items())
            },
            left_out=dict(self.left_out),
            known=self.known,
            pages=round(pages),
            seconds_words=round(words, 1),
            seconds_meaning=round(max(words, meaning), 1),
            measured=rates.measured,
        )


def sampled_page_bytes(paths: Sequence[bytes], token: CancelToken) -> dict[str, float]:
    """Return the mean bytes per page of PDFs, by format name; {} if no page is found.

    Raises ``Cancelled`` if the token was cancelled.
    """
    size = pages = 0
    for path in paths:
        token.check()
        found = first_bytes(path, _SAMPLED_BYTES)
        if here := sum(1 for _ in _PAGE.finditer(found)):
            size, pages = size + len(found), pages + here
    return {"pdf": size / pages} if pages else {}


def pages_of(form: str, files: int, size: int, page_bytes: Mapping[str, float]) -> float:
    """Estimate the pages of some files of one format from their bytes.

    >>> pages_of("text", 2, 30_000, {})
    10.0
    >>> pages_of("text", 5, 100, {})
    5.0
    >>> round(pages_of("pdf", 40, 52_101_000, {}))  # forty yearly reports of 4,893 pages in all
    4736
    """
    a_page = page_bytes.get(form) or BY_NAME[form].page_bytes
    return float(min(max(size / a_page, files), files * MOST_PAGES))


def estimate_cost(
    catalog: Catalog, config: EngineConfig, request: EstimateIndex, token: CancelToken
) -> Estimate:
    """Walk some paths and estimate the cost of indexing them; see ``EstimateIndex``.

    Raises ``path_missing``, ``unknown_model``, ``bad_setting`` for a wrong pattern, or
    ``Cancelled`` if the token was cancelled.
    """
    counted = WalkCounts(staying=None if request.patterns is None else set())
    leaving: Counter[str] = Counter()
    for path in request.paths:
        root = _root(catalog, path)
        if request.patterns is not None:
            root = replace(root, patterns=request.patterns)
        walk = RootWalk(root, rules_for(root, catalog, config), token)
        read_before = catalog.coverage.read_before(path)
        counted.count_walk(walk, read_before)
        if counted.staying is not None:
            leaving += count_leaving(normal(path), read_before.keys(), counted.staying)
    space = catalog.spaces.active()
    model = str(space.record["model"]) if space else config.model
    layers = find_record(model, config.models).depth
    rates = load_throughput(catalog, space.key if space else "", layers)
    page_bytes = catalog.coverage.page_bytes() | sampled_page_bytes(counted.sample, token)
    return replace(counted.to_estimate(rates, page_bytes), leaving=dict(leaving))


def count_leaving(root: bytes, known: Collection[bytes], staying: set[bytes]) -> Counter[str]:
    """Count the known files that leave, by the highest folder that has none left, or by file.

    >>> known = [b"/r/a/x", b"/r/a/b/y", b"/r/c/z", b"/r/c/kept"]
    >>> sorted(count_leaving(b"/r", known, {b"/r/c/kept"}).items())
    [('a', 2), ('c/z', 1)]
    """
    kept_folders: set[bytes] = set()
    for path in staying:
        folder = _folder_of(path)
        while len(folder) > len(root) and folder not in kept_folders:
            kept_folders.add(folder)
            folder = _folder_of(folder)
    counts: Counter[str] = Counter()
    for path in known:
        if path in staying:
            continue
        left_out = path
        while len(above := _folder_of(left_out)) > len(root) and above not in kept_folders:
            left_out = above
        name = os.fsdecode(left_out[len(root) :].strip(os.fsencode(os.sep)))
        counts[name if name in counts or len(counts) < MOST_NAMED else ""] += 1
    return counts


def _folder_of(path: bytes) -> bytes:
    return os.path.dirname(path)  # noqa: PTH120  # pathlib takes no bytes


def _root(catalog: Catalog, path: Path) -> Root:
    """The root at a path, or the one that adding it would create."""
    found = catalog.roots.find(path)
    if found is not None and found[1] == found[0].file_name:
        return found[0]
    if not os.path.exists(path):  # noqa: PTH110  # pathlib raises for names that are too long
        raise WorldError("path_missing", path=str(path))
    folder, only = (path, b"") if path.is_dir() else (path.parent, os.fsencode(path.name))
    return Root(0, normal(folder), only)
