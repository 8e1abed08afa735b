"""The way of a document on Windows: locks, pipes, children, extraction, vectors, store, answers."""

from __future__ import annotations

import cmath
import contextlib
import json
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.windows.setup import OLD_FILE, VERSIONS

pytestmark = pytest.mark.skipif(sys.platform != "win32", reason="for Windows")

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "resources" / "sample" / "documents"
# LanceDB 0.40 stands still under Wine 8 after some hundred searches, in threads of its own: a loop
# of one query did after 100, 200 and 500. With this document the library is large enough to ask
# itself as many when it is indexed.
LONGEST = "south.pdf"
QUESTION = "who mends the roof"
PATIENCE_S = 1500


def lectern(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command with a home of its own."""
    environment = {**os.environ, "LOCALAPPDATA": str(folder), "APPDATA": str(folder)}
    command = [sys.executable, "-m", "app", "--library", str(folder / "library"), *words]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8",
        timeout=PATIENCE_S, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose library holds the sample documents but ``LONGEST``, copied there."""
    folder = tmp_path_factory.mktemp("home")
    shutil.copytree(SAMPLES, folder / "documents", ignore=shutil.ignore_patterns(LONGEST))
    done = lectern(folder, "index", "--quiet", str(folder / "documents"))
    assert done.returncode == 0, done.stderr
    return folder


def test_every_document_is_read(home: Path) -> None:
    lines = lectern(home, "files", "--json").stdout.splitlines()
    rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
    assert {row["state"] for row in rows} == {"indexed"}
    names = {path.name for path in SAMPLES.iterdir()} - {LONGEST}
    assert {Path(row["path"]).name for row in rows} == names


def test_a_question_is_answered(home: Path) -> None:
    done = lectern(home, "search", "--limit", "1", "--json", QUESTION)
    assert "workshop-lease.pdf" in done.stdout, done.stderr


def test_a_path_is_as_windows_writes_it(home: Path) -> None:
    done = lectern(home, "search", f"in:{home / 'documents'}", "ext:pdf", "roof")
    assert "workshop-lease.pdf" in done.stdout, done.stderr


def test_the_library_is_whole(home: Path) -> None:
    done = lectern(home, "verify")
    assert done.returncode == 0, done.stdout


def test_a_second_engine_is_kept_out_and_attached_to(home: Path) -> None:
    """The lock holds, the pipe is found, and the token opens it."""
    environment = {**os.environ, "LOCALAPPDATA": str(home), "APPDATA": str(home)}
    own = [sys.executable, "-m", "app", "--library", str(home / "library")]
    with subprocess.Popen(
        [*own, "engine"], cwd=home, env=environment, stderr=subprocess.PIPE, text=True
    ) as engine:
        assert engine.stderr is not None
        while "Serving" not in (line := engine.stderr.readline()):
            assert line, "the engine ended"
        assert "workshop-lease.pdf" in lectern(home, "search", QUESTION).stdout
        assert lectern(home, "engine", "--stop").returncode == 0
        assert engine.wait(PATIENCE_S) == 0


@pytest.mark.parametrize(
    ("distribution", "module"),
    [
        ("pyside6-essentials", "PySide6.QtWidgets"), ("numpy", "numpy"), ("pyarrow", "pyarrow"),
        ("lancedb", "lancedb"), ("tantivy", "tantivy"), ("onnxruntime", "onnxruntime"),
        ("pymupdf", "pymupdf"), ("icu4py", "icu4py"),
    ],
)  # fmt: skip
def test_the_locked_version_loads(distribution: str, module: str) -> None:
    locked = (ROOT / "requirements.lock").read_text("utf-8")
    assert f"\n{distribution}=={metadata.version(distribution)} " in f"\n{locked}"
    subprocess.run([sys.executable, "-c", f"import {module}"], timeout=PATIENCE_S, check=True)


def test_numpy_calculates_with_complex_numbers() -> None:
    """Under Wine by functions of ``tests.windows.python``."""
    for kind in (np.complex64, np.complex128):
        given = np.array([1 + 2j, -3.5 + 0.5j], kind)
        for name in ("exp", "sin", "cos", "tan", "sinh", "cosh", "tanh"):
            expected = [getattr(cmath, name)(each) for each in given]
            assert np.allclose(getattr(np, name)(given), expected)
        raised = np.power(given, kind(1 + 1j))
        assert np.allclose(raised, [complex(each) ** (1 + 1j) for each in given])
        assert np.allclose(abs(given), [abs(complex(each)) for each in given])


SETUPS = [Path(each) for each in os.environ.get("LECTERN_SETUPS", "").split(";") if each]
UNINSTALL = r"Software\Microsoft\Windows\CurrentVersion\Uninstall\Lectern"
LINKS = r"Software\Classes\lectern\shell\open\command"


def registered(key: str, name: str = "") -> str:
    """A value of this person's registry; "" if there is none."""
    if sys.platform == "win32":
        import winreg

        with contextlib.suppress(OSError), winreg.OpenKey(winreg.HKEY_CURRENT_USER, key) as opened:
            return str(winreg.QueryValueEx(opened, name)[0])
    return ""


@pytest.mark.skipif(not SETUPS, reason="needs NSIS (apt-get install nsis)")
def test_the_installer_installs_over_the_version_before_and_removes() -> None:
    home = Path(os.environ["LOCALAPPDATA"])
    library = home / "lectern" / "library-of-a-test"
    library.mkdir(parents=True, exist_ok=True)
    place = home / "Programs" / "Lectern"
    for setup, version in zip(SETUPS, VERSIONS, strict=True):
        subprocess.run([setup, "/S"], timeout=PATIENCE_S, check=True)
        assert registered(UNINSTALL, "DisplayVersion") == version
        assert registered(LINKS) == f'"{place}\\lectern-window.exe" gui "%1"'
        assert (place / OLD_FILE).exists() == (version == VERSIONS[0])
    # The first one was asked to end its engine before its files were replaced.
    assert "engine --stop" in (place / "lectern.exe.told").read_text("utf-8")
    own = place / "notes.txt"  # the person may have chosen a folder of theirs
    own.write_text("of the person")
    # With "_?" the program does not go on in a copy of itself, which nobody waits for.
    uninstall = [str(place / "uninstall.exe"), "/S", f"_?={place}"]
    subprocess.run(uninstall, timeout=PATIENCE_S, check=True)
    left = {each.name for each in place.iterdir()}
    assert left - {"lectern.exe.told", "uninstall.exe"} == {own.name}
    own.unlink()
    assert registered(UNINSTALL, "DisplayVersion") == registered(LINKS) == ""
    assert library.is_dir()
    library.rmdir()
