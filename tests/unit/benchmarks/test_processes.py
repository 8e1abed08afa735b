"""Memory is seen from outside, in real processes."""

from __future__ import annotations

import sys

from tests.benchmarks.processes import CHILD, watch

MB = 1 << 20
# Holds so many MB, gives them back, and waits for a line that never comes.
_HOLD = "import sys; held = bytearray({} << 20); held = None; print(sys.argv[-1]); {}"


def _hold(megabytes: int, then: str = "") -> list[str]:
    return [sys.executable, "-c", _HOLD.format(megabytes, then), "done"]


def test_the_peak_counts_though_it_was_given_back() -> None:
    linger = "import time; time.sleep(0.3)"
    small, large = watch(_hold(1, linger)), watch(_hold(150, linger))
    assert large.engine - small.engine > 120 * MB
    assert (large.status, large.output) == (0, "done\n")
    assert large.child == 0
    assert not large.children


def test_extraction_children_are_told_from_the_engine() -> None:
    child = f"import subprocess, sys; subprocess.run([*sys.argv[1:-1], {CHILD!r}], check=True)"
    linger = "import time; time.sleep(0.3)"
    peaks = watch([sys.executable, "-c", child, *_hold(150, linger)[:-1], "done"])
    assert peaks.child > 120 * MB
    assert len(peaks.children) == 1
    assert peaks.engine < 120 * MB


def test_the_status_of_a_failure_is_kept() -> None:
    assert watch([sys.executable, "-c", "raise SystemExit(3)"]).status == 3
