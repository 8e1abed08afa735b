"""The benchmark sets beside the checkout: where they are and what they ask.

Owns the layout of ``../shared/bench`` and the wording of its queries. It must not know how a set
is indexed, searched or scored.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from indexer.config import LANGUAGES_MODEL
from indexer.search.calibration import thinned

# Not from ``tests.corpora``: that one needs pytest, which `make bench` does not install.
BENCH = Path(__file__).resolve().parents[3] / "shared" / "bench"
SCORE = BENCH / "score.py"
HARD_FILES = BENCH / "hard-files"

# The smallest first; what measures one set takes the first or the last.
NAMES = (
    "chunking-eval", "xquad-cross", "xquad-mono", "evidence", "meetings", "regulations", "mergers",
    "cuad", "cuad-plain", "financebench",
)  # fmt: skip
SEVERAL_LANGUAGES = frozenset({"xquad-cross", "xquad-mono"})
# Sets that ask about the same things: each one's documents answer questions of the other. The
# articles of xquad-mono are those of xquad-cross in other languages.
SAME_SUBJECTS = (SEVERAL_LANGUAGES, frozenset({"cuad", "cuad-plain"}))
# Sets that ask another's documents.
SHARED_LIBRARIES = {"cuad-plain": "cuad"}
# Sets that are asked in languages which no document of theirs is in: a library of them would get
# the model for its documents by itself, and who asks so chooses the other.
CHOSEN_MODELS = {"xquad-cross": LANGUAGES_MODEL}

# "Consider the AGREEMENT between A; B; What is …?": the question is what follows the last part.
_PREAMBLE = re.compile(r"Consider .*; (?=[^;]*$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Query:
    """One question of a set."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class BenchSet:
    """One set: a folder of documents, the questions about them and a model, if one is chosen."""

    name: str
    folder: Path
    model: str = ""

    @property
    def library(self) -> str:
        """The name of the library of its documents."""
        return SHARED_LIBRARIES.get(self.name, self.name)

    @property
    def corpus(self) -> Path:
        return self.folder.with_name(self.library) / "corpus"

    def copy_some(self, count: int, folder: Path) -> int:
        """Copy so many of its documents, from all over the set, into a folder that is made anew.

        Returns:
            How many were copied: fewer if the set has fewer.
        """
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        files = sorted(path for path in self.corpus.rglob("*") if path.is_file())
        chosen = thinned(files, count)
        for path in chosen:
            shutil.copy(path, folder / path.name)
        return len(chosen)

    def others(self) -> list[str]:
        """The sets whose questions these documents do not answer."""
        same = {self.name}.union(*(group for group in SAME_SUBJECTS if self.name in group))
        return [name for name in NAMES if name not in same]

    def queries(self) -> list[Query]:
        """The questions, in the order of the file."""
        lines = (self.folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines if line.strip()]
        return [Query(str(row["id"]), str(row["query"])) for row in rows]


def find(name: str) -> BenchSet:
    """The set of that name."""
    return BenchSet(name, BENCH / name, CHOSEN_MODELS.get(name, ""))


def without_preamble(text: str) -> str:
    """The question of a query that first says which contract it means.

    >>> without_preamble("Consider the Lease between A; B; What is the governing law?")
    'What is the governing law?'
    >>> without_preamble("What is the governing law?")
    'What is the governing law?'
    """
    return _PREAMBLE.sub("", text, count=1)
