"""How old a process says that it is, by which the time to the first paint is measured."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

SAY = "from app.gui import age_s; import time; print(age_s(), time.process_time())"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems tell the start exactly")
def test_a_process_is_no_older_than_the_call_that_started_it() -> None:
    before = time.clock_gettime(time.CLOCK_BOOTTIME)
    said = subprocess.run(
        [sys.executable, "-c", SAY], capture_output=True, check=True, encoding="utf-8"
    ).stdout
    longest = time.clock_gettime(time.CLOCK_BOOTTIME) - before
    age, worked = map(float, said.split())
    tick = 1 / os.sysconf("SC_CLK_TCK")  # in which the kernel counts
    assert worked - tick <= age <= longest + tick
