"""Put old faults back into a copy of the tree, one at a time, and run the tests that catch them.

    python -m tests.faults [NAME…]

A row says whether the fault was caught; the exit status is 1 if one was not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.faults.rows import ROOT, Fault, faults

# A test that does not end has caught the fault, too.
_LONGEST_S = 900


def main(names: list[str]) -> int:
    """Try the faults of these names, or all."""
    known = faults()
    for fault in known.values():
        fault.put_back((ROOT / fault.file).read_text("utf-8"))  # check all before the first is run
    missed = []
    with tempfile.TemporaryDirectory(prefix="lectern-faults-") as folder:
        tree = Path(folder) / "tree" / "lectern"
        _copy(tree)
        for name in names or known:
            caught = _caught(known[name], tree)
            if not caught:
                missed.append(name)
            print(
                f"{'caught' if caught else 'MISSED':8}{name:28}{caught or known[name].says}",
                flush=True,
            )
    print(f"{len(names or known) - len(missed)} of {len(names or known)} caught")
    return int(bool(missed))


def _copy(tree: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z"],  # whichever git is there
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        place = tree / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, place)
    (tree.parent / "shared").symlink_to(ROOT.parent / "shared")  # the corpora of some tests


def _caught(fault: Fault, tree: Path) -> str:
    """Return the test that catches the fault; "" if none does."""
    place = tree / fault.file
    before = place.read_text("utf-8")
    place.write_text(fault.put_back(before), "utf-8")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *fault.tests],
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree), "QT_QPA_PLATFORM": "offscreen"},
            capture_output=True,
            check=False,
            text=True,
            timeout=_LONGEST_S,
        )
    except subprocess.TimeoutExpired:
        return "the tests did not end"
    finally:
        place.write_text(before, "utf-8")
    if done.returncode != pytest.ExitCode.TESTS_FAILED:
        return ""  # also where a test of that name is no longer there
    failed = [
        line
        for line in done.stdout.splitlines()
        if line.startswith(("FAILED tests", "ERROR tests"))
    ]
    return " ".join(failed[0].split()[:2]) if failed else done.stdout[-2000:]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
