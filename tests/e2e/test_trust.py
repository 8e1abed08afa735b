"""No connection leaves the machine: engine, window and commands run under strace."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.trust.tracing import Rules, is_available, traced
from tests.trust.watched import World, watch
from tests.ui.engines import make_home

pytestmark = pytest.mark.skipif(
    not is_available(), reason="strace is not installed (apt-get install strace)"
)
# Seconds; longer than the 14 s after which ONNX Runtime would report.
SECONDS = 18.0


def test_the_checker_reports_forbidden_calls(tmp_path: Path) -> None:
    code = (
        "import os, socket\n"
        "with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s: s.connect(('127.0.0.1', 9))\n"
        f"open('{tmp_path}/outside', 'w').close(); open('{tmp_path}/mine/inside', 'w').close()\n"
        f"os.mkdir('{tmp_path}/folder'); os.rename('{tmp_path}/folder', '{tmp_path}/other')\n"
        "open('/etc/hosts').close()\n"
    )
    (tmp_path / "mine").mkdir()
    subprocess.run(traced([sys.executable, "-c", code], tmp_path), check=True)
    kinds = [line.partition(":")[0] for line in Rules((tmp_path / "mine",)).broken(tmp_path)]
    assert kinds == ["a file", "a file", "a file", "a look-up", "a socket", "an address"]


@pytest.mark.timeout(900)
def test_no_connection_is_made_and_no_file_is_written_elsewhere() -> None:
    # The name of a socket may not be long; elsewhere than in its folder it would be a find.
    with tempfile.TemporaryDirectory(prefix="trust-") as folder:
        world = World(make_home(Path(folder, "home")), Path(folder, "calls"), SECONDS)
        world.make()
        found = watch(world, together=True)
    assert not any(found.values()), "\n".join(line for each in found.values() for line in each)
