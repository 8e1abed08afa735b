"""``lectern encrypt`` and its kin, killed at each step; every byte of the disk is read."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jeepney import DBusAddress, MessageType, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

from indexer import faults
from indexer.vault import mounting
from indexer.vault.convert import DECRYPTING, ENCRYPTING
from indexer.vault.place import State, mounted_device, place_of
from tests.encrypting import PASSPHRASE, content_of, needs_gocryptfs, planted_in
from tests.tiny_model import TINY, install_tiny_model
from tests.waiting import WAIT_S, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = needs_gocryptfs
ROOT = Path(__file__).resolve().parents[2]
WORD, NAME, LATER = "zephyrquartz", "deed-of-the-lighthouse", "umbrellapine"


@dataclass(frozen=True, slots=True)
class Home:
    """A person's home, in which the command line runs."""

    folder: Path

    @property
    def library(self) -> Path:
        return self.folder / "data" / "lectern" / "library"

    @property
    def documents(self) -> Path:
        """Outside of what is looked through: documents stay as they are."""
        return self.folder.with_name("documents")

    @property
    def environment(self) -> dict[str, str]:
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("LECTERN_")}
        return {
            **inherited,
            "HOME": str(self.folder),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_DATA_HOME": str(self.folder / "data"),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "TMPDIR": str(self.folder / "tmp"),
            "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.folder}/bus",
            "PYTHONPATH": str(ROOT),
            "PYTHONWARNINGS": "error",
        }

    def command(self, *arguments: str | Path) -> list[str]:
        return [sys.executable, "-m", "app", *map(str, arguments)]

    def __call__(self, *arguments: str | Path, status: int = 0, fault: str = "") -> str:
        done = subprocess.run(
            self.command(*arguments), env={**self.environment, faults.VARIABLE: fault},
            input=f"{PASSPHRASE}\n", capture_output=True, text=True, cwd=ROOT, check=False,
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        return done.stdout + done.stderr

    def vector(self) -> bytes:
        """The run of numbers of a passage, as the store has it."""
        (file,) = (self.library / "index").glob("vectors_*.sqlite")
        with contextlib.closing(sqlite3.connect(file)) as store:
            (vector,) = store.execute("SELECT content FROM pooled").fetchone()
        return bytes(vector)[:32]

    def open_bytes(self, vector: bytes) -> list[str]:
        planted = [WORD, NAME, LATER]
        names = [each.encode(coding) for each in planted for coding in ("utf-8", "utf-16-le")]
        return planted_in(self.folder, [*names, vector])


def made(folder: Path) -> Home:
    home = Home(folder / "home")
    for name, mode in (("run", 0o700), ("tmp", 0o755), ("data/lectern/window", 0o700)):
        (home.folder / name).mkdir(mode=mode, parents=True)
    install_tiny_model(home.folder / "data" / "lectern" / "models")
    home.documents.mkdir()
    (home.documents / f"{NAME}.txt").write_text(f"The {WORD} is kept in the lighthouse. " * 20)
    home("settings", "set", "model", TINY)
    home("index", home.documents)
    window = home.folder / "data" / "lectern" / "window"
    (window / "history.json").write_text(f'["{WORD}"]')
    (home.folder / "state" / "lectern" / "log" / "lectern.log").write_text(f"reading {NAME}.txt\n")
    return home


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with a plain library; to be copied, not touched."""
    return made(tmp_path_factory.mktemp("made"))


@pytest.fixture
def home(prepared: Home, tmp_path: Path) -> Iterator[Home]:
    shutil.copytree(prepared.folder, tmp_path / "home")
    home = Home(tmp_path / "home")
    shutil.copytree(prepared.documents, home.documents)
    yield home
    mounting.lock(place_of(home.library))


def test_while_it_is_locked_nothing_of_it_is_on_the_disk(home: Home) -> None:
    vector = home.vector()
    assert len(home.open_bytes(vector)) >= 4  # or the search would prove nothing
    home("encrypt")
    assert home.open_bytes(vector) == []
    assert "vault_locked" in home("search", WORD, status=3)
    home("unlock")
    (home.documents / "later.txt").write_text(f"An {LATER} grows behind the harbour. " * 20)
    home("index", home.documents)
    assert "later.txt" in home("search", LATER)
    assert "unlocked" in home("status")
    assert home.open_bytes(vector) != []  # what is looked through is all that there is
    home("lock")
    assert home.open_bytes(vector) == []
    assert "locked" in home("status")
    assert home.open_bytes(vector) == []


def test_a_failed_unlock_leaves_nothing(home: Home) -> None:
    vector = home.vector()
    home("encrypt")
    command = home.command("unlock")
    failed = subprocess.run(
        command, env=home.environment, input="guessed\n", capture_output=True, text=True,
        cwd=ROOT, check=False,
    )  # fmt: skip
    assert failed.returncode == 3
    assert "vault_passphrase" in failed.stderr
    assert "guessed" not in failed.stderr
    assert not mounted_device(place_of(home.library).open)
    assert home.open_bytes(vector) == []


@pytest.mark.parametrize("step", ENCRYPTING)
def test_killed_while_it_is_encrypted_nothing_is_lost(home: Home, step: str) -> None:
    vector, before = home.vector(), content_of(home.library)
    home("encrypt", fault=f"{step}:1", status=-signal.SIGKILL)
    place = place_of(home.library)
    wait_for(lambda: not mounted_device(place.work))
    begun = ENCRYPTING.index(step) < ENCRYPTING.index("vault-committed")
    home("unlock", status=2 if begun else 0)
    assert content_of(home.library).items() >= before.items()
    assert place.state() == (None if begun else State.ENCRYPTED)
    if begun:
        assert not place.folder.exists()
        assert (home.folder / "data" / "lectern" / "window" / "history.json").exists()
        return
    assert WORD in (home.library / "window" / "history.json").read_text()
    home("lock")
    assert home.open_bytes(vector) == []


@pytest.mark.parametrize("step", DECRYPTING)
def test_killed_while_it_is_decrypted_nothing_is_lost(home: Home, step: str) -> None:
    vector, before = home.vector(), content_of(home.library)
    home("encrypt")
    home("decrypt", fault=f"{step}:1", status=-signal.SIGKILL)
    place = place_of(home.library)
    wait_for(lambda: not mounted_device(place.work))
    begun = DECRYPTING.index(step) < DECRYPTING.index("plain-committed")
    home("unlock", status=0 if begun else 2)
    assert content_of(home.library).items() >= before.items()
    assert place.state() == (State.ENCRYPTED if begun else None)
    if begun:
        home("lock")
        assert home.open_bytes(vector) == []
    else:
        assert not place.folder.exists()
        assert f"{NAME}.txt" in home("search", WORD)


def test_an_engine_locks_at_its_end(home: Home) -> None:
    vector = home.vector()
    home("encrypt")
    home("unlock")
    place = place_of(home.library)
    command = home.command("engine", "--idle-exit", "0.1")
    done = subprocess.run(
        command, env=home.environment, capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not mounted_device(place.open)
    assert home.open_bytes(vector) == []


def test_a_killed_engine_leaves_a_whole_library(home: Home) -> None:
    home("encrypt")
    home("unlock")
    with subprocess.Popen(
        home.command("engine"), env=home.environment, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as engine:
        assert engine.stderr is not None
        assert "Serving" in engine.stderr.readline()
        engine.kill()
    assert f"{NAME}.txt" in home("search", WORD)


def test_a_window_ends_with_the_library_that_is_locked(home: Home) -> None:
    vector = home.vector()
    home("encrypt")
    home("unlock")
    place = place_of(home.library)
    environment = {**home.environment, "QT_QPA_PLATFORM": "offscreen"}
    with subprocess.Popen(
        home.command("gui"), env=environment, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as window:
        wait_for((home.library / "engine.json").exists)
        home("lock")
        _, complaints = window.communicate(timeout=WAIT_S)
    assert window.returncode == 0
    assert "Traceback" not in complaints
    assert not mounted_device(place.open)
    assert home.open_bytes(vector) == []


@pytest.mark.skipif(
    shutil.which("dbus-daemon") is None,
    reason="dbus-daemon is not installed (apt-get install dbus)",
)
def test_it_is_locked_before_the_machine_sleeps(home: Home) -> None:
    """A private bus stands for that of the system, and this test for its login manager."""
    vector = home.vector()
    home("encrypt")
    place, login = place_of(home.library), "org.freedesktop.login1"
    address = f"unix:path={home.folder}/bus"
    daemon = ["dbus-daemon", "--session", "--nofork", f"--address={address}", "--print-address"]
    with subprocess.Popen(daemon, stdout=subprocess.PIPE, text=True) as bus:
        try:
            assert bus.stdout is not None
            bus.stdout.readline()
            with open_dbus_connection(address) as manager:
                manager.send_and_get_reply(message_bus.RequestName(login))
                home("unlock")
                asked = manager.receive(timeout=WAIT_S)
                while asked.header.message_type is not MessageType.method_call:
                    asked = manager.receive(timeout=WAIT_S)
                assert asked.body[0] == "sleep"
                assert asked.body[3] == "delay"
                manager.send(new_method_return(asked))
                with subprocess.Popen(
                    home.command("engine"), env=home.environment, stderr=subprocess.PIPE,
                    text=True, cwd=ROOT,
                ) as engine:  # fmt: skip
                    assert engine.stderr is not None
                    assert "Serving" in engine.stderr.readline()
                    source = DBusAddress("/org/freedesktop/login1", login, f"{login}.Manager")
                    manager.send(new_signal(source, "PrepareForSleep", "b", (True,)))
                    wait_for(lambda: not mounted_device(place.open))
                    assert engine.wait(WAIT_S) == 0
        finally:
            bus.terminate()
    assert home.open_bytes(vector) == []
