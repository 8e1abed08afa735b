"""Prepares the checkout's own virtual environment: what `make demo` and `make test` run first.

Owns the steps from a bare machine to an environment that imports; must not import anything that
is not in the standard library. It says what it does before it does it, installs missing system
packages where it may, and otherwise names the one command that does.

    python3 packaging/bootstrap.py runtime|dev|convert
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
OLDEST = (3, 11)

# What each level installs, in order: (words for the person, arguments for pip).
LEVELS: dict[str, list[tuple[str, list[str]]]] = {
    "runtime": [
        ("the libraries Lectern runs on (about 300 MB)",
         ["--require-hashes", "-r", "requirements.lock"]),
    ],
    "dev": [
        ("the libraries and the tools that check them (about 350 MB)",
         ["--require-hashes", "-r", "requirements-dev.lock"]),
    ],
    "convert": [
        ("torch and sentence-transformers, for comparison only (about 1 GB)",
         ["torch==2.13.0", "sentence-transformers>=5,<7"]),
    ],
}  # fmt: skip

# Shared objects the wheels need from the system, and the Debian package that has each.
SYSTEM_LIBRARIES = {
    "libstdc++.so.6": "libstdc++6",
    "libgomp.so.1": "libgomp1",
    "libz.so.1": "zlib1g",
    "libgcc_s.so.1": "libgcc-s1",
}

PROBE = "import lancedb, numpy, onnxruntime, pymupdf, pyarrow, tokenizers"


def say(text: str) -> None:
    print(f"lectern: {text}", flush=True)


def fail(text: str) -> None:
    """Say what is wrong and what to do, and end with status 1."""
    sys.exit(f"lectern: {text}")


def missing_library(message: str) -> str | None:
    """The shared object an import error complains of, or None."""
    found = re.search(r"(lib[\w+.-]+\.so[.\d]*): cannot open shared object", message)
    return found.group(1) if found else None


def system_install(package: str) -> None:
    """Install a Debian package, or name the command that does."""
    command = ["apt-get", "install", "-y", package]
    if shutil.which("apt-get") is None:
        fail(f"the system lacks {package}; install it with your system's package manager")
    if os.name != "posix" or os.geteuid() != 0:
        fail(f"the system lacks {package}; run: sudo {' '.join(command)}")
    say(f"installing the system package {package}")
    subprocess.run(["apt-get", "update", "-qq"], check=False)  # noqa: S607
    if subprocess.run(command, check=False).returncode:
        fail(f"could not install {package}; run: {' '.join(command)}")


def venv_python() -> Path:
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def make_environment() -> None:
    """Create ``.venv`` unless a working one stands there."""
    if venv_python().exists():
        probe = [str(venv_python()), "-m", "pip", "--version"]
        if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
            return
    say(f"making a virtual environment in {VENV.name} (Python {sys.version.split()[0]})")
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        # Debian keeps ensurepip in a package of its own.
        system_install(f"python3.{sys.version_info.minor}-venv")
        if subprocess.run(command, check=False).returncode:
            fail("could not make a virtual environment")


def pip(*arguments: str) -> None:
    """Run the environment's pip, its progress visible."""
    quiet = [] if sys.stdout.isatty() else ["-q", "--progress-bar=off"]
    command = [str(venv_python()), "-m", "pip", "install", "--disable-pip-version-check"]
    command += [*quiet, *arguments]
    # A lock file needs no resolving; asking for what is there already is quick.
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        fail(f"pip failed; run it again by hand: {' '.join(command)}")


def check_imports() -> None:
    """Import the compiled libraries once; install a shared object they miss."""
    for _ in range(len(SYSTEM_LIBRARIES) + 1):
        command = [str(venv_python()), "-c", PROBE]
        probe = subprocess.run(command, capture_output=True, text=True, check=False)
        if probe.returncode == 0:
            return
        library = missing_library(probe.stderr)
        if library is None or library not in SYSTEM_LIBRARIES:
            fail(f"the installed libraries do not load:\n{probe.stderr}")
        else:
            system_install(SYSTEM_LIBRARIES[library])
    fail("the installed libraries still do not load")


def main(level: str) -> None:
    """Bring the environment to a level and stamp it."""
    if sys.version_info < OLDEST:
        fail(
            f"Python {OLDEST[0]}.{OLDEST[1]} or later is needed; this is "
            f"{sys.version.split()[0]}. Name a later one: make PYTHON=python3.12 …"
        )
    started = time.monotonic()
    make_environment()
    for words, arguments in LEVELS[level]:
        say(f"installing {words}")
        pip(*arguments)
    pip("--no-deps", "-e", ".")
    check_imports()
    (VENV / f"{level}.stamp").touch()
    say(f"ready after {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in LEVELS:
        sys.exit(__doc__)
    main(sys.argv[1])
