"""Questions that count as unanswered and are not: another document of the library tells.

Owns the list and the leaving out. The list was made by reading: what a classifier let go was
looked up on the pages found. A report of the same year on another occasion has the figures of the
one taken away, and a question that names no company is answered by any. The questions that are
told that nothing answers them were read as well, those of financebench and the 23 of chunking-eval
that are about companies: by their words they ask for companies and years of which the library has
no other report. Nobody looked for them page by page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.benchmarks.sets import Query

T = TypeVar("T")

# By library: the question, and the file and the page that answer it.
TOLD: Mapping[str, Mapping[str, tuple[str, int]]] = {
    "financebench": {
        # Sales of 2022 and 2021, and their growth.
        "financebench_id_00956": ("JOHNSON_JOHNSON_2022Q4_EARNINGS.pdf", 1),
        # Adjusted earnings per share expected for 2023, and their growth.
        "financebench_id_00651": ("JOHNSON_JOHNSON_2023Q2_EARNINGS.pdf", 5),
        "financebench_id_01484": ("JOHNSON_JOHNSON_2022_10K.pdf", 28),
        # EBITDAR by region; interest and what is taken off for EBIT; revenue by region.
        "financebench_id_00382": ("MGMRESORTS_2022_10K.pdf", 41),
        "financebench_id_01911": ("MGMRESORTS_2022_10K.pdf", 45),
        "financebench_id_01912": ("MGMRESORTS_2022_10K.pdf", 38),
        # Dividends paid to common shareholders in its first half.
        "financebench_id_01254": ("MGMRESORTS_2023Q2_10Q.pdf", 6),
        # Gross profit rates of five years.
        "financebench_id_00685": ("BESTBUY_2019_10K.pdf", 26),
        # Revenue and net earnings of five years.
        "financebench_id_02608": ("BESTBUY_2019_10K.pdf", 26),
        # Of chunking-eval, whose reports are of other companies: what any of them tells.
        "ce-224": ("3M_2018_10K.pdf", 51),
        "ce-230": ("BLOCK_2020_10K.pdf", 96),
        "ce-249": ("ADOBE_2015_10K.pdf", 51),
        "ce-262": ("LOCKHEEDMARTIN_2020_10K.pdf", 48),
        "ce-276": ("WALMART_2018_10K.pdf", 64),
        "ce-277": ("JOHNSON_JOHNSON_2022_10K.pdf", 62),
        "ce-280": ("JPMORGAN_2022Q2_10Q.pdf", 140),
        "ce-314": ("ADOBE_2022_10K.pdf", 43),
    },
}


def left(
    library: str, asked: Mapping[str, Sequence[Query]], found: Mapping[str, Sequence[T]]
) -> dict[str, list[T]]:
    """What was found for the questions that no other document is known to answer.

    Args:
        library: Which was asked.
        asked: The questions, by kind; kinds that lose none are left out.
        found: Something for each of them.
    """
    told = TOLD.get(library, {})
    rest = {}
    for kind, queries in asked.items():
        pairs = zip(queries, found[kind], strict=True)
        kept = [one for query, one in pairs if query.id not in told]
        if len(kept) < len(queries):
            rest[f"{kind}, and told nowhere else"] = kept
    return rest
