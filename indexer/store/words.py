"""The words of a library: tantivy's indexes of passages and of whole documents.

Words are derived from the texts, which are committed first. A file beside the indexes notes after
each commit which passages they have. The next opening compares it with the texts and adds what a
kill or a full disk left out. If a file was altered, all words are made again. A read-only library
is opened through links in a temporary folder, where missing words are added in the same way.
"""

from __future__ import annotations

import json
import logging
import shutil
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import tantivy

from indexer import faults
from indexer.api.private_files import bytes_under, replacing, write_file
from indexer.api.status import TableSize
from indexer.database import write_errors
from indexer.store.values import PassageRow, StoredPassage, key_of
from indexer.store.word_index import (
    AlteredIndexError,
    DocumentWords,
    TantivyIndex,
    altered_files,
    count_words,
    deleted_share,
    document_entries,
    document_schema,
    is_tantivys,
    join_indexes,
    linked_copy,
    vocabulary_entry,
)
from indexer.store.word_queries import IndexedPassages, passage_schema
from indexer.text.sentences import UNSPACED, is_unspaced, lazy_pattern
from indexer.text.terms import sequence, stems

if TYPE_CHECKING:
    Counts = Mapping[int, tuple[int, int]]

T = TypeVar("T")

log = logging.getLogger(__name__)

# Characters of scripts without spaces, and characters that NFKC maps to these.
_PERHAPS_UNSPACED = lazy_pattern(
    f"[{UNSPACED}\u2e9f-\u2fd5\u3038-\u303a\u3192-\u33fe\uff66-\uff9f\U0001f200-\U0001f251]"
)

#: The version of the fields and their content; an index of another version is made again.
FORMAT = 2
#: The folder of words, beside the vectors.
WORDS = "words"
_STATE, _PENDING = "state", "pending.json"
_PASSAGES, _DOCUMENTS = _INDEXES = "passages", "documents"
# The number of passages in a commit while catching up.
_TOGETHER = 8_192
# Whether stems were written is remembered for this many words, at some 200 bytes each.
_MOST_STEMMED = 50_000
# Deleted entries count in document frequencies until a merge removes them. If this share and this
# number of entries are deleted, the indexes are made again.
_MOST_DELETED, _FEW_ENTRIES = 0.25, 2_000


