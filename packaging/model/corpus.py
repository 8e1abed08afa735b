"""Training texts as tokens: documents of sentences with their headings.

Converts JSON lines with "title", "text" and, if not English, "language" to arrays, which are cached
in a file.
"""

from __future__ import annotations

import json
import lzma
import random
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.text.sentences import split_sentences
from indexer.text.view import make_view

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from indexer.embed.layout import TextTokenizer

    Ints = Any

# A random part of this length is used of longer books, so that there are more books.
MOST_CHARACTERS = 160_000
LEAST_CHARACTERS = 1_500
KEPT_BACK = 40  # one in this many documents is held out
_MARKDOWN = re.compile(r"^(#{1,6}) +(\S.*?)#* *$")
_UNDERLINE = re.compile(r"^([=\-~^`'\"*+#])\1{2,} *$")
_CHAPTER = re.compile(r"^(?:CHAPTER|BOOK|PART|Chapter|Letter) +[\dIVXLC]+\.?\b.{0,60}$")
_MOST_HEADING = 90


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents of tokenized sentences, in flat arrays.

    Attributes:
        ids: int32, the tokens of all sentences.
        sentences: int64, the start of each sentence in ``ids``, and the end.
        headings: int32, the index of each sentence's heading path.
        documents: int64, the start of each document in ``sentences``, and the end.
        titles: The title of each document.
        paths: The heading paths.
        sources: The index of each document's file.
    """

    ids: Ints
    sentences: Ints
    headings: Ints
    documents: Ints
    sources: Ints
    titles: tuple[str, ...]
    paths: tuple[tuple[str, ...], ...]

    def sentence(self, number: int) -> Ints:
        return self.ids[self.sentences[number] : self.sentences[number + 1]]


def read_corpus(files: Sequence[Path], tokenizer: TextTokenizer, kept: Path, seed: int) -> Corpus:
    """Read texts, or the cached corpus.

    Raises:
        FileNotFoundError: If one of the texts is missing.
    """
    if not kept.exists():
        _keep(_gather(files, tokenizer, random.Random(seed)), kept)  # noqa: S311  # a sample
    held = np.load(kept)
    texts = json.loads(str(held["texts"]))
    arrays = {name: held[name] for name in held.files if name != "texts"}
    paths = tuple(tuple(path) for path in texts["paths"])
    return Corpus(**arrays, titles=tuple(texts["titles"]), paths=paths)


def _gather(files: Sequence[Path], tokenizer: TextTokenizer, chance: random.Random) -> Corpus:
    pieces: list[Ints] = []
    headings: list[int] = []
    documents, sources = [0], []
    titles: list[str] = []
    paths: dict[tuple[str, ...], int] = {}
    for number, file in enumerate(files):
        for title, language, text in read_documents(file, chance):
            for path, section in sections(text):
                view = make_view(section).text
                starts = [*split_sentences(view, language), len(view)]
                texts = [view[a:b].strip() for a, b in pairwise(starts)]
                tokens = [found.ids for found in tokenizer.encode(texts) if len(found.ids)]
                pieces += tokens
                headings += [paths.setdefault(path, len(paths))] * len(tokens)
            documents.append(len(pieces))
            titles.append(title)
            sources.append(number)
        print(f"{file.name}: {len(titles)} documents so far", flush=True)
    lengths = [0, *(len(piece) for piece in pieces)]
    return Corpus(
        np.concatenate(pieces), np.cumsum(lengths), np.array(headings, np.int32),
        np.array(documents), np.array(sources), tuple(titles), tuple(paths),
    )  # fmt: skip


def read_documents(file: Path, chance: random.Random) -> Iterator[tuple[str, str, str]]:
    """Yield title, language and text of each document that is long enough."""
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            document = json.loads(line)
            text = document["text"]
            if len(text) < LEAST_CHARACTERS:
                continue
            if len(text) > MOST_CHARACTERS:
                start = text.find("\n\n", chance.randrange(len(text) - MOST_CHARACTERS))
                text = text[start + 2 : start + 2 + MOST_CHARACTERS]
            yield document["title"], document.get("language", "en"), text


def sections(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Split a text at its headings; yields the heading path and the text of each section.

    Headings are those of Markdown, underlined lines, and chapters.
    """
    lines = text.split("\n")
    open_headings: list[tuple[int, str]] = []
    levels: dict[str, int] = {}
    begun = 0
    for number, line in enumerate(lines):
        below = lines[number + 1] if number + 1 < len(lines) else ""
        found = _heading(line, below, levels)
        if found is None:
            continue
        if number > begun:
            yield _path(open_headings), "\n".join(lines[begun:number])
        level, _ = found
        open_headings = [*(held for held in open_headings if held[0] < level), found]
        begun = number
    yield _path(open_headings), "\n".join(lines[begun:])


def _heading(line: str, below: str, levels: dict[str, int]) -> tuple[int, str] | None:
    """The level and the text of a heading, if the line is one."""
    if not line.strip() or len(line) > _MOST_HEADING:
        return None
    if found := _MARKDOWN.match(line):
        return len(found[1]), found[2]
    underline = _UNDERLINE.match(below)
    if underline and line[0].isalnum() and len(below.rstrip()) >= len(line.rstrip()):
        return levels.setdefault(underline[1], len(levels) + 1), line.strip()
    return (1, line.strip()) if _CHAPTER.match(line) else None


def _path(open_headings: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(words for _, words in open_headings)


def _keep(corpus: Corpus, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    texts = json.dumps({"titles": corpus.titles, "paths": corpus.paths})
    part = target.with_suffix(".part.npz")
    np.savez(
        part, ids=corpus.ids, sentences=corpus.sentences, headings=corpus.headings,
        documents=corpus.documents, sources=corpus.sources, texts=np.array(texts),
    )  # fmt: skip
    part.replace(target)
