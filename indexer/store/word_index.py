"""Opens, checks and writes indexes of tantivy; defines and reads the index of whole documents.

tantivy maps its files, so the engine dies if their drive is unplugged, and is then started again.
Flipped bytes may also end the engine, or give wrong answers; so every segment file is compared with
the CRC-32 in its footer before its first use. Each commit waits for merges. So tantivy does not
work between commits: pauses affect it too, and a full disk is an error of the commit.

A document has one entry for each commit with passages of it. The stems of words are in separate
entries, one for each commit and language. A query needs the count of each word, which tantivy does
not return. It is computed from the score: in a JSON field every text has length one, so that a
score determines the count.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import tantivy
from msgspec import Struct

from indexer.api.private_files import is_full
from indexer.database import write_errors
from indexer.text.stemmers import stem_all
from indexer.text.terms import forms, wholes_of_groups, words

if TYPE_CHECKING:
    from indexer.arrays import Float32s, Int32s

META = "meta.json"
_MAGIC = 1337  # the last bytes of tantivy's files, after the length of the footer
_KILLED = "index writer was killed"
_BLOCK = 1 << 20
# The memory of the writing thread; more memory makes fewer, larger segments.
_HEAP_BYTES = 48 << 20
_LINKED = (".idx", ".pos", ".term", ".fast", ".fieldnorm", ".store", ".del")
_SEGMENT_FILES = _LINKED[:-1]


class AlteredIndexError(Exception):
    """The files of an index are missing or altered."""


class TantivyIndex:
    """An index of tantivy. One thread writes, any thread may search.

    Raises ``AlteredIndexError`` if the folder has no intact index, ``disk_full`` or another error
    of the system.
    """

    def __init__(self, folder: Path, schema: tantivy.Schema) -> None:
        self.folder = folder
        self.schema = schema
        new = not (folder / META).exists()
        if not new and (altered := altered_files(folder)):
            raise AlteredIndexError(", ".join(altered))
        with write_errors(folder):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                self._index = tantivy.Index(schema, str(folder))
                self._index.config_reader("manual")
                self._index.reload()
            except BaseException as error:
                if new or not is_tantivys(error):
                    raise
                raise AlteredIndexError(str(error)) from error
        self.searcher = self._index.searcher()

    @contextmanager
    def committing(self) -> Iterator[tantivy.IndexWriter]:
        """Add and delete entries in one commit, which all later searches see.

        Raises ``disk_full`` or another error of the system; then nothing has changed.
        """
        with write_errors(self.folder):
            _remove_leftovers(self.folder)
            writer = self._index.writer(_HEAP_BYTES, 1)
            try:
                yield writer
                writer.commit()
            except BaseException as error:
                with suppress(Exception):
                    writer.rollback()
                if _KILLED in str(error):  # its thread has hidden an error
                    code = errno.ENOSPC if is_full(self.folder) else errno.EIO
                    raise OSError(code, os.strerror(code)) from error
                raise
            finally:
                with suppress(ValueError):  # a full disk may stop a merge; nothing is lost
                    writer.wait_merging_threads()
                del writer
            self._index.reload()
            self.searcher = self._index.searcher()

    def checksum(self) -> int:
        """The CRC-32 of the list of segments."""
        return zlib.crc32((self.folder / META).read_bytes())


def _remove_leftovers(folder: Path) -> None:
    """Delete files of a failed commit, as the next one would write files of the same names."""
    segments = json.loads((folder / META).read_bytes())["segments"]
    listed = {name for segment in segments for name in _files_of(segment)}
    for path in folder.iterdir():
        if path.suffix in _LINKED and path.name not in listed:
            with suppress(OSError):  # on Windows a reader may have it open
                path.unlink()


def is_tantivys(error: BaseException) -> bool:
    """Whether an exception is tantivy's, a panic included."""
    return isinstance(error, ValueError | OSError) or type(error).__name__ == "PanicException"


def deleted_share(folder: Path) -> float:
    """The share of deleted entries that no merge has removed."""
    segments = json.loads((folder / META).read_bytes())["segments"]
    gone = sum(((one["deletes"] or {}).get("num_deleted_docs", 0)) for one in segments)
    return float(gone / max(1, sum(one["max_doc"] for one in segments)))


def altered_files(folder: Path) -> list[str]:
    """The names of an index's files that are missing or altered."""
    try:
        meta: dict[str, Any] = json.loads((folder / META).read_bytes())
        names = [name for segment in meta["segments"] for name in _files_of(segment)]
    except (OSError, ValueError, LookupError, TypeError):
        return [META]
    return [name for name in names if not _is_whole(folder / name)]


