"""Late-interaction models: a vector for each token of a query, and for few tokens of a passage.

The layout of their sequences is described by their records (``models.Interaction``).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from indexer.arrays import segment_max
from indexer.embed.batches import Batch, PassageVectors, closing_pool, in_order, unit_vectors
from indexer.embed.devices import AUTO
from indexer.embed.embedder import OnnxEmbedder
from indexer.embed.layout import shared_tokenizer
from indexer.embed.models import Interaction

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from numpy.typing import NDArray

    from indexer.embed.batches import EmbedInput
    from indexer.embed.layout import TextTokenizer
    from indexer.embed.model_files import ModelForm
    from indexer.embed.models import ModelRecord

    Floats = NDArray[np.float32]
    Ids = NDArray[np.int32]


class TokenLayout:
    """The sequences of one late-interaction model.

    Raises:
        ValueError: If the tokenizer lacks a token that the record names.
    """

    def __init__(self, record: ModelRecord, tokenizer: TextTokenizer) -> None:
        self._how = record.interaction or Interaction()
        self._tokenizer = tokenizer
        self._query, self._passage = (
            np.concatenate([tokenizer.lead[:1], self._ids(marker), tokenizer.lead[1:]])
            for marker in (self._how.query_marker, self._how.passage_marker)
        )
        self._filling = self._ids(self._how.expansion)
        known = (tokenizer.id_of(token) for token in self._how.skipped)
        self._skipped = np.array([one for one in known if one is not None], np.int32)
        #: The most tokens of text in a sequence of a passage.
        self.room = record.window - len(self._passage) - len(tokenizer.tail)

    def query(self, text: str) -> tuple[Ids, int]:
        """The ids of a query, and how many of them are attended to."""
        (body,) = self._tokenizer.encode([text])
        room = self._how.query_tokens - len(self._query) - len(self._tokenizer.tail)
        ids = np.concatenate([self._query, body.ids[:room], self._tokenizer.tail])
        own = len(ids)
        if len(self._filling):
            ids = np.concatenate([ids, np.repeat(self._filling, self._how.query_tokens - own)])
        return ids, own if self._how.unattended else len(ids)

    def passages(self, views: Sequence[str]) -> Iterator[tuple[int, Ids]]:
        """The sequences of passages, each with the index of its passage, which ascends."""
        for index, body in enumerate(self._tokenizer.encode(views)):
            for start in range(0, max(1, len(body)), self.room):
                part = body.ids[start : start + self.room]
                yield index, np.concatenate([self._passage, part, self._tokenizer.tail])

    def kept(self, ids: Ids) -> NDArray[np.bool_]:
        """Which tokens of a passage's sequence get a vector."""
        return ~np.isin(ids, self._skipped)

    def _ids(self, token: str) -> Ids:
        found = [self._tokenizer.id_of(token)] if token else []
        if None in found:
            raise ValueError(f"the tokenizer has no token {token[:80]!r}")
        return np.array(found, np.int32)


class TokenEmbedder(OnnxEmbedder):
    """Encodes queries and passages to vectors of their tokens. Thread-safe.

    Args:
        form: Of a record with an ``interaction``.
        workers: As ``OnnxEmbedder``.
        provider: As ``OnnxEmbedder``.

    Raises:
        WorldError: As ``OnnxEmbedder``.
    """

    def __init__(self, form: ModelForm, workers: int, provider: str = AUTO) -> None:
        super().__init__(form, workers, provider)
        self._sequences = TokenLayout(form.record, shared_tokenizer(form.tokenizer))
        self._pooled = (form.record.interaction or Interaction()).pooled

    def encode_tokens(self, text: str) -> Floats:
        """The vectors of a query, of length 1 each: (n, dim)."""
        ids, length = self._sequences.query(text)
        return unit_vectors(
            self._encoder.states(Batch((0,), ids[None], np.array([length], np.int32)))[0]
        )

    def encode_batches(
        self,
        passages: Sequence[EmbedInput],
        *,
        runs: Sequence[int] | None = None,  # noqa: ARG002  # each is read alone
        budget: Callable[[], int] | None = None,
    ) -> Generator[list[tuple[int, PassageVectors]], None, None]:
        """As ``OnnxEmbedder``, with pooled token vectors in the place of those of sentences.

        The vector of a passage is the mean of those of its tokens.
        """
        parts = list(self._sequences.passages([passage.view for passage in passages]))
        left = np.bincount([index for index, _ in parts], minlength=len(passages))
        states: dict[int, Floats] = {}
        with closing_pool(self._workers) as pool:
            batches = self._batches([ids for _, ids in parts], budget)
            for made in in_order(pool, self._run, batches, self._workers):
                states.update(made)
                owners = [parts[part][0] for part, _ in made]
                np.subtract.at(left, owners, 1)
                owners = sorted({*owners})
                whole = [index for index in owners if not left[index]]
                yield [(index, self._vectors(index, parts, states)) for index in whole]

    def _vectors(
        self, index: int, parts: Sequence[tuple[int, Ids]], states: dict[int, Floats]
    ) -> PassageVectors:
        """The vectors of a passage, whose states are taken out."""
        first = bisect_left(parts, index, key=itemgetter(0))
        last = bisect_right(parts, index, key=itemgetter(0))
        kept = [states.pop(part)[self._sequences.kept(parts[part][1])]
                for part in range(first, last)]  # fmt: skip
        vectors = unit_vectors(np.concatenate(kept))
        tokens = sum(len(ids) for _, ids in parts[first:last])
        mean = unit_vectors(vectors.sum(axis=0))
        return PassageVectors(mean, pool_tokens(vectors, self._pooled), tokens)


def pool_tokens(vectors: Floats, factor: int) -> Floats:
    """Token pooling (Clavié et al., 2024): one mean for every ``factor`` of similar vectors.

    They are merged pair by pair by Ward's criterion (1963). The first vector, which stands for the
    whole sequence, is kept.

    Args:
        vectors: Of length 1, shape (n, dim).
        factor: At least 1.

    Returns:
        Of length 1, shape (1 + ceil((n - 1) / factor), dim), in the order of their first tokens.
    """
    sums = vectors[1:].copy()
    count = len(sums)
    surplus = count - -(-count // factor)
    if surplus <= 0:
        return vectors
    sizes, there = np.ones(count, np.float32), np.ones(count, bool)
    cost = np.float32(1) - sums @ sums.T  # half the squared distance
    np.fill_diagonal(cost, np.inf)
    for _ in range(surplus):
        one, other = sorted(divmod(int(cost.argmin()), count))
        sums[one] += sums[other]
        sizes[one] += sizes[other]
        there[other] = False
        cost[other] = cost[:, other] = np.inf
        apart = np.square(sums / sizes[:, None] - sums[one] / sizes[one]).sum(axis=1)
        row = apart * sizes * sizes[one] / (sizes + sizes[one])
        row[~there] = row[one] = np.inf
        cost[one] = cost[:, one] = row
    return np.concatenate([vectors[:1], unit_vectors(sums[there])])


def max_sim(query: Floats, vectors: Floats, offsets: NDArray[np.int64]) -> Floats:
    """The sum, over the vectors of a query, of the largest cosine in each passage.

    Args:
        query: Shape (q, dim).
        vectors: Shape (total, dim).
        offsets: Shape (n + 1,): those of passage i are ``vectors[offsets[i]:offsets[i + 1]]``.

    Returns:
        Shape (n,); -q for a passage without vectors.
    """
    cosines = query @ vectors.T
    sums = np.zeros(len(offsets) - 1, np.float32)
    for row in cosines:
        sums += segment_max(row, offsets)[0]
    return sums
