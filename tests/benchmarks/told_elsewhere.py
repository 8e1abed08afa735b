"""Questions that would wrongly count as unanswered, as another file has their gold sentence, too.

The rule: a gold span of at least ``LEAST`` characters stands word for word, except for white space,
in a file of the corpus that is not gold. Sets with gold pages have no sentences to look for. This
module must not know engines.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.benchmarks.sets import BenchSet

# A shorter sentence ("Thank you.") answers nothing by itself.
LEAST = 20


def told_elsewhere(wanted: BenchSet) -> frozenset[str]:
    """The ids of a set's questions that other files than those of their gold spans answer."""
    lines = (wanted.folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    gold = {row["id"]: row["gold"] for row in map(json.loads, filter(str.strip, lines))}
    spanned = {one["file"] for found in gold.values() for one in found if "spans" in one}
    if not spanned:
        return frozenset()
    files = {path.name: path.read_bytes().decode("utf-8") for path in wanted.corpus.iterdir()}
    plain = {name: " ".join(text.split()) for name, text in files.items()}

    def stands(one: dict[str, Any], gone: set[str]) -> bool:
        said = [" ".join(files[one["file"]][low:high].split()) for low, high in one["spans"]]
        left = [text for name, text in plain.items() if name not in gone]
        return any(len(each) >= LEAST and each in text for each in said for text in left)

    return frozenset(
        question
        for question, found in gold.items()
        if any(stands(one, {each["file"] for each in found}) for one in found)
    )