def _files_of(segment: dict[str, Any]) -> Iterator[str]:
    stem = segment["segment_id"].replace("-", "")
    yield from (stem + ending for ending in _SEGMENT_FILES)
    if segment["deletes"]:
        yield f"{stem}.{segment['deletes']['opstamp']}.del"


def _is_whole(path: Path) -> bool:
    """Whether a file of tantivy has the CRC-32 that its footer names."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - 8))
            ending = file.read(8)
            length = int.from_bytes(ending[:4], "little")
            if int.from_bytes(ending[4:], "little") != _MAGIC or length + 8 > size:
                return False
            file.seek(size - 8 - length)
            expected = json.loads(file.read(length))["crc"]
            file.seek(0)
            left, checksum = size - 8 - length, 0
            while left and (block := file.read(min(left, _BLOCK))):
                checksum = zlib.crc32(block, checksum)
                left -= len(block)
            return bool(checksum == expected and not left)
    except (OSError, ValueError, LookupError, TypeError):
        return False


def linked_copy(folder: Path) -> Path:
    """Make a temporary folder with links to the segments of some indexes and copies of other files.

    tantivy writes a lock file beside an index even if it only reads.
    """
    copy = folder.__class__(tempfile.mkdtemp(prefix="lectern-words-"))
    for path in folder.rglob("*") if folder.is_dir() else ():
        target = copy / path.relative_to(folder)
        if path.is_dir():
            target.mkdir(exist_ok=True)
        elif path.suffix != ".lock":
            target.parent.mkdir(exist_ok=True)
            try:
                if path.suffix not in _LINKED:
                    raise NotImplementedError
                target.symlink_to(path.absolute())
            except (OSError, NotImplementedError):
                shutil.copyfile(path, target)
    return copy


def join_indexes(folders: Sequence[Path], folder: Path) -> int:
    """Join the segments of several indexes to one in a new folder; return its checksum."""
    folder.mkdir(mode=0o700, parents=True)
    metas = [json.loads((one / META).read_bytes()) for one in folders]
    for one, meta in zip(folders, metas, strict=True):
        for segment in meta["segments"]:
            for name in _files_of(segment):
                shutil.copyfile(one / name, folder / name)
    joined = dict(metas[0], opstamp=max(meta["opstamp"] for meta in metas))
    joined["segments"] = [segment for meta in metas for segment in meta["segments"]]
    content = json.dumps(joined).encode()
    (folder / META).write_bytes(content)
    managed = [META, *(path.name for path in folder.iterdir() if path.suffix in _LINKED)]
    (folder / ".managed.json").write_text(json.dumps(managed))
    return zlib.crc32(content)


#: Languages that write compounds as one word with the head last.
COMPOUNDING = frozenset({"de", "nl", "sv", "da", "nb", "nn", "no", "fi", "et", "hu"})
_COUNTS = "counts.w"
# Prefixes of terms in the field ``edges``: reversed words; first letters of words and stems.
_REVERSED, _FIRST = "<", "^"
# How many times the wanted words are looked at, as words of deleted entries are listed too.
_SPARE = 2


def document_schema() -> tantivy.Schema:
    """The fields of an entry.

    ``counts`` has each word as often as it occurs, ``words`` has it once, ``forms`` has
    "stem|word". For ``edges`` see above.
    """
    builder = tantivy.SchemaBuilder().add_integer_field("doc", indexed=True, fast=True)
    builder.add_json_field("counts", tokenizer_name="whitespace", index_option="freq")
    for name in ("words", "forms", "edges"):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="basic")
    return builder.build()


def count_words(views: Iterable[str]) -> Counter[str]:
    """Count the folded words of some passages."""
    pieces: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for view in views:
        pieces.update(view.split())
        counts.update(list(wholes_of_groups(view)))
    for piece, times in pieces.items():
        for word in _words_of(piece):
            counts[word] += times
    return counts


def document_entries(doc: int, passages: int, counts: Counter[str]) -> list[tantivy.Document]:
    """Return the entries for some passages of a document with their counted words.

    Empty entries follow the first, so that there are as many as passages. tantivy merges segments
    by their number of entries, and would otherwise merge all of them at every eighth commit.
    """
    entry = tantivy.Document()
    entry.add_integer("doc", doc)
    entry.add_json("counts", {"w": " ".join([f"{word} " * n for word, n in counts.items()])})
    entry.add_text("words", " ".join(counts))
    empty = tantivy.Document()
    empty.add_integer("doc", doc)
    return [entry, *[empty] * (passages - 1)]


def vocabulary_entry(listed: Iterable[str], language: str) -> tantivy.Document:
    """Return an entry with the stems and edges of a language's words; it belongs to no document."""
    every = list(listed)
    pairs = [(stem, word) for word, stems in stems_of_words(every, language) for stem in stems]
    edges = {_FIRST + one[0] for pair in pairs for one in pair}
    if language in COMPOUNDING or not language:
        edges |= {_REVERSED + word[::-1] for word in every if word.isalpha()}
    entry = tantivy.Document()
    entry.add_text("forms", " ".join([f"{stem}|{word}" for stem, word in pairs]))
    entry.add_text("edges", " ".join(edges))
    return entry


