"""Small files of the kinds that people reported about: what each says is read and found."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpora import BENCH, needs_corpus

# Each of its checks starts a command: minutes on a busy machine.
pytestmark = [needs_corpus, pytest.mark.corpus, pytest.mark.timeout(1800)]
PROGRAM = Path(sys.executable).with_name("lectern")


def test_what_people_reported_is_read_and_found() -> None:
    done = subprocess.run(
        [sys.executable, BENCH / "people_files.py", BENCH / "people-files", "--lectern", PROGRAM],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " checks hold" in done.stdout
