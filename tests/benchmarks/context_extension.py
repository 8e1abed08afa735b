"""What reading beyond a model's trained window costs: plain, interpolated and NTK-aware positions.

    python -m tests.benchmarks.context_extension FOLDER

FOLDER is a model with rotary positions as sentence-transformers writes it, whose configuration
allows more positions than ``max_seq_length``, its trained window. Passages are pooled inside their
windows, and nothing but their vectors finds them (``tests.benchmarks.dense``).
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.config import Precision
from indexer.embed.imported import import_model
from tests.benchmarks import dense

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.embed.models import ModelRecord

SET = "chunking-eval"
FILES = ("wikitexts.md", "state_of_the_union.md", "chatlogs.md")  # the shorter ones
TIMES = (2, 4)


def variants(record: ModelRecord, lengths: Sequence[int]) -> Iterator[tuple[str, ModelRecord]]:
    """The record as trained, reading each passage alone, and with longer windows in three ways."""
    yield "alone", record.reading(late=False)
    yield "trained", record
    shape = record.architecture
    for times in lengths:
        longer = replace(record, window=times * record.window)
        stretched = replace(shape, stretch=float(times))
        yield "plain", longer
        yield "interpolated", replace(longer, architecture=stretched)
        yield "NTK-aware", replace(longer, architecture=replace(stretched, ntk=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--times", type=int, nargs="*", default=TIMES, help="the trained window")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        models = Path(scratch)
        record = import_model(options.folder, models, name="rotary", late=True)
        for positions, each in variants(record, options.times):
            found = dense.measure(each, models, SET, 1, Precision.FP32, FILES)
            print(json.dumps({"positions": positions, "window": each.window, **found}), flush=True)


if __name__ == "__main__":
    main()
