"""``make bench-ranking``: the parts of the ranking, what each contributes, and how certain that is.

Each set is asked once (``ranking_evidence``); variants are computed from the collected evidence.
Whatever is fitted is reported on a set to which it was not fitted. Intervals are bootstrapped in
pairs: the same queries are drawn for both sides. The table is kept in ``RANKING.md`` beside this
file.

python -m tests.benchmarks.ranking                 everything
python -m tests.benchmarks.ranking --keep          with the libraries of an earlier run
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.private_files import write_file
from indexer.search.fusion import DEFAULT_WEIGHTS
from tests.benchmarks import described, machine, ranking_tables, report, sets, wordings
from tests.benchmarks.answerability import (
    GONE,
    LabelledFeatures,
    answerability_summary,
    answerability_table,
)
from tests.benchmarks.libraries import Libraries, Options, note
from tests.benchmarks.ranking_evidence import Collector
from tests.benchmarks.ranking_tables import AskedSet
from tests.benchmarks.ranking_tried import INTRODUCTION
from tests.benchmarks.sample_questions import ANSWERED, UNANSWERED
from tests.benchmarks.scoring import Measurer
from tests.benchmarks.sets import Query, without_preamble
from tests.benchmarks.told_elsewhere import told_elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from indexer.search.answerability import AnswerabilityFeatures
    from tests.benchmarks.sets import BenchSet

TABLE = Path(__file__).with_name("RANKING.md")
SAMPLE = Path(__file__).parents[2] / "resources" / "sample" / "documents"
# How many questions of each other set are asked of a library; with nine sets that is enough.
STRANGE = 20
MODELS = """\
Each set with the model that a library of its documents gets by itself, but for xquad-cross, whose
documents are in English and whose questions are not, so that the other is chosen:"""


@dataclass(frozen=True, slots=True)
class Collected:
    """The evidence collected for one set."""

    asked: AskedSet
    model: str
    labelled: LabelledFeatures


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit status."""
    asked = _parse(arguments)
    if not sets.BENCH.is_dir():
        print(f"The benchmark sets are not there: {sets.BENCH} is missing. Nothing was measured.")
        return 0
    options = Options(asked.out.absolute(), keep=asked.keep)
    libraries = Libraries(options)
    found = [_collect(libraries, wanted) for wanted in options.chosen]
    kinds = [one.asked for one in found]
    labelled = {one.asked.name: one.labelled for one in found}
    labelled["sample"] = _sample(libraries)
    sections = [
        ranking_tables.ablation(kinds),
        ranking_tables.left_out(kinds, DEFAULT_WEIGHTS),
        wordings.run(options, libraries),
        described.run(options, libraries),
        answerability_summary(labelled),
        answerability_table(labelled),
        ranking_tables.speed(kinds, DEFAULT_WEIGHTS),
    ]
    models = ", ".join(f"{one.asked.name} {one.model}" for one in found)
    text = f"{INTRODUCTION}\n{MODELS} {models}.\n\n{report.document(sections, machine.facts())}"
    write_file(TABLE, text)
    print(text)
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.ranking",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--keep", action="store_true", help="take libraries as they are")
    parser.add_argument("--out", type=Path, default=Path("bench-results"), help="where they are")
    return parser.parse_args(arguments)


def _collect(libraries: Libraries, wanted: BenchSet) -> Collected:
    queries = wanted.queries()
    measurer = Measurer.from_set(wanted)
    with libraries.open(wanted) as engine:
        collector = Collector.from_engine(engine)
        note(f"{wanted.name}: {collector.cohort}")
        asked = AskedSet(wanted.name, collector.evidence(queries), measurer)
        labelled = _labelled(collector, wanted, asked)
    note(f"{wanted.name}: {len(queries)} queries collected")
    return Collected(asked, collector.space.record["model"], labelled)


def _labelled(collector: Collector, wanted: BenchSet, asked: AskedSet) -> LabelledFeatures:
    """The features of a set's own questions, of those whose file is away, and of other sets'."""
    queries = wanted.queries()
    gone = {one.id: collector.features(one.text, asked.measurer.files(one.id)) for one in queries}
    unanswered = {GONE: _found(gone.values())}
    unanswered |= {name: _features(collector, _some(name)) for name in wanted.others()}
    strange = {}
    if told := told_elsewhere(wanted):
        kept = (found for query, found in gone.items() if query not in told)
        strange[f"{GONE}, and told nowhere else"] = _found(kept)
    strange["the sample's questions"] = _features(collector, _queries((*ANSWERED, *UNANSWERED)))
    short = list(dict.fromkeys(without_preamble(query.text) for query in queries))
    if short != list(dict.fromkeys(query.text for query in queries)):
        strange["its questions without their preamble"] = _features(collector, _queries(short))
    own = _found(one.features for one in asked.evidence)
    return LabelledFeatures(own, unanswered, strange, collector.own())


def _some(name: str) -> list[Query]:
    """Questions of a set to ask of another library."""
    queries = sets.find(name).queries()
    return random.Random(1).sample(queries, min(STRANGE, len(queries)))


def _queries(texts: Iterable[str]) -> list[Query]:
    return [Query(text, text) for text in texts]


def _sample(libraries: Libraries) -> LabelledFeatures:
    """The features of short questions, asked of the sample documents."""
    with libraries.open_folder("sample", SAMPLE) as engine:
        collector = Collector.from_engine(engine)
        unanswered = {"everyday questions": _features(collector, _queries(UNANSWERED))}
        for name in sets.NAMES:
            unanswered[name] = _features(collector, _some(name))
        answered = _features(collector, _queries(ANSWERED))
        return LabelledFeatures(answered, unanswered, {}, collector.own())


def _features(collector: Collector, queries: Iterable[Query]) -> list[AnswerabilityFeatures]:
    """The features of some queries."""
    return _found(collector.features(one.text) for one in queries)


def _found(features: Iterable[AnswerabilityFeatures | None]) -> list[AnswerabilityFeatures]:
    """The features of queries that have hits."""
    return [one for one in features if one is not None]


if __name__ == "__main__":
    sys.exit(main())
