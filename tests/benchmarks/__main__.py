"""``python -m tests.benchmarks``: runs the chosen parts and prints one table.

At the end it lists results that are worse than the figures of docs/benchmarks (``figures``).

python -m tests.benchmarks                       the parts of `make bench`: see below
python -m tests.benchmarks quality latency       these parts only
python -m tests.benchmarks --quick               the smallest set, a small synthetic library
python -m tests.benchmarks --million             1,000,000 synthetic passages too (an hour)
python -m tests.benchmarks table                 the table again, from the parts on disk

Without names, it leaves out parts that take long and say little about speed. Of the largest set it
takes the first twenty documents and the questions that they answer. So it ends within half an hour
on two slow cores. With names, sets are whole.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.private_files import write_file
from tests.benchmarks import (
    ablation,
    described,
    figures,
    latency,
    machine,
    quality,
    report,
    sets,
    size,
    throttle,
    throughput,
    windows,
    wordings,
)
from tests.benchmarks.libraries import Libraries, Options, note

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.benchmarks.report import Section

# In the order of the table.
PARTS: dict[str, Callable[[Options, Libraries], Section]] = {
    "quality": quality.run,
    "described": described.run,
    "wordings": wordings.run,
    "throughput": throughput.run,
    "latency": latency.run,
    "size": size.run,
    "ablation": ablation.run,
    "throttle": throttle.run,
    "windows": windows.run,
}
# Throughput indexes a set anew, so it runs first, and the other parts use that library.
ORDER = (
    "throughput", "quality", "described", "wordings", "size", "latency", "ablation", "throttle",
    "windows",
)  # fmt: skip
TABLE = "table"
# These run only if they are named: `make bench-ranking` has the second and third, and says more
# than the first.
BY_NAME = frozenset({"ablation", "described", "wordings", "windows"})
LARGEST = 20  # documents


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit status."""
    asked = _parse(arguments)
    if asked.parts == [TABLE]:
        print(_table(asked.out))
        return 0
    if not sets.BENCH.is_dir():
        print(f"The benchmark sets are not there: {sets.BENCH} is missing. Nothing was measured.")
        return 0
    options = _options(asked)
    parts = set(asked.parts) - {TABLE} or set(PARTS) - BY_NAME
    facts = machine.facts()
    libraries = Libraries(options)
    done: dict[str, Section] = {}
    for name in (name for name in ORDER if name in parts):
        note(f"{name} …")
        done[name] = PARTS[name](options, libraries)
        done[name].save(options.out, facts)
    kind = machine.kind(machine.cpuinfo())
    worse = figures.below(done, figures.read_figures(), kind, facts["load before"])
    sections = [done[name] for name in PARTS if name in done]
    text = report.document([*sections, worse], facts)
    write_file(options.out / "table.md", text)
    print(text)
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    names = ", ".join((*PARTS, TABLE))
    add("parts", nargs="*", metavar="PART", help=f"of {names}; by default those of `make bench`")
    add("--sets", nargs="+", choices=sets.NAMES, help="these sets only", metavar="SET")
    add("--quick", action="store_true", help=f"{sets.NAMES[0]} and small numbers only")
    add("--keep", action="store_true", help="take the libraries of an earlier run as they are")
    add("--million", action="store_true", help="measure at 1,000,000 synthetic passages too")
    add("--out", type=Path, default=Path("bench-results"), help="where results and libraries go")
    asked = parser.parse_args(arguments)
    unknown = sorted(set(asked.parts) - {*PARTS, TABLE})
    if unknown:
        parser.error(f"there is no part {unknown[0]}; choose from {', '.join((*PARTS, TABLE))}")
    return asked


def _options(asked: argparse.Namespace) -> Options:
    out = asked.out.absolute()
    small = sets.NAMES[:1] if asked.quick else sets.NAMES
    chosen = [sets.find(name) for name in sets.NAMES if name in (asked.sets or small)]
    if not (asked.parts or asked.sets or asked.quick):
        chosen[-1] = chosen[-1].part(LARGEST, out / "sets")
    return Options(
        out=out,
        chosen=tuple(chosen),
        quick=asked.quick,
        keep=asked.keep,
        million=asked.million,
    )


def _table(out: Path) -> str:
    """The table of all parts kept in a folder, whenever they were measured."""
    files = [out / f"{name}.json" for name in PARTS]
    kept = [report.load(file) for file in files if file.exists()]
    facts = kept[0][1] if kept else {}
    return report.document([section for section, _ in kept], facts)


if __name__ == "__main__":
    sys.exit(main())
