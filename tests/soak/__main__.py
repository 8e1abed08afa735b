"""``python -m tests.soak``: a library goes through long series of accidents, then it is judged.

python -m tests.soak                                  every scenario, as `make soak` does
python -m tests.soak changes --scale full             one of them, at its real size
python -m tests.soak changes kills --seconds 60 --size 300 --seed 7
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.soak import crowd, hostile, kills, moves, watched, write_faults
from tests.soak.extent import Extent

if TYPE_CHECKING:
    from collections.abc import Callable

SHOWN, LONGEST = 20, 1500  # findings, characters of one
SCALES = ("small", "usual", "full")


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario with its extents; the small one takes seconds and is part of the tests."""

    soak: Callable[[Path, Extent], list[str]]
    small: Extent
    usual: Extent
    full: Extent

    def extent(self, scale: str) -> Extent:
        return {"small": self.small, "usual": self.usual, "full": self.full}[scale]


SCENARIOS = {
    "accidents": Scenario(
        watched.accidents, Extent(60, 10.0, 20), Extent(2000, 180.0), Extent(2000, 600.0)
    ),
    "changes": Scenario(
        watched.changes, Extent(60, 6.0), Extent(2000, 60.0), Extent(100_000, 1200.0)
    ),
    "hostile": Scenario(hostile.soak, Extent(40, 0.0), Extent(300, 0.0), Extent(5000, 0.0)),
    "crowd": Scenario(crowd.soak, Extent(64, 60.0), Extent(2000, 120.0), Extent(10_000, 3600.0)),
    "kills": Scenario(kills.soak, Extent(300, 6.0), Extent(5000, 120.0), Extent(100_000, 3600.0)),
    "moves": Scenario(moves.soak, Extent(6, 0.0), Extent(500, 0.0), Extent(10_000, 0.0)),
    "writes": Scenario(
        write_faults.soak, Extent(1, 30.0), Extent(1000, 150.0), Extent(10_000, 14_400.0)
    ),
}


def judge(name: str, extent: Extent, *, keep: bool) -> list[str]:
    """Go through one scenario in a folder of its own, and say how it ended."""
    print(f"{name}: {extent.size:,} for {extent.seconds:.0f} s, seed {extent.seed}", flush=True)
    # The paths of sockets are short.
    folder = Path(tempfile.mkdtemp(prefix="lectern-soak-"))
    began = time.monotonic()
    try:
        found = SCENARIOS[name].soak(folder, extent)
    finally:
        if keep:
            print(f"Left at {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    told = "\n  ".join(wrong[-LONGEST:] for wrong in found[:SHOWN]) or "nothing is wrong"
    told += f"\n  and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    print(f"{name}: {told} ({time.monotonic() - began:.0f} s)", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    listed = ", ".join(SCENARIOS)
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=f"some of {listed}")
    parser.add_argument("--scale", choices=SCALES, default="usual")
    parser.add_argument("--size", type=int, help="instead of that of the scale")
    parser.add_argument("--seconds", type=float, help="instead of those of the scale")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--keep", action="store_true", help="leave the folders for looking at")
    asked = parser.parse_args()
    if unknown := set(asked.scenarios) - SCENARIOS.keys():
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {listed}")
    # However it ends, what was mounted and started goes with it.
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(1))
    failed = []
    for name in asked.scenarios or SCENARIOS:
        usual = SCENARIOS[name].extent(asked.scale)
        extent = Extent(
            usual.size if asked.size is None else asked.size,
            usual.seconds if asked.seconds is None else asked.seconds,
            usual.seed if asked.seed is None else asked.seed,
        )
        if judge(name, extent, keep=asked.keep):
            failed.append(name)
    print(f"Wrong in {', '.join(failed)}." if failed else "Every library is as it should be.")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
