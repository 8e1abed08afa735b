"""Lists to train a re-ranker on: questions, and the passages that the search finds for them.

The training texts are indexed as a library. A question is made from one of its passages: a heading,
or a sentence that may lose words. What is found for it are the near misses that a re-ranker has to
order, and the fused scores are those of its teacher. It must not know torch.

    python packaging/model/lists.py --texts ../shared/train
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np
from bases import BASES
from corpus import read_documents
from lessons import KEPT_WORDS, LEAST_HEADING, THINNED

from app.paths import models_folder
from indexer.api.requests import Index, Search
from indexer.config import EngineConfig
from indexer.engine.engine import Engine
from indexer.search.calibration import own_sentence
from indexer.search.score_normalisation import spread_out
from indexer.store.values import docs_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LISTS = "lists.jsonl"
CHARACTERS = 5_000_000  # of all texts together
QUESTIONS = 4_000
CANDIDATES = 20
HEADINGS = 0.3  # of the questions are headings, where there is one
FEWEST_WORDS = 3
_COLUMNS = ("view", "language", "heading_path")
# Without punctuation a question has no operators.
_WORD = re.compile(r"\w+(?:['\u2019-]\w+)*")


@dataclass(frozen=True, slots=True)
class CandidateList:
    """A question, n passages that were found for it, best first, and which of them it is from.

    ``scores`` are the fused ones. ``sentence`` is what the question was made of, as its passage has
    it; "" for a heading.
    """

    question: str
    sentence: str
    passages: tuple[str, ...]
    scores: tuple[float, ...]
    own: tuple[bool, ...]


def read_lists(path: Path) -> list[CandidateList]:
    """The lists of a file."""
    with path.open(encoding="utf-8") as lines:
        return [CandidateList(**json.loads(line)) for line in lines]


def thin(sentence: str, chance: random.Random) -> str:
    """The words of a sentence, half of the time without some of them.

    >>> thin("The lamp is lit.", random.Random(1))
    'lamp is lit'
    """
    words = _WORD.findall(sentence)
    if chance.random() < THINNED:
        share = chance.uniform(*KEPT_WORDS)
        words = [word for word in words if chance.random() < share]
    return " ".join(words)


def gather(engine: Engine, count: int, chance: random.Random) -> Iterator[CandidateList]:
    """Lists from as many passages of a library, where a question's own passage was found."""
    keys = spread_out(engine.catalog.docs.expected(), count)
    for key, row in engine.store.passages_of(keys, _COLUMNS).items():
        path = row["heading_path"] if chance.random() < HEADINGS else ()
        heading = path[-1] if path and len(path[-1]) >= LEAST_HEADING else ""
        sentence = "" if heading else own_sentence(row["view"], row["language"])
        question = " ".join(_WORD.findall(heading)) or thin(sentence, chance)
        if question.count(" ") + 1 >= (1 if heading else FEWEST_WORDS):
            found = _found(engine, question, sentence, key, path if heading else None)
            if any(found.own) and not all(found.own):
                yield found


def _found(engine: Engine, question: str, sentence: str, key: int, path: Any) -> CandidateList:
    """What is found for a question from one passage, or from all those of its document below it."""
    hits = [hit for hit in engine.call(Search(question, CANDIDATES)).hits if hit.key]
    rows = engine.store.passages_of(np.array([hit.key for hit in hits], np.int64), _COLUMNS)
    docs = docs_of(np.array([key, *(hit.key for hit in hits)])).tolist()
    return CandidateList(
        question,
        sentence,
        tuple(rows[hit.key]["view"] for hit in hits),
        tuple(hit.score for hit in hits),
        tuple(
            hit.key == key or (doc == docs[0] and rows[hit.key]["heading_path"] == path)
            for hit, doc in zip(hits, docs[1:], strict=True)
        ),
    )


def write_documents(texts: Path, folder: Path, chance: random.Random) -> None:
    """Write some documents of the texts as files, of each source its share of all characters."""
    for source, share in BASES["minilm"].texts.items():
        held = list(read_documents(texts / f"{source}.jsonl.xz", chance))
        chance.shuffle(held)
        left = share * CHARACTERS
        for number, (title, _, text) in enumerate(held):
            if left <= 0:
                break
            left -= len(text)
            (folder / f"{source}-{number}.md").write_text(f"# {title}\n\n{text}", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the lists that a re-ranker is trained on.")
    parser.add_argument("--texts", type=Path, default=ROOT.parent / "shared" / "train")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "model")
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    target = options.work / LISTS
    if target.exists():
        return
    chance = random.Random(options.seed)  # noqa: S311  # a sample, not a secret
    documents = options.work / "lists-documents"
    if not documents.exists():
        documents.mkdir(parents=True)
        write_documents(options.texts, documents, chance)
    config = EngineConfig(options.work / "lists-library", models_folder(), ocr=False)
    part = target.with_suffix(".part")
    with closing(Engine.open(config)) as engine, part.open("w", encoding="utf-8") as lines:
        engine.call(Index((documents,)))
        for found in gather(engine, options.questions, chance):
            lines.write(json.dumps(asdict(found), ensure_ascii=False) + "\n")
    part.replace(target)


if __name__ == "__main__":
    main()
