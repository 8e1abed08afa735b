"""Postings (term, document, count) as arrays and as bytes.

Owns the layout of a chunk of postings, the rounding of counts and the merging of sorted runs.
Pure functions; it must not know SQL or words, only the numbers of words ("terms").

A chunk holds whole terms: a header of four bytes with their number, then the terms and their
lengths (uint32 each), then for all postings the documents (uint16, counted from the segment's
first) and the counts (uint8, rounded). Nothing is packed further, so reading one costs no decoding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

CHUNK_POSTINGS = 8192
SPAN = 1 << 16  # document ids that fit a segment's uint16

EXACT_COUNTS = 128
_STEPS = 12  # codes for each doubling past the exact counts
_CODES = np.arange(256)
COUNTS = np.where(
    _CODES < EXACT_COUNTS,
    _CODES,
    np.round(EXACT_COUNTS * 2.0 ** ((_CODES - EXACT_COUNTS) / _STEPS)),
).astype(np.float32)


class Postings(NamedTuple):
    """Postings sorted by term, then by document; three arrays of one length."""

    term: NDArray[np.int64]
    doc: NDArray[np.int64]
    code: NDArray[np.uint8]


def to_codes(counts: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Round counts of at least 1 to codes; ``COUNTS`` maps back. Off by 3 % at most."""
    large = np.maximum(counts, EXACT_COUNTS) / EXACT_COUNTS
    codes = EXACT_COUNTS + np.round(np.log2(large) * _STEPS)
    return np.where(counts < EXACT_COUNTS, counts, np.minimum(codes, 255)).astype(np.uint8)


def ordered(term: NDArray[np.int64], doc: NDArray[np.int64], code: NDArray[np.uint8]) -> Postings:
    """Sort postings."""
    order = np.lexsort((doc, term))
    return Postings(term[order], doc[order], code[order])


def join(pieces: Sequence[Postings]) -> Postings:
    """Concatenate postings."""
    return Postings(
        np.concatenate([piece.term for piece in pieces]),
        np.concatenate([piece.doc for piece in pieces]),
        np.concatenate([piece.code for piece in pieces]),
    )


def encode(postings: Postings, base: int) -> bytes:
    """Lay out whole terms as a chunk of the segment whose first document is ``base``."""
    terms, lengths = np.unique(postings.term, return_counts=True)
    return b"".join(
        (
            np.uint32(len(terms)).tobytes(),
            terms.astype("<u4").tobytes(),
            lengths.astype("<u4").tobytes(),
            (postings.doc - base).astype("<u2").tobytes(),
            postings.code.tobytes(),
        )
    )


def decode(chunk: bytes, base: int) -> Postings:
    """Decode a whole chunk."""
    terms, lengths, docs, codes = _views(chunk)
    return Postings(np.repeat(terms, lengths).astype(np.int64), docs.astype(np.int64) + base, codes)


def find(chunk: bytes, base: int, term: int) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Read the documents and the codes of one term; empty arrays if the chunk does not have it."""
    terms, lengths, docs, codes = _views(chunk)
    at = int(np.searchsorted(terms, term))
    if at == len(terms) or terms[at] != term:
        return np.zeros(0, np.int64), np.zeros(0, np.uint8)
    start = int(lengths[:at].sum(dtype=np.int64))
    end = start + int(lengths[at])
    return docs[start:end].astype(np.int64) + base, codes[start:end]


def _views(
    chunk: bytes,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint16], NDArray[np.uint8]]:
    count = int(np.frombuffer(chunk, "<u4", 1)[0])
    terms = np.frombuffer(chunk, "<u4", count, 4)
    lengths = np.frombuffer(chunk, "<u4", count, 4 + 4 * count)
    start = 4 + 8 * count
    total = (len(chunk) - start) // 3
    docs = np.frombuffer(chunk, "<u2", total, start)
    return terms, lengths, docs, np.frombuffer(chunk, np.uint8, total, start + 2 * total)


def cut(postings: Postings, *, last: bool) -> tuple[list[Postings], Postings]:
    """Cut sorted postings into chunks between terms.

    Args:
        postings: Sorted.
        last: Whether nothing follows; otherwise what does not fill a chunk is returned.

    Returns:
        The chunks and the rest.
    """
    starts = np.flatnonzero(np.diff(postings.term, prepend=-1))
    pieces, begin = [], 0
    while begin < len(postings.term):
        at = int(np.searchsorted(starts, begin + CHUNK_POSTINGS))
        if at == len(starts):
            if last:
                pieces.append(_slice(postings, begin, None))
                begin = len(postings.term)
            break
        pieces.append(_slice(postings, begin, int(starts[at])))
        begin = int(starts[at])
    return pieces, _slice(postings, begin, None)


def merge(
    runs: Sequence[Iterator[Postings]], keep: Callable[[NDArray[np.int64]], NDArray[np.bool_]]
) -> Iterator[Postings]:
    """Merge sorted runs into one, a few chunks in memory at a time.

    Args:
        runs: Each yields consecutive pieces; no document is in two runs.
        keep: Returns which documents are kept.

    Yields:
        Consecutive sorted pieces of whole terms.
    """
    heads: list[Postings | None] = [next(run, None) for run in runs]
    while any(head is not None for head in heads):
        # All postings up to this term are loaded; of later terms some may not be read yet.
        limit = min(int(head.term[-1]) for head in heads if head is not None)
        taken = []
        for index, head in enumerate(heads):
            while head is not None:
                end = int(np.searchsorted(head.term, limit, side="right"))
                taken.append(_slice(head, 0, end))
                if end < len(head.term):
                    head = _slice(head, end, None)  # noqa: PLW2901  # the rest of it
                    break
                head = next(runs[index], None)  # noqa: PLW2901  # may begin with the same term
            heads[index] = head
        joined = join(taken)
        kept = keep(joined.doc)
        yield ordered(joined.term[kept], joined.doc[kept], joined.code[kept])


def _slice(postings: Postings, begin: int, end: int | None) -> Postings:
    return Postings(postings.term[begin:end], postings.doc[begin:end], postings.code[begin:end])