@lru_cache(maxsize=50_000)
def _words_of(piece: str) -> tuple[str, ...]:
    return tuple(words(piece))


def stems_of_words(listed: Iterable[str], language: str) -> list[tuple[str, tuple[str, ...]]]:
    """Pair words with their possible stems in a language, without empty stems."""
    every = list(listed)
    found = zip(every, stem_all(every, language), strict=True)
    return [
        (word, tuple(filter(None, (stem,) if word.isascii() else forms(word, language).stems)))
        for word, stem in found
    ]


class DocumentWords(Struct, frozen=True):
    """The words of documents as of one commit. Any thread may use it.

    ``lengths`` is the number of words by document, at least 1; 0 where there is no document.
    """

    schema: tantivy.Schema
    searcher: tantivy.Searcher
    lengths: Float32s

    def counts(self, word: str) -> tuple[Int32s, Float32s]:
        """The document of each entry with a word, and how often the word occurs in that entry."""
        query = tantivy.Query.term_query(self.schema, _COUNTS, word)
        most = max(1, self.searcher.doc_freq("words", word))
        hits = self.searcher.search(query, limit=most, count=False).hits
        if not hits:
            return np.empty(0, np.int32), np.empty(0, np.float32)
        addresses = [address for _, address in hits]
        docs = np.array(self.searcher.fast_field_values("doc", addresses), np.int32)
        highest, half = _saturation(query.explain(self.searcher, addresses[0]))
        shares = np.array([score for score, _ in hits], np.float64) / highest
        times = np.rint(half * shares / np.maximum(1 - shares, 1e-7)).astype(np.float32)
        known = docs < len(self.lengths)
        return docs[known], np.maximum(times[known], 1)

    def frequencies(self, listed: Iterable[str]) -> dict[str, int]:
        """The number of documents with each word, without words that no document has."""
        found = {word: self._frequency(word) for word in listed}
        return {word: count for word, count in found.items() if count}

    def beginning(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """The words with a prefix and their document frequencies, the most frequent first."""
        found = self.searcher.terms_with_prefix("words", prefix, limit=_SPARE * limit)
        return ordered(self.frequencies(word for word, _ in found))[:limit]

    def has_beginning(self, letters: Iterable[str]) -> bool:
        """Whether a word or a stem begins with one of some letters."""
        return any(self.searcher.doc_freq("edges", _FIRST + one[0]) for one in letters if one)

    def ending(self, ending: str, limit: int) -> list[tuple[str, int]]:
        """The compounds that end with a word, in the form of ``beginning``."""
        found = self.searcher.terms_with_prefix(
            "edges", _REVERSED + ending[::-1], limit=_SPARE * limit + 1
        )
        longer = (text[:0:-1] for text, _ in found)
        return ordered(self.frequencies(word for word in longer if word != ending))[:limit]

    def words_of_stems(self, beginnings: Iterable[str]) -> dict[str, set[str]]:
        """The words of the stems that begin with some letters, by stem; ``stem|`` is a whole one.

        Documents with these words may have been deleted.
        """
        found: defaultdict[str, set[str]] = defaultdict(set)
        for letters in beginnings:
            for text, _ in self.searcher.terms_with_prefix("forms", letters):
                stem, _, word = text.partition("|")
                found[stem].add(word)
        return found

    def _frequency(self, word: str) -> int:
        if not self.searcher.doc_freq("words", word):
            return 0
        query = tantivy.Query.term_query(self.schema, "words", word)
        found: Any = self.searcher.search(query, limit=1)  # the type stubs lack ``count``
        return int(found.count)  # does not count deleted entries


def ordered(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Sort words by their document frequencies, the most frequent first."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _saturation(explanation: tantivy.Explanation) -> tuple[float, float]:
    """The limit of a term's score, and the count at which the score is half of it."""
    factor, idf, share = json.loads(explanation.to_json())["details"]
    _, k1, b, length, mean = (one["value"] for one in share["details"])
    return factor["value"] * idf["value"], k1 * (1 - b + b * length / mean)
