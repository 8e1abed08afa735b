"""One question in several wordings: how it is asked, and how its document is named.

It has the forms of the wordings. Every question of ``SET`` has an intervention, what it was
compared with, and an outcome, so that it can take each form. The rows of "its own" questions have
those that the set asks in this form, which differ for each wording. Every question of
``CONTRACTS`` names a contract by its kind and its parties.
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

    from numpy.typing import NDArray

    from tests.benchmarks.libraries import Libraries, Options
    from tests.benchmarks.report import Cell

SET = "evidence"
FORMS = (
    "What is the effect of {one} compared with {other} on {outcome}?",
    "Does {one} change {outcome} against {other}?",
    "how did {outcome} differ between {one} and {other}",
    "{outcome}: {one} versus {other}",
)
CONTRACTS = "cuad"
NAMING_FORMS = (
    "Consider the {document} between {parties}; {question}?",
    "In the {document} between {parties}, {question}?",
    "{question}, in the {document} between {parties}?",
)
_NAMING = re.compile(r"Consider the (.*?) between (.*); ([^;]*)\?", re.DOTALL)
_PATTERNS = [re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.*?)", re.escape(form))) for form in FORMS]


def reworded(text: str) -> tuple[int, tuple[str, ...]]:
    """Return which form a question has, and the question in every form.

    Raises:
        ValueError: If it has none of the forms.

    >>> reworded("how did pain differ between aspirin and placebo")[1][3]
    'pain: aspirin versus placebo'
    """
    for number, pattern in enumerate(_PATTERNS):
        if found := pattern.fullmatch(text):
            return number, tuple(form.format(**found.groupdict()) for form in FORMS)
    raise ValueError(text)


def naming_wordings(text: str) -> tuple[str, ...]:
    """Return a question about a contract with the contract named in every form.

    Raises:
        ValueError: If it names none.

    >>> naming_wordings("Consider the Lease between A; B; What is the term?")[1]
    'In the Lease between A and B, what is the term?'
    """
    found = _NAMING.fullmatch(text)
    if found is None:
        raise ValueError(text)
    document, parties, question = found.groups()
    plain = question[0].lower() + question[1:]
    together = " and ".join(parties.split("; "))
    return (
        text,
        NAMING_FORMS[1].format(document=document, parties=together, question=plain),
        NAMING_FORMS[2].format(document=document, parties=together, question=question),
    )


def run(options: Options, libraries: Libraries) -> Section:
    """Ask each question in each wording; only with whole sets, so not with ``quick``."""
    rows: list[tuple[Cell, ...]] = []
    if not options.quick and sets.find(SET).corpus.is_dir():
        queries = sets.find(SET).queries()
        own = np.array([reworded(query.text)[0] for query in queries])
        measures = _measures(libraries, SET, [reworded(query.text)[1] for query in queries])
        for number, form in enumerate(FORMS):
            for label, chosen in (("all", own >= 0), ("its own", own == number)):
                rows.append(_row(form, label, measures[chosen, number]))
    notes = (spread(rows),) if rows else ()
    if not options.quick and sets.find(CONTRACTS).corpus.is_dir():
        texts = [naming_wordings(query.text) for query in sets.find(CONTRACTS).queries()]
        measures = _measures(libraries, CONTRACTS, texts)
        for number, form in enumerate(NAMING_FORMS):
            rows.append(_row(form, CONTRACTS, measures[:, number]))
    columns = ("wording", "questions", "queries", *scoring.COLUMNS)
    return Section("wordings", "One question in several wordings", columns, tuple(rows), notes)


def _measures(
    libraries: Libraries, name: str, wordings: Sequence[Sequence[str]]
) -> NDArray[np.float64]:
    """The measures of each wording of each query of a set: (queries, wordings, columns)."""
    wanted = sets.find(name)
    measurer = scoring.Measurer.from_set(wanted)
    with libraries.open(wanted) as engine:
        return np.array(
            [
                [
                    measurer.measure(
                        query.id, scoring.run_hits(engine.call(Search(text, scoring.LIMIT)).hits)
                    )
                    for text in texts
                ]
                for query, texts in zip(wanted.queries(), wordings, strict=True)
            ]
        )


def _row(form: str, label: str, measures: NDArray[np.float64]) -> tuple[Cell, ...]:
    return (form, label, len(measures), *map(float, measures.mean(axis=0)))


def spread(rows: Sequence[Sequence[Cell]]) -> str:
    """Say how much mrr@10 differs by wording, for the same questions and for each one's own.

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
