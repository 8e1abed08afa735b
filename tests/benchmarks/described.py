"""Descriptions: passages of one set, asked for in other words than their own.

``described.tsv`` has sixty descriptions of ours, each with the file and the characters that it
describes. None has a content word of its passage, so that only meaning can find it. The set's texts
are not copied here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.requests import Search
from tests.benchmarks import scoring, sets
from tests.benchmarks.report import Section

if TYPE_CHECKING:
    from tests.benchmarks.libraries import Libraries, Options
    from tests.benchmarks.report import Cell

SET = "evidence"
_FILE = Path(__file__).with_name("described.tsv")


@dataclass(frozen=True, slots=True)
class Description:
    """A question, and the characters of a file that it describes."""

    file: str
    start: int
    end: int
    text: str


def descriptions() -> list[Description]:
    """All of them."""
    found = []
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        file, span, text = line.split("\t")
        start, end = map(int, span.split("-"))
        found.append(Description(f"{file}.txt", start, end, text))
    return found


def run(options: Options, libraries: Libraries) -> Section:
    """Ask for each passage; only with the whole set, so not with ``quick``."""
    asked = [] if options.quick or not sets.find(SET).corpus.is_dir() else descriptions()
    gold = {one.text: [{"file": one.file, "spans": [[one.start, one.end]]}] for one in asked}
    measurer = scoring.Measurer.from_gold(gold)
    measures = []
    if asked:
        with libraries.open(sets.find(SET)) as engine:
            for one in asked:
                hits = engine.call(Search(one.text, scoring.LIMIT)).hits
                measures.append(measurer.measure(one.text, scoring.run_hits(hits)))
    rows: list[tuple[Cell, ...]] = []
    if measures:
        rows = [(SET, len(asked), *map(float, np.mean(measures, axis=0)))]
    columns = ("set", "descriptions", *scoring.COLUMNS)
    return Section("described", "Passages described in other words", columns, tuple(rows))
