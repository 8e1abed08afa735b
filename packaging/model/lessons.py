"""The training examples of a step: windows for the student, their passages for the teacher.

It samples texts and splits windows into passages. A step depends only on the seed and its number,
so that a resumed run sees the same examples. It must not know torch.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.embed.batches import passage_prefix
from indexer.embed.layout import MOST_HEADINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpus import Corpus

    from indexer.embed.layout import TextTokenizer

    Ints = Any

TITLE_LEFT_OUT = 0.15
SENTENCES = 0.3  # the share of a window's passages that are single sentences
PASSAGE_TOKENS = (48, 200)
LEAST_TOKENS, MOST_TOKENS = 5, 400
STRETCH = 1024  # consecutive tokens of a document, whose passages are each other's negatives
MOST_PREFIX = 64
# Queries are headings, for the passages under them, and sentences or parts of them.
MOST_HEADING, LEAST_HEADING = 32, 4  # tokens, characters
MOST_QUERY, LEAST_SENTENCE, LEAST_QUERY = 40, 6, 3  # tokens
THINNED, KEPT_WORDS = 0.5, (0.3, 0.8)  # share of sentences that lose tokens; of tokens that stay
ASKED, FEWEST_ASKED = 0.5, 8  # share of passages with a sentence as query


@dataclass(frozen=True, slots=True)
class Framing:
    """How texts become lessons.

    Attributes:
        document_prefix: Of the model; ``query_prefix`` is that of its queries.
        shares: The share of each file of the corpus: books, PEPs, RFCs.
        headless: The share of texts read without headings, which still ask for their sections.
        leading: The share of passages that begin with their second sentence. The first asks for it.
    """

    document_prefix: str = ""
    query_prefix: str = ""
    shares: tuple[float, ...] = (0.5, 0.3, 0.2)
    headless: float = 0.0
    leading: float = 0.0


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage as tokens ``start`` to ``end`` of its window, and alone for the teacher.

    ``first`` to ``last``, exclusive, are its sentences in the corpus. If ``led``, the sentence in
    front of them asks for them.
    """

    start: int
    end: int
    alone: Ints
    path: tuple[str, ...]
    first: int
    last: int
    led: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """The input ids of the student, with special tokens and title, and the passages in them."""

    ids: Ints
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """The input ids of a query, and its passages: ``first`` to ``last``, exclusive."""

    ids: Ints
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Lesson:
    """A share of a step: windows of one length, and queries for their passages."""

    windows: tuple[Window, ...]
    queries: tuple[Query, ...]