class WordStore:
    """The words of one library, made if they are missing. One thread writes, any thread may search.

    ``behind`` says whether words of some texts may be missing, see ``catch_up``. ``failed`` says
    whether a file could not be read; the next ``catch_up`` then makes all words again. Raises
    ``disk_full`` or another error of the system.
    """

    def __init__(self, folder: Path, *, writable: bool) -> None:
        self.behind = True
        self.failed = False
        self._folder, self._temporary = folder if writable else linked_copy(folder), not writable
        #: The numbers of passages and words of each document in the indexes.
        self._counts: dict[int, tuple[int, int]] = {}
        self._documents: DocumentWords | None = None
        #: Pairs of language and word whose stems were written since the indexes were opened.
        self._stemmed: set[tuple[str, str]] = set()
        try:
            self._load()
        except AlteredIndexError as error:
            log.warning("the words of %s are made again: %s", folder.parent, error)
            self._reset()

    def close(self) -> None:
        """Delete the temporary folder, if any. No thread may be searching."""
        if self._temporary:
            shutil.rmtree(self._folder, ignore_errors=True)

    # -- writing, by one thread -------------------------------------------------------------

    def add_passages(self, rows: Sequence[PassageRow]) -> None:
        """Append passages in one commit. The passages of a document must stand side by side.

        Raises ``disk_full`` or another error of the system, after which ``behind`` is set.
        """
        self._write(
            [],
            [
                (row.doc, row.passage.ordinal, row.language, row.passage.view, row.passage.stems)
                for row in rows
            ],
        )

    def delete_documents(self, docs: Iterable[int]) -> None:
        """Delete the words of some documents; raises as ``add_passages``."""
        if gone := [doc for doc in docs if doc in self._counts]:
            self._write(gone, [])

    def catch_up(
        self,
        there: Mapping[int, int],
        read: Callable[[Sequence[int]], Iterable[StoredPassage]],
        most: int | None = None,
    ) -> bool:
        """Make words again for documents whose number of passages differs from that in the texts.

        Args:
            there: The number of passages of each document in the texts.
            read: Streams all passages of documents.
            most: The approximate number of passages to read; None for all.

        Returns whether nothing is left.
        """
        if self.failed:
            self._reset()
        wrong = [doc for doc, count in there.items() if self._counts.get(doc, (0,))[0] != count]
        gone = [doc for doc in self._counts if doc not in there]
        self.delete_documents(gone)
        done = held = 0
        batch: list[int] = []
        for doc in wrong:
            if most is not None and done + held >= most:
                break
            batch.append(doc)
            held += there[doc]
            if held >= _TOGETHER:
                self._make_again(batch, read, there)
                done, held, batch = done + held, 0, []
        if batch:
            self._make_again(batch, read, there)
        left = any(self._counts.get(doc, (0,))[0] != count for doc, count in there.items())
        self.behind = left
        return not left

    def tidy(self) -> None:
        """Make the next ``catch_up`` rebuild the indexes if too many entries are deleted."""
        few = len(self._counts) == 0 or self._passages.searcher.num_docs < _FEW_ENTRIES
        if not few and deleted_share(self._passages.folder) > _MOST_DELETED:
            self.discard()

    def discard(self) -> None:
        """Make the next ``catch_up`` rebuild the indexes."""
        self.failed = self.behind = True

    # -- asking -----------------------------------------------------------------------------

    def query_words(self, question: Callable[[IndexedPassages], T], nothing: T) -> T:
        """Query the index of passages; return ``nothing`` while it cannot be read.

        Args:
            question: A function that calls a query of ``word_queries``.
            nothing: The answer without an index.
        """
        index = self._passages
        try:
            return question(IndexedPassages(index.schema, index.searcher, self._counts))
        except BaseException as error:
            if not is_tantivys(error):
                raise
            log.warning("the words of %s cannot be read: %s", self._folder.parent, error)
            self.discard()
            return nothing

    def documents(self) -> DocumentWords:
        """The words of all documents. The object is the same until they change."""
        found = self._documents
        if found is None:
            counts = dict(self._counts)
            lengths = np.zeros(max(counts, default=-1) + 1, np.float32)
            for doc, (_, length) in counts.items():
                lengths[doc] = max(1, length)
            index = self._index_of_documents
            self._documents = found = DocumentWords(index.schema, index.searcher, lengths)
        return found

    def verify(self) -> list[str]:
        """The names of altered files."""
        return [f"{one}/{name}" for one in _INDEXES for name in altered_files(self._folder / one)]

    def size(self) -> TableSize:
        """The number of passages in the indexes, and the bytes of the indexes on disk."""
        size = bytes_under(self._folder)
        return TableSize(self._passages.searcher.num_docs, size, size)

    # -- within -----------------------------------------------------------------------------

    def _load(self) -> None:
        """Open both indexes.

        Raises ``AlteredIndexError`` if they are altered.
        """
        passages, documents = self._folder / _PASSAGES, self._folder / _DOCUMENTS
        sums: list[int] = []
        if (passages / "meta.json").exists():
            sums, self._counts = _read_state(self._folder / _STATE)
        elif self._folder.exists():
            shutil.rmtree(documents, ignore_errors=True)
        self._passages = TantivyIndex(passages, passage_schema())
        self._index_of_documents = TantivyIndex(documents, document_schema())
        if sums and sums != self._checksums():
            try:
                doubtful = json.loads((self._folder / _PENDING).read_bytes())
            except (OSError, ValueError) as error:
                raise AlteredIndexError("a list of segments was altered") from error
            # The last commit was interrupted before its end was noted, so it is repeated.
            self._counts.update(dict.fromkeys(doubtful, (0, 0)))
            self.delete_documents(doubtful)

    def _reset(self) -> None:
        """Replace the indexes by empty ones."""
        with suppress(FileNotFoundError), write_errors(self._folder):
            shutil.rmtree(self._folder)
        self._counts, self._documents, self._stemmed = {}, None, set()
        self._load()
        self.failed, self.behind = False, True

    def _checksums(self) -> list[int]:
        return [self._passages.checksum(), self._index_of_documents.checksum()]

    def _make_again(
        self,
        docs: Sequence[int],
        read: Callable[[Sequence[int]], Iterable[StoredPassage]],
        there: Mapping[int, int],
    ) -> None:
        self._write(
            docs,
            [
                (one.doc, one.ordinal, one.language, one.view, stems(one.view, one.language))
                for one in read(docs)
            ],
            # A damaged text yields fewer passages; the full number is noted, else this repeats.
            {doc: there[doc] for doc in docs},
        )

    def _write(
        self,
        gone: Sequence[int],
        rows: Sequence[tuple[int, int, str, str, str]],
        there: Mapping[int, int] | None = None,
    ) -> None:
        """Delete documents and add (document, ordinal, language, view, stems) in one commit."""
        counts = {doc: held for doc, held in self._counts.items() if doc not in set(gone)}
        touched = sorted({*gone, *(row[0] for row in rows)})
        behind, self.behind = self.behind, True
        with write_errors(self._folder):
            write_file(self._folder / _PENDING, json.dumps(touched))
            with self._passages.committing() as writer:
                for doc in gone:
                    writer.delete_documents_by_term("doc", doc)
                for doc, ordinal, _, view, stemmed in rows:
                    writer.add_document(_passage_entry(doc, ordinal, view, stemmed))
            faults.reached("words-of-passages")
            with self._index_of_documents.committing() as writer:
                for doc in gone:
                    writer.delete_documents_by_term("doc", doc)
                new = self._add_documents(writer, rows, counts)
            for doc, passages in (there or {}).items():
                counts[doc] = passages, counts.get(doc, (0, 0))[1]
            faults.reached("words-of-documents")
            _write_state(self._folder / _STATE, self._checksums(), counts)
            (self._folder / _PENDING).unlink()
        self._counts, self._documents = counts, None
        if len(self._stemmed) + len(new) > _MOST_STEMMED:
            self._stemmed.clear()
        self._stemmed |= new
        self.behind = behind

    def _add_documents(
        self,
        writer: tantivy.IndexWriter,
        rows: Sequence[tuple[int, int, str, str, str]],
        counts: dict[int, tuple[int, int]],
    ) -> set[tuple[str, str]]:
        """Add and count the words of documents; return each new (language, word)."""
        new: set[tuple[str, str]] = set()
        for (doc, language), listed in groupby(rows, key=lambda row: (row[0], row[2])):
            views = [row[3] for row in listed]
            found = count_words(views)
            passages, before = counts.get(doc, (0, 0))
            counts[doc] = passages + len(views), before + found.total()
            for entry in document_entries(doc, len(views), found):
                writer.add_document(entry)
            new.update((language, word) for word in found)
        new -= self._stemmed
        for language, pairs in groupby(sorted(new), key=lambda pair: pair[0]):
            writer.add_document(vocabulary_entry([word for _, word in pairs], language))
        return new


