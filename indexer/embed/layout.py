"""Tokenises passages and lays them out as sequences: special tokens, prefix, body, windows.

The tokenizer neither truncates nor pads, keeps the offsets of characters and caches the tokens of
words. Special tokens that occur literally in a text ("[SEP]", "</s>") are ordinary characters. A
passage is laid out alone or, for late chunking, in overlapping windows of its document. It is
pooled from the window in which it is farthest from a border, and every token is covered.
"""

from __future__ import annotations

import os
import re
import threading
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np
from msgspec import Struct

from indexer.embed.batches import EmbedInput, PassageRows, TokenSequence, passage_prefix

if TYPE_CHECKING:
    from indexer.arrays import Int32s, Int64s
    from indexer.embed.models import ModelRecord

    Encode = Callable[[Sequence[str]], Sequence[tuple[list[int], list[int]]]]

_BORDERS = r" \t\n\r!-/:-@\[-`{-~"  # white space and punctuation of ASCII
# Parts of a text whose tokens do not depend on other parts. Together they are the whole text.
_WORD = re.compile(rf" ?[^{_BORDERS}]+| ?[{_BORDERS}]")
_MOST_WORDS = 1 << 16  # some 10 MB
_MOST_CHARACTERS = 40  # longer words seldom occur twice
_TOKEN_BYTES = 8


class TextTokens(Struct, frozen=True):
    """The ids, int32, (n,), of the tokens of one text, without special tokens.

    ``starts`` is int32, (n,): the offset of each token in the text, in code points.
    """

    ids: Int32s
    starts: Int32s

    def __len__(self) -> int:
        return len(self.ids)


def shared_tokenizer(path: Path) -> TextTokenizer:
    """Open the tokenizer of a file, shared by its users: a vocabulary of 160,000 takes 150 MB."""
    key = path, path.stat().st_mtime_ns
    with _opening:
        tokenizer = _open.get(key)
        if tokenizer is None:
            tokenizer = _open[key] = TextTokenizer(path)
        return tokenizer


