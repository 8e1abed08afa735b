"""What is learnt in one step: windows for the student, and the same passages alone for the teacher.

Owns the choice of texts and the cutting of windows into passages. Every step is drawn from the
seed and its own number alone, so a run that is taken up again sees what it would have seen. It
must not know torch.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.embed.base import passage_prefix
from indexer.embed.layout import MOST_HEADINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpus import Corpus

    from indexer.embed.tokens import TextTokenizer

    Ints = Any

TITLE_LEFT_OUT = 0.15
SENTENCES = 0.3  # of the passages of a window are single sentences
PASSAGE_TOKENS = (48, 200)
LEAST_TOKENS, MOST_TOKENS = 5, 400
STRETCH = 1024  # tokens from one document: its other passages are the ones to be told apart
MOST_PREFIX = 64
# Queries: a heading, for the passages under it; a sentence, or some words of it, for its passage.
MOST_HEADING, LEAST_HEADING = 32, 4  # tokens, characters
MOST_QUERY, LEAST_SENTENCE, LEAST_QUERY = 40, 6, 3  # tokens
THINNED, KEPT_WORDS = 0.5, (0.3, 0.8)  # share of the sentences that lose words; of words that stay
ASKED, FEWEST_ASKED = 0.5, 8  # share of the passages that are asked for by a sentence


@dataclass(frozen=True, slots=True)
class Framing:
    """What the model wants in front, and how much is read of each file of the corpus."""

    document_prefix: str = ""
    query_prefix: str = ""
    shares: tuple[float, ...] = (0.5, 0.3, 0.2)  # books, proposals, designs: prose more than code


@dataclass(frozen=True, slots=True)
class Passage:
    """Where a passage stands in its window, and what the teacher reads for it.

    ``first`` and ``last`` number its sentences in the corpus, the last one not included.
    """

    start: int
    end: int
    alone: Ints
    path: tuple[str, ...]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Window:
    """The ids the student reads, special tokens and title included, and the passages in them."""

    ids: Ints
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """Its ids, with special tokens, and which passages of the lesson are its own."""

    ids: Ints
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Lesson:
    """A share of a step: windows of one length, and queries that some of their passages answer."""

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
        self._shares = np.array(how.shares)
        passage, query = tokenizer.encode([how.document_prefix, how.query_prefix])
        self._ahead = {"passage": passage.ids, "query": query.ids}
        numbers = np.arange(len(corpus.titles))
        self._held = numbers % kept_back == kept_back // 2
        self._starts = corpus.sentences[corpus.documents]

    def draw(self, step: int, share: int, window: int, tokens: int, *, held: bool) -> Lesson:
        """The lesson of one share of a step: about ``tokens`` in windows of ``window``.

        Args:
            step: Its number.
            share: The number of the share.
            window: Tokens of a window, special ones and title included.
            tokens: How many to read.
            held: Whether from the documents that are never learnt from.
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
        """How likely each document is: by its length, the sources in their proportions."""
        lengths = np.diff(self._starts).astype(np.float64)
        lengths[(self._held != held) | (lengths < least)] = 0
        sources = self._corpus.sources
        sums = np.bincount(sources, lengths)
        weights = lengths * (self._shares[: len(sums)] / np.maximum(sums, 1))[sources]
        return weights / weights.sum()

    def _stretch(self, document: int, window: int, count: int, chance: Any) -> Iterator[Window]:
        """Windows that follow each other in a document."""
        corpus = self._corpus
        first, last = corpus.documents[document], corpus.documents[document + 1]
        begin, end = corpus.sentences[first], corpus.sentences[last] - window * count
        token = begin + chance.integers(0, max(1, end - begin))
        sentence = bisect_right(corpus.sentences, token) - 1
        title = "" if chance.random() < TITLE_LEFT_OUT else corpus.titles[document]
        for _ in range(count):
            found, sentence = self._window(sentence, last, title, window, chance)
            if found is None:
                return
            yield found

    def _window(
        self, sentence: int, last: int, title: str, window: int, chance: Any
    ) -> tuple[Window | None, int]:
        """The window that begins with a sentence, and the sentence the next begins with."""
        corpus = self._corpus
        path = corpus.paths[corpus.headings[sentence]]
        lead = np.concatenate([self._tokenizer.lead, self._in_front(title, path)])
        capacity = window - len(lead) - len(self._tokenizer.tail)
        if corpus.sentences[last] - corpus.sentences[sentence] < capacity:
            return None, last
        body, bounds = self._body(sentence, last, capacity)
        held = sentence + bisect_right(bounds[:, 1], capacity)  # what comes after is cut off
        passages = tuple(
            Passage(
                int(bounds[a - sentence, 0]) + len(lead),
                int(bounds[b - sentence - 1, 1]) + len(lead),
                self._alone(title, a, b),
                corpus.paths[corpus.headings[a]],
                a,
                b,
            )
            for a, b in self._passages(sentence, held, chance)
        )
        ids = np.concatenate([lead, body, self._tokenizer.tail])
        return Window(ids, passages), max(held, sentence + 1)

    def _body(self, first: int, last: int, capacity: int) -> tuple[Ints, Ints]:
        """``capacity`` tokens from a sentence on, with headings before it where they change.

        As the program lays a window out (``indexer.embed.layout``).

        Returns:
            The tokens, and where each sentence begins and ends, ``[sentences, 2]``; the last one
            may end outside.
        """
        corpus = self._corpus
        pieces: list[Ints] = []
        bounds: list[tuple[int, int]] = []
        length = 0
        for sentence in range(first, last):
            path = corpus.paths[corpus.headings[sentence]]
            if bounds and path and path != corpus.paths[corpus.headings[sentence - 1]]:
                pieces.append(self._prefix("", path)[:MOST_HEADINGS])
                length += len(pieces[-1])
            pieces.append(corpus.sentence(sentence))
            bounds.append((length, length + len(pieces[-1])))
            length = bounds[-1][1]
            if length >= capacity:
                break
        return np.concatenate(pieces)[:capacity], np.array(bounds)

    def _passages(self, first: int, last: int, chance: Any) -> Iterator[tuple[int, int]]:
        """Cut sentences into passages of many sizes, none across a change of headings."""
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
                yield first, end
            first = end

    def _alone(self, title: str, first: int, last: int) -> Ints:
        corpus = self._corpus
        path = corpus.paths[corpus.headings[first]]
        text = corpus.ids[corpus.sentences[first] : corpus.sentences[last]]
        return self._framed(np.concatenate([self._in_front(title, path), text]))

    def _headings(self, passages: Sequence[Passage]) -> Iterator[Query]:
        """Headings, each for the passages that follow each other under it."""
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
        """Sentences of some passages, half of them with words left out, as people ask."""
        count = max(FEWEST_ASKED, int(ASKED * len(passages)))
        for number in chance.permutation(len(passages))[:count].tolist():
            passage = passages[number]
            ids = self._corpus.sentence(int(chance.integers(passage.first, passage.last)))
            if len(ids) < LEAST_SENTENCE:
                continue
            if chance.random() < THINNED:
                ids = ids[chance.random(len(ids)) < chance.uniform(*KEPT_WORDS)]
            if len(ids) >= LEAST_QUERY:
                yield Query(self._asked(ids[:MOST_QUERY]), number, number + 1)

    def _asked(self, ids: Ints) -> Ints:
        return self._framed(np.concatenate([self._ahead["query"], ids]))

    def _framed(self, ids: Ints) -> Ints:
        return np.concatenate([self._tokenizer.lead, ids, self._tokenizer.tail])

    def _in_front(self, title: str, path: tuple[str, ...]) -> Ints:
        """What stands before a window, or a passage alone."""
        own = np.concatenate([self._ahead["passage"], self._prefix(title, path)])
        return own[:MOST_PREFIX]

    def _prefix(self, title: str, path: tuple[str, ...]) -> Ints:
        (tokens,) = self._tokenizer.encode([passage_prefix(title, path)])
        return tokens.ids[:MOST_PREFIX]
