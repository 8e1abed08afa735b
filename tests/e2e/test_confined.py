"""Commands and the window have no network; programs that they open, and downloads, have one."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from indexer.confine import kernel
from indexer.embed.hub import FOLDER
from tests.fake_hub import serving
from tests.listening import Listener, listening
from tests.sentence_folder import write_folder
from tests.ui.engines import Home, make_home
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    not kernel.has_seccomp(), reason="the filters are of Linux on x86-64 and Arm"
)
WAIT_S = 120.0
MODEL = "all-MiniLM-L6-v2"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path / "home")


@pytest.fixture
def fake() -> Iterator[Listener]:
    with listening() as listener:
        yield listener


def settle(home: Home, **values: object) -> None:
    settings = json.loads(home.settings_file.read_text())
    home.settings_file.write_text(json.dumps(settings | values))


def run(home: Home, command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=home.folder,
        env=home.environment | environment,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )


def visitor(folder: Path, name: str, port: int) -> Path:
    """Write a program that sends its arguments to the listener."""
    program = folder / name
    program.write_text(
        f"#!{sys.executable}\nimport socket, sys\n"
        f"with socket.create_connection(('127.0.0.1', {port}), timeout=30) as to:\n"
        f"    to.sendall(repr([{name!r}, *sys.argv[1:]]).encode())\n"
    )
    program.chmod(0o700)
    return program


def open_in_window(home: Home, document: Path, port: int, **environment: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.e2e.drive_opening", str(document), str(port)]
    done = run(home, command, **({"QT_QPA_PLATFORM": "offscreen"} | environment))
    assert done.returncode == 0, done.stderr
    assert "qt" not in done.stderr.lower(), done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_a_viewer_has_the_network_that_its_window_lacks(
    home: Home, fake: Listener, tmp_path: Path
) -> None:
    document = tmp_path / "a b.pdf"
    document.touch()
    settle(home, viewer=f"'{visitor(tmp_path, 'viewer', fake.port)}' --at={{page}}")
    told = open_in_window(home, document, fake.port)
    wait_for(lambda: fake.heard)
    assert fake.heard == [repr(["viewer", "--at=7", str(document)]).encode()]
    assert told == {"reached": False, "said": []}


_CHANGED = """
import sys
from pathlib import Path
from app import confined, gui
from indexer.confine import launcher
document, program, answer = sys.argv[1:]
gui.child_command = lambda module, window: [answer]
confined.begin(confined.WINDOW, offline=True)
from app.settings import Settings
Settings().set("viewer", program)
assert launcher.current().ask_launcher(launcher.OpenInViewer("", Path(document), 3))
launcher.current().end()
"""


@pytest.mark.parametrize("confirmed", [False, True])
def test_a_window_cannot_choose_the_program_that_is_started(
    home: Home, fake: Listener, tmp_path: Path, *, confirmed: bool
) -> None:
    """A command that came into the settings since the window was started needs a yes."""
    document, answer = tmp_path / "a.pdf", tmp_path / "answer"
    document.touch()
    answer.write_text(f'#!/bin/sh\necho "$2" > {answer}.asked\nexit {int(not confirmed)}\n')
    answer.chmod(0o700)
    program = str(visitor(tmp_path, "chosen", fake.port))
    done = run(home, [sys.executable, "-c", _CHANGED, str(document), program, str(answer)])
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "answer.asked").read_text().strip() == program
    if confirmed:
        wait_for(lambda: fake.heard)
    assert fake.heard == [repr(["chosen", str(document)]).encode()] * confirmed


def test_a_program_that_the_desktop_opens_has_the_network(
    home: Home, fake: Listener, tmp_path: Path
) -> None:
    document = tmp_path / "notes.txt"
    document.touch()
    visitor(tmp_path, "xdg-open", fake.port)
    told = open_in_window(home, document, fake.port, PATH=f"{tmp_path}:/usr/bin:/bin")
    wait_for(lambda: fake.heard)
    assert fake.heard == [repr(["xdg-open", str(document)]).encode()]
    assert told == {"reached": False, "said": []}


def test_the_default_viewer_gets_the_page(home: Home, fake: Listener, tmp_path: Path) -> None:
    document = tmp_path / "lease.pdf"
    document.touch()
    visitor(tmp_path, "evince", fake.port)
    asked = tmp_path / "xdg-mime"
    asked.write_text("#!/bin/sh\necho org.gnome.Evince.desktop\n")
    asked.chmod(0o700)
    open_in_window(home, document, fake.port, PATH=f"{tmp_path}:/usr/bin:/bin")
    wait_for(lambda: fake.heard)
    assert fake.heard == [repr(["evince", "--page-index=7", str(document)]).encode()]


def test_a_window_without_anything_that_opens_says_so(
    home: Home, fake: Listener, tmp_path: Path
) -> None:
    document = tmp_path / "notes.txt"
    document.touch()
    told = open_in_window(home, document, fake.port, PATH=str(tmp_path))
    assert told == {"reached": False, "said": ["No program could open notes.txt."]}


def test_the_doctor_reports_whether_a_window_would_be_confined(home: Home) -> None:
    """A window whose display is reached over the network is not confined."""
    far = rows(home, QT_QPA_PLATFORM="xcb", DISPLAY="far.example:0")["network of the window"]
    assert far.startswith("would not be cut off: its display far.example:0")
    near = rows(home, QT_QPA_PLATFORM="offscreen")["network of the window"]
    assert near.startswith("would be cut off")


def rows(home: Home, *options: str, **environment: str) -> dict[str, str]:
    done = run(home, home.command(*options, "doctor", "--json"), **environment)
    return {row["name"]: row["value"] for row in json.loads(done.stdout)}


def test_the_doctor_reports_the_confinement_in_force(home: Home) -> None:
    found = rows(home)
    for name in ("network", "network of the engine"):
        assert found[name].startswith("cut off, with all it starts, by seccomp")
    assert found["readers of documents"].startswith("a process for each document")
    assert "ORT_DISABLE_TELEMETRY" in found["reporting"]


def test_a_published_model_is_fetched_by_the_launcher_alone(home: Home, tmp_path: Path) -> None:
    """The command itself is confined; offline nobody asks, and the hub hears nothing else."""
    model, repository = "gte-modernbert-base", "Alibaba-NLP/gte-modernbert-base"
    folder = write_folder(tmp_path / "repo", "cls_token")
    with serving(folder, repository) as hub:
        get = home.command("models", "get", model)
        offline = run(home, home.command("--offline", "models", "get", model), **hub.environment)
        assert "working offline" in offline.stderr
        assert run(home, home.command("models"), **hub.environment).returncode == 0
        assert hub.asked == []
        settle(home, offline=False)
        left = home.folder / "data" / "lectern" / "models" / f"{FOLDER}{model}"
        hub.hold = threading.Event()
        with subprocess.Popen(get, cwd=home.folder, env=home.environment | hub.environment) as half:
            wait_for(lambda: _has_part(left))
            half.kill()
        hub.hold.set()
        hub.hold = None
        done = run(home, get, **hub.environment)
        assert done.returncode == 0, done.stderr
        assert hub.ranges("model.onnx").count("") == 1  # the killed one's; this one went on
        assert all(repository in path for _, path, _ in hub.asked)
    facts = [line.split() for line in done.stdout.splitlines()]
    assert ["state", "here"] in facts
    assert any(fact[0] == "revision" and fact[1].startswith("5555") for fact in facts)


def _has_part(folder: Path) -> bool:
    """Whether a file is being fetched; a part whose file is whole is renamed."""
    with contextlib.suppress(FileNotFoundError):
        return any(part.stat().st_size for part in folder.glob("*.part"))
    return False
