"""The benchmark sets beside the checkout: where they are and what they ask.

It knows the layout of ``../shared/bench`` and the wording of its queries. It must not know how a
set is indexed, searched or scored.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from indexer.config import LANGUAGES_MODEL

# ``tests.corpora`` has this too, but needs pytest, which `make bench` does not install.
BENCH = Path(__file__).resolve().parents[3] / "shared" / "bench"
SCORE = BENCH / "score.py"
HARD_FILES = BENCH / "hard-files"

# Small ones first; parts that measure only one set take the first or the last.
NAMES = (
    "chunking-eval", "manuals", "xquad-cross", "xquad-mono", "evidence", "meetings", "regulations",
    "mergers", "cuad", "cuad-plain", "financebench",
)  # fmt: skip
SEVERAL_LANGUAGES = frozenset({"xquad-cross", "xquad-mono"})
# Sets on the same subjects: the documents of each answer questions of the other. xquad-mono has the
# articles of xquad-cross in other languages.
SAME_SUBJECTS = (SEVERAL_LANGUAGES, frozenset({"cuad", "cuad-plain"}))
# Sets whose questions are about the documents of another set.
SHARED_LIBRARIES = {"cuad-plain": "cuad"}
# Sets with questions in languages that none of their documents has. Lectern would choose the model
# for the documents, so these get the one that a person who asks in such languages would choose.
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
        """The name of the library that has its documents."""
        return SHARED_LIBRARIES.get(self.name, self.name)

    @property
    def corpus(self) -> Path:
        return self.folder.with_name(self.library) / "corpus"

    def part(self, documents: int, folder: Path) -> BenchSet:
        """Copy the first documents that answer questions, with the questions that they answer.

        Args:
            documents: How many documents; 0 for all that answer questions.
            folder: The part gets a folder in it, which is made anew.
        """
        lines = (self.folder / "queries.jsonl").read_text("utf-8").splitlines()
        gold = {line: {one["file"] for one in json.loads(line)["gold"]} for line in lines if line}
        files = sorted(set().union(*gold.values()))[: documents or None]
        name = f"{self.name}-{len(files)}"
        part = BenchSet(name, folder / name, self.model)
        shutil.rmtree(part.folder, ignore_errors=True)
        for file in files:
            target = part.corpus / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.corpus / file, target)
        asked = [line for line, wanted in gold.items() if wanted <= set(files)]
        (part.folder / "queries.jsonl").write_text("\n".join(asked) + "\n", "utf-8")
        return part

    def others(self) -> list[str]:
        """The sets whose questions these documents do not answer."""
        same = {self.name}.union(*(group for group in SAME_SUBJECTS if self.name in group))
        return [name for name in NAMES if name not in same]

    def queries(self) -> list[Query]:
        """The questions, in the order of the file."""
        lines = (self.folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines if line.strip()]
        return [Query(str(row["id"]), str(row["query"])) for row in rows]


def every() -> tuple[BenchSet, ...]:
    """All sets, the smallest first."""
    return tuple(find(name) for name in NAMES)


def find(name: str) -> BenchSet:
    """The set with a name."""
    return BenchSet(name, BENCH / name, CHOSEN_MODELS.get(name, ""))


def without_preamble(text: str) -> str:
    """The question of a query that first says which contract it is about.

    >>> without_preamble("Consider the Lease between A; B; What is the governing law?")
    'What is the governing law?'
    >>> without_preamble("What is the governing law?")
    'What is the governing law?'
    """
    return _PREAMBLE.sub("", text, count=1)
