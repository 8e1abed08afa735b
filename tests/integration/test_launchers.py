"""The wrappers for launchers in ``packaging/launchers``, run with a real library."""

from __future__ import annotations

import json
import os
import plistlib
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.integration.doors import LEASE, OpenDoors, open_doors
from tests.waiting import WAIT_S

if TYPE_CHECKING:
    from collections.abc import Iterator

LAUNCHERS = Path(__file__).resolve().parents[2] / "packaging" / "launchers"
QUESTION = "who mends the roof"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-in is a script for a shell")


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory, tiny_models_dir: Path) -> Iterator[OpenDoors]:
    with open_doors(tmp_path_factory.mktemp("l"), tiny_models_dir) as opened:
        programs = opened.home / "bin"
        programs.mkdir(parents=True)
        command = doors_command(opened)
        (programs / "lectern").write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        (programs / "lectern").chmod(0o755)
        yield opened


def doors_command(doors: OpenDoors) -> str:
    return shlex.join([sys.executable, "-m", "app", "--library", str(doors.world.library)])


def run(doors: OpenDoors, *command: str, **variables: str) -> str:
    path = f"{doors.home / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, env={**doors.environment, "PATH": path, **variables},
        capture_output=True, text=True, timeout=WAIT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_flow_launcher_shows_hits(doors: OpenDoors) -> None:
    script = str(LAUNCHERS / "flow" / "lectern_flow.py")
    plugin = json.loads((LAUNCHERS / "flow" / "plugin.json").read_text())
    assert script.endswith(plugin["ExecuteFileName"])
    request = json.dumps({"method": "query", "parameters": [QUESTION]})
    rows = json.loads(run(doors, sys.executable, script, request))["result"]
    assert any(row["SubTitle"] in LEASE for row in rows)
    assert all(row["JsonRPCAction"]["method"] == "open" for row in rows)
    assert all(row["JsonRPCAction"]["parameters"][0] for row in rows)
    empty = json.dumps({"method": "query", "parameters": [" "]})
    assert json.loads(run(doors, sys.executable, script, empty)) == {"result": []}


def test_alfred_runs_the_search_of_its_workflow(doors: OpenDoors) -> None:
    workflow = plistlib.loads((LAUNCHERS / "alfred" / "info.plist").read_bytes())
    search, opening = workflow["objects"]
    (joined,) = workflow["connections"][search["uid"]]
    assert joined["destinationuid"] == opening["uid"]
    said = run(doors, "sh", "-c", search["config"]["script"], "alfred", QUESTION)
    assert json.loads(said)["items"]


def test_rofi_and_raycast_print_hits(doors: OpenDoors) -> None:
    rofi = run(doors, str(LAUNCHERS / "rofi-lectern"), QUESTION, ROFI_RETV="2")
    assert "info\x1flectern://passage" in rofi
    assert "roof" in run(doors, str(LAUNCHERS / "raycast-lectern.sh"), QUESTION)