class Lessons:
    """Draws the shares of steps from a corpus."""

    def __init__(
        self, corpus: Corpus, tokenizer: TextTokenizer, seed: int, kept_back: int,
        how: Framing | None = None,
    ) -> None:  # fmt: skip
        how = how or Framing()
        self._corpus = corpus
        self._tokenizer = tokenizer
        self._seed = seed
        self._how = how
        passage, query = tokenizer.encode([how.document_prefix, how.query_prefix])
        self._ahead = {"passage": passage.ids, "query": query.ids}
        numbers = np.arange(len(corpus.titles))
        self._held = numbers % kept_back == kept_back // 2
        self._starts = corpus.sentences[corpus.documents]

    def draw(self, step: int, share: int, window: int, tokens: int, *, held: bool) -> Lesson:
        """Draw a share of a step.

        Args:
            step: Its number.
            share: The number of the share.
            window: Tokens of a window, with special tokens and title.
            tokens: The approximate number of tokens.
            held: Draw from the held-out documents.
        """
        chance = np.random.default_rng([self._seed, step, share, int(held)])
        weights = self._weights(max(window, STRETCH), held=held)
        windows: list[Window] = []
        while len(windows) * window < tokens:
            document = int(chance.choice(len(weights), p=weights))
            wanted = max(1, min(STRETCH, tokens) // window)
            windows += self._stretch(document, window, wanted, chance)
        passages = [passage for window in windows for passage in window.passages]
        queries = (*self._headings(passages), *self._sentences(passages, chance))
        return Lesson(tuple(windows), queries)

    def _weights(self, least: int, *, held: bool) -> Any:
        """The probability of each document: by its length, within the share of its source."""
        lengths = np.diff(self._starts).astype(np.float64)
        lengths[(self._held != held) | (lengths < least)] = 0
        sources = self._corpus.sources
        sums = np.bincount(sources, lengths)
        weights = lengths * (np.array(self._how.shares)[: len(sums)] / np.maximum(sums, 1))[sources]
        return weights / weights.sum()

    def _stretch(self, document: int, window: int, count: int, chance: Any) -> Iterator[Window]:
        """Yield consecutive windows of a document."""
        corpus = self._corpus
        # Nothing is drawn for a share of 0, so that the lessons of earlier runs stay the same.
        bare = self._how.headless > 0 and chance.random() < self._how.headless
        first, last = corpus.documents[document], corpus.documents[document + 1]
        begin, end = corpus.sentences[first], corpus.sentences[last] - window * count
        token = begin + chance.integers(0, max(1, end - begin))
        sentence = bisect_right(corpus.sentences, token) - 1
        title = "" if chance.random() < TITLE_LEFT_OUT else corpus.titles[document]
        for _ in range(count):
            found, sentence = self._window(sentence, last, title, window, chance, bare=bare)
            if found is None:
                return
            yield found

    def _window(
        self, sentence: int, last: int, title: str, window: int, chance: Any, *, bare: bool
    ) -> tuple[Window | None, int]:
        """The window that begins at a sentence, and the sentence at which the next begins.

        ``bare`` windows are read without headings.
        """
        corpus = self._corpus
        path = self._path(sentence, bare=bare)
        lead = np.concatenate([self._tokenizer.lead, self._in_front(title, path)])
        capacity = window - len(lead) - len(self._tokenizer.tail)
        if corpus.sentences[last] - corpus.sentences[sentence] < capacity:
            return None, last
        body, bounds = self._body(sentence, last, capacity, bare=bare)
        held = sentence + bisect_right(bounds[:, 1], capacity)  # the end of whole sentences
        passages = tuple(
            Passage(
                int(bounds[a - sentence, 0]) + len(lead),
                int(bounds[b - sentence - 1, 1]) + len(lead),
                self._alone(title, a, b, bare=bare),
                self._path(a, bare=False),
                a,
                b,
                led,
            )
            for a, b, led in self._passages(sentence, held, chance)
        )
        ids = np.concatenate([lead, body, self._tokenizer.tail])
        return Window(ids, passages), max(held, sentence + 1)

    def _path(self, sentence: int, *, bare: bool) -> tuple[str, ...]:
        """The headings above a sentence; none if they are not read."""
        return () if bare else self._corpus.paths[self._corpus.headings[sentence]]

    def _body(self, first: int, last: int, capacity: int, *, bare: bool) -> tuple[Ints, Ints]:
        """The tokens of a window from a sentence on, with changed headings inserted unless bare.

        The same layout as ``indexer.embed.layout``.

        Returns:
            ``capacity`` tokens, and start and end of each sentence, ``[sentences, 2]``; the last
            one may end outside.
        """
        corpus = self._corpus
        pieces: list[Ints] = []
        bounds: list[tuple[int, int]] = []
        length = 0
        for sentence in range(first, last):
            path = self._path(sentence, bare=bare)
            if bounds and path and path != self._path(sentence - 1, bare=bare):
                pieces.append(self._prefix("", path)[:MOST_HEADINGS])
                length += len(pieces[-1])
            pieces.append(corpus.sentence(sentence))
            bounds.append((length, length + len(pieces[-1])))
            length = bounds[-1][1]
            if length >= capacity:
                break
        return np.concatenate(pieces)[:capacity], np.array(bounds)

    def _passages(self, first: int, last: int, chance: Any) -> Iterator[tuple[int, int, bool]]:
        """Group sentences into passages of different sizes, each under one heading.

        Yields the first sentence, the end, and whether the sentence in front asks for them.
        """
        corpus = self._corpus
        while first < last:
            wanted = 1 if chance.random() < SENTENCES else chance.integers(*PASSAGE_TOKENS)
            end = first + 1
            while (
                end < last
                and corpus.headings[end] == corpus.headings[first]
                and corpus.sentences[end + 1] - corpus.sentences[first] <= wanted
            ):
                end += 1
            if LEAST_TOKENS <= corpus.sentences[end] - corpus.sentences[first] <= MOST_TOKENS:
                led = self._is_led(first, end, chance)
                yield first + led, end, led
            first = end

    def _is_led(self, first: int, end: int, chance: Any) -> bool:
        """Whether the first of some sentences asks for the others, if both are long enough."""
        if not self._how.leading or end - first == 1:
            return False
        starts = self._corpus.sentences
        lead, rest = starts[first + 1] - starts[first], starts[end] - starts[first + 1]
        long = lead >= LEAST_SENTENCE and rest >= 2 * LEAST_SENTENCE
        return bool(long and chance.random() < self._how.leading)

    def _alone(self, title: str, first: int, last: int, *, bare: bool) -> Ints:
        corpus, path = self._corpus, self._path(first, bare=bare)
        text = corpus.ids[corpus.sentences[first] : corpus.sentences[last]]
        return self._framed(np.concatenate([self._in_front(title, path), text]))

    def _headings(self, passages: Sequence[Passage]) -> Iterator[Query]:
        """Yield headings as queries for the consecutive passages under them."""
        seen = set()
        for number, passage in enumerate(passages):
            path = passage.path
            if not path or path in seen or len(path[-1]) < LEAST_HEADING:
                continue
            seen.add(path)
            last = number
            while last < len(passages) and passages[last].path == path:
                last += 1
            (tokens,) = self._tokenizer.encode([path[-1]])
            yield Query(self._asked(tokens.ids[:MOST_HEADING]), number, last)

    def _sentences(self, passages: Sequence[Passage], chance: Any) -> Iterator[Query]:
        """Yield sentences of some passages as queries, half of them without some tokens."""
        count = max(FEWEST_ASKED, int(ASKED * len(passages)))
        for number in chance.permutation(len(passages))[:count].tolist():
            passage = passages[number]
            sentence = int(chance.integers(passage.first, passage.last))
            yield from self._question(sentence, number, chance)
        for number, passage in enumerate(passages):
            if passage.led:
                yield from self._question(passage.first - 1, number, chance)

    def _question(self, sentence: int, number: int, chance: Any) -> Iterator[Query]:
        """Yield a sentence as the query for a passage, unless it is too short."""
        ids = self._corpus.sentence(sentence)
        if len(ids) < LEAST_SENTENCE:
            return
        if chance.random() < THINNED:
            ids = ids[chance.random(len(ids)) < chance.uniform(*KEPT_WORDS)]
        if len(ids) >= LEAST_QUERY:
            yield Query(self._asked(ids[:MOST_QUERY]), number, number + 1)

    def _asked(self, ids: Ints) -> Ints:
        return self._framed(np.concatenate([self._ahead["query"], ids]))

    def _framed(self, ids: Ints) -> Ints:
        return np.concatenate([self._tokenizer.lead, ids, self._tokenizer.tail])

    def _in_front(self, title: str, path: tuple[str, ...]) -> Ints:
        """The prefix of a window, or of a passage alone."""
        own = np.concatenate([self._ahead["passage"], self._prefix(title, path)])
        return own[:MOST_PREFIX]

    def _prefix(self, title: str, path: tuple[str, ...]) -> Ints:
        (tokens,) = self._tokenizer.encode([passage_prefix(title, path)])
        return tokens.ids[:MOST_PREFIX]