def join_words(folders: Sequence[Path], folder: Path) -> None:
    """Join the words of several libraries, whose documents have different numbers.

    The segments of an index are independent and have random names, so one index can list them all.
    Raises ``AlteredIndexError`` if one cannot be read, ``OSError`` if a file cannot be written.
    """
    counts: dict[int, tuple[int, int]] = {}
    folders = [one for one in folders if (one / _STATE).exists()]  # a library may have no words
    for one in folders:
        counts.update(_read_state(one / _STATE)[1])
    if not folders:
        return
    sums = [join_indexes([one / name for one in folders], folder / name) for name in _INDEXES]
    _write_state(folder / _STATE, sums, counts)


def _passage_entry(doc: int, ordinal: int, view: str, stemmed: str) -> tantivy.Document:
    entry = tantivy.Document()
    entry.add_integer("key", key_of(doc, ordinal))
    entry.add_integer("doc", doc)
    entry.add_text("stems", stemmed)
    if characters := unspaced_words(view):
        entry.add_text("characters", " ".join(characters))
    return entry


def _write_state(path: Path, sums: Sequence[int], counts: Counts) -> None:
    rows = [(doc, *held) for doc, held in counts.items()]
    head = json.dumps({"format": FORMAT, "sums": list(sums)}).encode() + b"\n"
    content = head + np.array(rows, "<i8").tobytes()
    with replacing(path) as file:
        file.write(content + zlib.crc32(content).to_bytes(4, "little"))


def _read_state(path: Path) -> tuple[list[int], dict[int, tuple[int, int]]]:
    """Read the checksums of both lists of segments, and the counts of each document.

    Raises ``AlteredIndexError`` if the file is missing, altered or of another format.
    """
    try:
        content = path.read_bytes()
        if zlib.crc32(content[:-4]) != int.from_bytes(content[-4:], "little"):
            raise ValueError("its checksum differs")
        head, _, rows = content[:-4].partition(b"\n")
        noted: dict[str, Any] = json.loads(head)
        if noted["format"] != FORMAT:
            raise ValueError("it has another format")
    except (OSError, ValueError, LookupError) as error:
        raise AlteredIndexError(f"{path.name}: {error}") from error
    table = np.frombuffer(rows, "<i8").reshape(-1, 3).tolist()
    return noted["sums"], {doc: (passages, length) for doc, passages, length in table}


def unspaced_words(text: str) -> list[str]:
    """The words of a text's ``sequence`` in scripts without spaces: single characters."""
    if text.isascii() or not _PERHAPS_UNSPACED.search(text):
        return []
    return list(filter(is_unspaced, sequence(text)))
