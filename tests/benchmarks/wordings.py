"""One question in several wordings: the questions of one set, each asked in the four of that set.

Owns the forms of the wordings. Every question has an intervention, what it was compared with and an
outcome, so it can be put in each form; the rows of "its own" questions are those the set asks so,
which are other questions for each wording.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.requests import Search
from tests.benchmarks import scoring, sets
from tests.benchmarks.report import Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.benchmarks.libraries import Libraries, Options
    from tests.benchmarks.report import Cell

SET = "evidence"
FORMS = (
    "What is the effect of {one} compared with {other} on {outcome}?",
    "Does {one} change {outcome} against {other}?",
    "how did {outcome} differ between {one} and {other}",
    "{outcome}: {one} versus {other}",
)
_PATTERNS = [re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.*?)", re.escape(form))) for form in FORMS]


def reworded(text: str) -> tuple[int, tuple[str, ...]]:
    """Return which form a question has, and the question in every form.

    Raises:
        ValueError: If it has none of them.

    >>> reworded("how did pain differ between aspirin and placebo")[1][3]
    'pain: aspirin versus placebo'
    """
    for number, pattern in enumerate(_PATTERNS):
        if found := pattern.fullmatch(text):
            return number, tuple(form.format(**found.groupdict()) for form in FORMS)
    raise ValueError(text)


def run(options: Options, libraries: Libraries) -> Section:
    """Ask each question in each wording; only whole sets are measured, so not with ``quick``."""
    wanted = sets.find(SET)
    queries = [] if options.quick or not wanted.corpus.is_dir() else wanted.queries()
    rows: list[tuple[Cell, ...]] = []
    if queries:
        measurer = scoring.Measurer.from_set(wanted)
        forms = [reworded(query.text) for query in queries]
        with libraries.open(SET) as engine:
            measures = np.array(
                [
                    [
                        measurer.measure(
                            query.id,
                            scoring.run_hits(engine.call(Search(text, scoring.LIMIT)).hits),
                        )
                        for text in texts
                    ]
                    for query, (_, texts) in zip(queries, forms, strict=True)
                ]
            )
        own = np.array([number for number, _ in forms])
        for number, form in enumerate(FORMS):
            for label, chosen in (("all", own >= 0), ("its own", own == number)):
                means = measures[chosen, number].mean(axis=0)
                rows.append((form, label, int(chosen.sum()), *map(float, means)))
    columns = ("wording", "questions", "queries", *scoring.COLUMNS)
    notes = (spread(rows),) if rows else ()
    return Section("wordings", "One question in several wordings", columns, tuple(rows), notes)


def spread(rows: Sequence[Sequence[Cell]]) -> str:
    """Say how far the wordings lie apart in mrr@10, of the same questions and of each one's own.

    >>> rows = [("form", "all", 1, 0.0, 0.0, 0.0, mrr, 0.0) for mrr in (0.5, 0.57)]
    >>> spread([*rows, ("form", "its own", 1, 0.0, 0.0, 0.0, 0.4, 0.0)])[:54]
    'mrr@10 of the wordings lies 0.070 apart for the same q'
    """
    at = 3 + scoring.COLUMNS.index("mrr@10")
    apart = {
        label: np.ptp([float(row[at] or 0.0) for row in rows if row[1] == label])
        for label in ("all", "its own")
    }
    return (
        f"mrr@10 of the wordings lies {apart['all']:.3f} apart for the same questions (all), "
        f"{apart['its own']:.3f} for its own: there the questions differ, not only the wordings."
    )