class TextTokenizer:
    """The tokenizer of one model. Thread-safe; runs in the calling thread."""

    def __init__(self, path: Path) -> None:
        # The tokenizer's thread pool would compete with the threads of ONNX Runtime.
        os.environ["TOKENIZERS_PARALLELISM"] = "false"
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True
        self.lead, self.tail = self._template()
        self._special, self._unknown = self._special_ids()
        self._words = WordTokens() if has_independent_words(self._tokenizer) else None

    @property
    def largest_id(self) -> int:
        """The largest token id."""
        return max(self._tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)

    def encode(self, texts: Sequence[str]) -> list[TextTokens]:
        """Tokenize texts, without adding special tokens."""
        if self._words is not None:
            return [TextTokens(*self._words.tokenize(text, self._encode)) for text in texts]
        encoded = self._encode(texts)
        return [TextTokens(np.array(ids, np.int32), np.array(at, np.int32)) for ids, at in encoded]

    def _encode(self, texts: Sequence[str]) -> list[tuple[list[int], list[int]]]:
        """The token ids of each text, and the offsets of the tokens."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [
            (self._without_special(one.ids), [start for start, _ in one.offsets])
            for one in encodings
        ]

    def _template(self) -> tuple[Int32s, Int32s]:
        """The special ids before and after a sequence."""
        encoding = self._tokenizer.encode("a", add_special_tokens=True)
        ids = np.array(encoding.ids, np.int32)
        text = np.flatnonzero(np.array(encoding.special_tokens_mask) == 0)
        return ids[: text[0]], ids[text[-1] + 1 :]

    def _special_ids(self) -> tuple[frozenset[int], int]:
        special = {
            token_id
            for token_id, token in self._tokenizer.get_added_tokens_decoder().items()
            if token.special
        }
        # The unknown token is special but has no function, so texts may contain it.
        encoded = self._tokenizer.encode("\U000e0fff", add_special_tokens=False).ids
        unknown = encoded[0] if encoded else -1
        return frozenset(special - {unknown}), unknown

    def _without_special(self, ids: list[int]) -> list[int]:
        """Replace special tokens, to which some texts are normalised, by the unknown token."""
        if self._unknown < 0 or self._special.isdisjoint(ids):
            return ids
        return [self._unknown if one in self._special else one for one in ids]


def has_independent_words(tokenizer: Any) -> bool:
    """Whether a tokenizer is that of a BERT model, without added words."""
    kinds = [type(part).__name__ for part in (tokenizer.normalizer, tokenizer.pre_tokenizer)]
    added = tokenizer.get_added_tokens_decoder().values()
    return kinds == ["BertNormalizer", "BertPreTokenizer"] and all(one.special for one in added)


class WordTokens:
    """A cache of the tokens of words. Thread-safe.

    The tokenizer of a BERT model normalises each character, and splits at white space and
    punctuation before it finds subwords. So a word has the same tokens in every text. Looking words
    up takes a quarter of the time of tokenizing them.
    """

    def __init__(self) -> None:
        # The id and the offset of each token in turn, int32.
        self._known: dict[str, bytes] = {}

    def tokenize(self, text: str, encode: Encode) -> tuple[Int32s, Int32s]:
        """The token ids of a text, (n,), and the offsets of the tokens, (n,).

        ``encode`` tokenizes words that are not cached.
        """
        words = _WORD.findall(text)
        try:
            found = list(map(self._known.__getitem__, words))
        except KeyError:
            found = self._learnt(words, encode)
        sizes = np.fromiter(map(len, words), np.int32, len(words))
        counts = np.fromiter(map(len, found), np.int32, len(words)) // _TOKEN_BYTES
        pairs = np.frombuffer(b"".join(found), np.int32).reshape(-1, 2)
        begins = (np.cumsum(sizes, dtype=np.int32) - sizes).repeat(counts)
        return pairs[:, 0].copy(), pairs[:, 1] + begins

    def _learnt(self, words: Sequence[str], encode: Encode) -> list[bytes]:
        """Tokenize words; cache the short ones."""
        known = self._known
        missing = [word for word in dict.fromkeys(words) if word not in known]
        new = {
            word: np.array([ids, offsets], np.int32).T.tobytes()
            for word, (ids, offsets) in zip(missing, encode(missing), strict=True)
        }
        if len(known) > _MOST_WORDS:
            self._known = {}  # other threads still use the old cache
        self._known.update(
            (word, own) for word, own in new.items() if len(word) <= _MOST_CHARACTERS
        )
        return [new[word] if word in new else known[word] for word in words]


_open: WeakValueDictionary[tuple[Path, int], TextTokenizer] = WeakValueDictionary()
_opening = threading.Lock()


class PassageSlice(Struct, frozen=True):
    """The tokens ``start`` to ``end`` of the run: a part of a passage that one window pools."""

    window: int
    start: int
    end: int


class Plan(Struct, frozen=True):
    """The windows as token ranges of the run, and the slices of each passage.

    The slices of a passage are adjacent and cover it; a passage that fits a window has one.
    """

    windows: tuple[tuple[int, int], ...]
    slices: tuple[tuple[PassageSlice, ...], ...]


def plan_windows(lengths: Sequence[int], capacity: int, overlap: int) -> Plan:
    """Plan windows over consecutive passages, in order, none longer than ``capacity``.

    A window starts ``overlap`` tokens before the first passage that no earlier window has
    completely, so that every passage has context on its left. It ends where a passage ends, because
    the tokens of a partial passage would be encoded twice. Special tokens and prefix do not count.
    Raises ``ValueError`` if ``capacity`` is not above ``overlap``, or ``overlap`` is negative.
    """
    if not 0 <= overlap < capacity:
        raise ValueError(f"an overlap of {overlap} does not suit windows of {capacity} tokens")
    spans = list(pairwise(accumulate(lengths, initial=0)))
    total = spans[-1][1] if spans else 0
    windows = _windows(spans, capacity, overlap)
    slices = tuple(_slices(start, end, windows, total) for start, end in spans)
    return Plan(tuple(windows), slices)


def _windows(
    spans: Sequence[tuple[int, int]], capacity: int, overlap: int
) -> list[tuple[int, int]]:
    windows: list[tuple[int, int]] = []
    ends = [end for _, end in spans]
    covered = 0  # the end of the planned tokens
    for start, end in spans:
        fits = end - start <= capacity
        # A passage longer than a window is split into overlapping parts.
        while covered < end:
            context = min(overlap, capacity - (end - start)) if fits else overlap
            begin = max(0, (start if fits else max(covered, start)) - context)
            reach = begin + capacity
            covered = ends[bisect_right(ends, reach) - 1] if reach >= end else reach
            windows.append((begin, covered))
    return windows


def _slices(
    start: int, end: int, windows: Sequence[tuple[int, int]], total: int
) -> tuple[PassageSlice, ...]:
    if start == end:
        return ()
    holding = [i for i, (a, b) in enumerate(windows) if a <= start and end <= b]
    if holding:
        best = max(holding, key=lambda i: _interior(start, end, windows[i], total))
        return (PassageSlice(best, start, end),)
    return _cut(start, end, windows)


def _interior(start: int, end: int, window: tuple[int, int], total: int) -> int:
    """The distance of a span from the nearer border of a window, ignoring ends of the text."""
    left = start - window[0] if window[0] > 0 else total
    right = window[1] - end if window[1] < total else total
    return min(left, right)


def _cut(start: int, end: int, windows: Sequence[tuple[int, int]]) -> tuple[PassageSlice, ...]:
    """Split a span over its windows, in the middle of each overlap."""
    touching = [i for i, (a, b) in enumerate(windows) if a < end and start < b]
    slices = []
    position = start
    for here, following in zip(touching, [*touching[1:], None], strict=True):
        border = end
        if following is not None:
            border = min(end, (windows[here][1] + windows[following][0]) // 2)
        if border > position:
            slices.append(PassageSlice(here, position, border))
            position = border
    return tuple(slices)


_PREFIXES = 256
# The most tokens of headings that are inserted inside a window.
MOST_HEADINGS = 32


class WindowLayout:
    """The layout of input sequences for one model. Thread-safe."""

    def __init__(self, record: ModelRecord, tokenizer: TextTokenizer) -> None:
        self._record = record
        self._tokenizer = tokenizer
        # Consecutive passages mostly have the same title and headings.
        self._prefix = lru_cache(maxsize=_PREFIXES)(self._tokenize_prefix)

    def tokenize(self, passages: Sequence[EmbedInput]) -> list[TextTokens]:
        """Tokenize the views, for ``sequences``."""
        return self._tokenizer.encode([passage.view for passage in passages])

    def sequences(
        self,
        passages: Sequence[EmbedInput],
        bodies: Sequence[TextTokens],
        runs: Sequence[int] | None = None,
    ) -> list[TokenSequence]:
        """The input sequences of passages, given their tokens.

        A late-chunking model encodes the passages of a document together. ``runs`` has the number
        of consecutive passages of each document; by default all are of one.
        """
        if not passages:
            return []
        together = (runs or [len(passages)]) if self._record.late else [1] * len(passages)
        return [
            sequence
            for start, end in pairwise(accumulate(together, initial=0))
            for sequence in self._windows(range(start, end), passages, bodies)
        ]

    def text(self, text: str, before: str) -> tuple[list[TokenSequence], Int32s]:
        """The input sequences of ``before + text``, as passage 0 with one sentence.

        The second result has the offset of each token in ``text``, (n,), or -1 in ``before``.
        """
        (body,) = self._tokenizer.encode([before + text])
        bounds = np.array([0, len(body)], np.int64)
        sequences = self._run([0], [len(body)], body.ids, [bounds], [np.empty(0, np.int32)])
        return sequences, np.maximum(body.starts - len(before), -1)

    def _windows(
        self, indices: Sequence[int], passages: Sequence[EmbedInput], bodies: Sequence[TextTokens]
    ) -> list[TokenSequence]:
        """Lay out consecutive passages. The prefix of a window is that of its first passage.

        If the headings change inside a window, they are inserted before the passage, because the
        text has at most the innermost one. They are not pooled.
        """
        own = [passages[index] for index in indices]
        # A passage without tokens gets no headings.
        ahead = [
            more[: MOST_HEADINGS if len(bodies[index]) else 0]
            for index, more in zip(indices, self._headings(own), strict=True)
        ]
        lengths = [
            len(more) + len(bodies[index]) for index, more in zip(indices, ahead, strict=True)
        ]
        bounds = [
            offset + len(more) + _sentence_bounds(bodies[index], passages[index].view_starts)
            for index, more, offset in zip(
                indices, ahead, accumulate(lengths, initial=0), strict=False
            )
        ]
        parts = [
            part
            for index, more in zip(indices, ahead, strict=True)
            for part in (more, bodies[index].ids)
        ]
        lead = self._record.document_prefix
        prefixes = [self._prefix(lead + passage_prefix(one.title, one.heading_path)) for one in own]
        return self._run(indices, lengths, np.concatenate(parts), bounds, prefixes)

    def _headings(self, passages: Sequence[EmbedInput]) -> list[Int32s]:
        """The tokens of each passage's headings; empty if equal to those of the passage before."""
        nothing = np.empty(0, np.int32)
        changed = [
            self._prefix(passage_prefix("", one.heading_path))
            if one.heading_path and one.heading_path != before.heading_path
            else nothing
            for before, one in pairwise(passages)
        ]
        return [nothing, *changed]

    def _run(
        self,
        indices: Sequence[int],
        lengths: Sequence[int],
        ids: Int32s,
        bounds: Sequence[Int64s],
        prefixes: Sequence[Int32s],
    ) -> list[TokenSequence]:
        """Split a run of passages into windows and add prefix and special tokens to each."""
        leads = [np.concatenate([self._tokenizer.lead, prefix]) for prefix in prefixes]
        tail = self._tokenizer.tail
        capacity = self._record.window - max(map(len, leads)) - len(tail)
        plan = plan_windows(lengths, capacity, min(self._record.overlap, capacity - 1))
        pieces: list[list[PassageRows]] = [[] for _ in plan.windows]
        frames = [leads[0]] * len(plan.windows)
        for index, own, slices, lead in zip(indices, bounds, plan.slices, leads, strict=True):
            for part in slices:
                if not pieces[part.window]:
                    frames[part.window] = lead
                begin = plan.windows[part.window][0] - len(frames[part.window])
                rows = np.clip(own, part.start, part.end) - begin
                pieces[part.window].append(PassageRows(index, rows))
        sequences = [
            TokenSequence(np.concatenate([lead, ids[start:end], tail]), tuple(held))
            for (start, end), held, lead in zip(plan.windows, pieces, frames, strict=True)
        ]
        # A passage without tokens gets the vector of its prefix.
        for index, own, slices, lead in zip(indices, bounds, plan.slices, leads, strict=True):
            if not slices:
                rows = np.full(len(own), len(lead), np.int64)
                sequences.append(
                    TokenSequence(np.concatenate([lead, tail]), (PassageRows(index, rows),))
                )
        return sequences

    def _tokenize_prefix(self, text: str) -> Int32s:
        (tokens,) = self._tokenizer.encode([text])
        return tokens.ids[: self._record.max_prefix]


def _sentence_bounds(tokens: TextTokens, starts: Sequence[int]) -> Int64s:
    """The first token of each sentence, and the end; a token is in the sentence where it starts."""
    inner = np.searchsorted(tokens.starts, np.array(starts[1:], np.int64))
    ends = [0, len(tokens)] if len(starts) else [0]
    return np.concatenate([ends[:1], inner, ends[1:]]).astype(np.int64)
