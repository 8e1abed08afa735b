"""Prepares the virtual environment of the checkout, for `make demo` and `make test`.

It imports only the standard library. It prints each step. As root it installs missing system
packages; otherwise it prints the command that installs them. Libraries that only the window needs
are optional.

    python3 packaging/bootstrap.py runtime|dev|convert
"""

from __future__ import annotations

import ctypes
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

# The packages of each level, in order: (description, arguments for pip).
LEVELS: dict[str, list[tuple[str, list[str]]]] = {
    "runtime": [
        ("the libraries Lectern runs on (about 330 MB)",
         ["--require-hashes", "-r", "requirements-build.lock"]),
    ],
    "dev": [
        ("the libraries and the tools that check them (about 440 MB)",
         ["--require-hashes", "-r", "requirements-dev.lock"]),
    ],
    "convert": [
        ("torch and sentence-transformers, for comparison only (about 1 GB)",
         ["torch==2.13.0", "sentence-transformers>=5,<7", "sentencepiece==0.2.3"]),
    ],
}  # fmt: skip

# Shared objects of the system that wheels need, and their Debian packages.
SYSTEM_LIBRARIES = {
    "libstdc++.so.6": "libstdc++6",
    "libgomp.so.1": "libgomp1",
    "libz.so.1": "zlib1g",
    "libgcc_s.so.1": "libgcc-s1",
}

# Shared objects of the system that Qt needs, and their Debian packages.
WINDOW_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
}
FONT_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".fonts")
FONTS = "fonts-dejavu-core"
# The virtual display of the test of the whole window.
DISPLAY = "xvfb"

# The tracer of the test that no process connects to a network.
TRACER = "strace"

# The recognition program with the languages of its tests.
RECOGNITION = ["tesseract-ocr", "tesseract-ocr-eng", "tesseract-ocr-deu"]

# ``indexer`` is imported first, because it disables the telemetry of the others.
PROBE = "import indexer, lancedb, numpy, onnxruntime, pymupdf, pyarrow, tokenizers"


def say(text: str) -> None:
    print(f"lectern: {text}", flush=True)


def fail(text: str) -> None:
    """Print what is wrong and what to do, and end with status 1."""
    sys.exit(f"lectern: {text}")


def missing_library(message: str) -> str | None:
    """The shared object that an import error names, or None."""
    found = re.search(r"(lib[\w+.-]+\.so[.\d]*): cannot open shared object", message)
    return found.group(1) if found else None


def install_command(packages: list[str]) -> list[str]:
    """The command that installs Debian packages, empty without apt."""
    if shutil.which("apt-get") is None:
        return []
    return ["apt-get", "install", "-y", "--no-install-recommends", *packages]


def may_install() -> bool:
    return os.name == "posix" and os.geteuid() == 0


def system_install(packages: list[str]) -> bool:
    """Install Debian packages; return whether they are installed now."""
    command = install_command(packages)
    if not command or not may_install():
        return False
    say(f"installing from the system: {' '.join(packages)}")
    limits = ["-o", "Acquire::http::Timeout=20", "-o", "Acquire::Retries=1"]
    subprocess.run(["apt-get", "update", "-qq", *limits], check=False)  # noqa: S607  # found by PATH
    return subprocess.run([*command, "-qq", *limits], check=False).returncode == 0


def advice(packages: list[str]) -> str:
    """The instruction for installing packages."""
    command = install_command(packages)
    if not command:
        return f"install {' '.join(packages)} with your system's package manager"
    return f"run: {'' if may_install() else 'sudo '}{' '.join(command)}"


def require(package: str) -> None:
    """Install a Debian package, or end with the command that installs it."""
    if not system_install([package]):
        fail(f"the system lacks {package}; {advice([package])}")


def wish(packages: list[str], without: str) -> None:
    """Install optional Debian packages if possible, else print what does not work without them."""
    if packages and not system_install(packages):
        say(f"{without}; {advice(packages)}")


def venv_python() -> Path:
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def make_environment() -> None:
    """Create ``.venv`` unless a working one exists."""
    if venv_python().exists():
        probe = [str(venv_python()), "-m", "pip", "--version"]
        if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
            return
    say(f"making a virtual environment in {VENV.name} (Python {sys.version.split()[0]})")
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        # On Debian ensurepip is in a separate package.
        require(f"python3.{sys.version_info.minor}-venv")
        if subprocess.run(command, check=False).returncode:
            fail("could not make a virtual environment")


def pip(*arguments: str) -> None:
    """Run the environment's pip; its output is visible."""
    quiet = [] if sys.stdout.isatty() else ["-q", "--progress-bar=off"]
    command = [str(venv_python()), "-m", "pip", "install", "--disable-pip-version-check"]
    command += [*quiet, *arguments]
    # A lock file needs no resolving, so it is quick if everything is installed already.
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        fail(f"pip failed; run it again by hand: {' '.join(command)}")


def check_imports() -> None:
    """Import the compiled libraries; install missing shared objects."""
    for _ in range(len(SYSTEM_LIBRARIES) + 1):
        command = [str(venv_python()), "-c", PROBE]
        probe = subprocess.run(command, capture_output=True, text=True, check=False)
        if probe.returncode == 0:
            return
        library = missing_library(probe.stderr)
        if library is None or library not in SYSTEM_LIBRARIES:
            fail(f"the installed libraries do not load:\n{probe.stderr}")
        else:
            require(SYSTEM_LIBRARIES[library])
    fail("the installed libraries still do not load")


def check_window(level: str) -> None:
    """Install the libraries and fonts of the window on Linux, and a display for its tests."""
    if not sys.platform.startswith("linux"):
        return
    packages = [WINDOW_LIBRARIES[name] for name in WINDOW_LIBRARIES if not loads(name)]
    if not any(folder.exists() and any(folder.rglob("*.[ot]t[fc]")) for folder in FONT_FOLDERS):
        packages.append(FONTS)
    wish(packages, "everything but the window works")
    if level == "dev" and shutil.which("Xvfb") is None:
        wish([DISPLAY], "the test of the whole window is skipped without Xvfb")


def check_recognition() -> None:
    """Install Tesseract, for its tests."""
    if sys.platform.startswith("linux") and shutil.which("tesseract") is None:
        wish(RECOGNITION, "the tests of scanned pages are skipped without Tesseract")


def check_tracer() -> None:
    """Install strace, for the test that no process connects to a network."""
    if sys.platform.startswith("linux") and shutil.which(TRACER) is None:
        wish([TRACER], "the test of network connections is skipped without strace")


def compile_models() -> None:
    """Compile the language models into their ONNX files, unless they are there."""
    say("compiling the language models, once (about two minutes)")
    script = ROOT / "packaging" / "model" / "compile_forms.py"
    if subprocess.run([str(venv_python()), str(script)], cwd=ROOT, check=False).returncode:
        fail("the language models could not be compiled")


def loads(library: str) -> bool:
    """Whether the system has a shared object."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def main(level: str) -> None:
    """Install a level, and touch its stamp file, which the Makefile depends on."""
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
    # This adds a line to a .pth file; the default costs each process 20 ms of processor time.
    pip("--no-deps", "--config-settings", "editable_mode=compat", "-e", ".")
    check_imports()
    check_window(level)
    if level == "dev":
        check_recognition()
        check_tracer()
    if level != "convert":
        compile_models()
    (VENV / f"{level}.stamp").touch()
    say(f"ready after {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in LEVELS:
        sys.exit(__doc__)
    main(sys.argv[1])
