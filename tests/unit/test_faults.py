"""In processes of their own: the point is chosen when the module is loaded, once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from indexer import faults

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
from indexer import faults
for number in range(5):
    faults.reached("other")
    faults.reached("here")
    print(number, flush=True)
"""


def run(spec: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, faults.VARIABLE: spec}
    command = [sys.executable, "-c", PROGRAM]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_a_point_that_nobody_chose_does_nothing() -> None:
    assert run("").stdout.split() == list("01234")
    assert run("elsewhere:1").stdout.split() == list("01234")


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_the_process_ends_when_it_comes_by_for_the_chosen_time() -> None:
    done = run("here:3")
    assert done.stdout.split() == ["0", "1"]
    assert done.returncode == -signal.SIGKILL


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM ends nothing by itself there")
def test_another_signal_may_be_named() -> None:
    assert run("here:1:SIGTERM").returncode == -signal.SIGTERM
