"""Run tests under Wine: ``python -m tests.windows [TEST…]``; takes half an hour."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.windows.python import COMPILER, ROOT, make
from tests.windows.setup import make_setups

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = ROOT / "build" / "windows"
TESTS = (
    "tests/windows/under_wine.py", "tests/windows/test_system.py", "tests/unit/api",
    "tests/unit/text", "tests/unit/query",
)  # fmt: skip
NEEDED = {"wine": "wine wine64", COMPILER: "gcc-mingw-w64-x86-64-win32"}


def windows_path(path: Path) -> str:
    """Return a path of this machine as Wine shows it."""
    return "Z:" + str(path).replace("/", "\\")


def main() -> int:
    if missing := [package for program, package in NEEDED.items() if not shutil.which(program)]:
        print(f"this needs: apt-get install {' '.join(missing)}")
        return 1
    program = make(FOLDER)
    environment = {
        **os.environ,
        "WINEPREFIX": str(FOLDER / "prefix"),
        "WINEDEBUG": "-all",
        # Wine's desktop, started by whoever needs it first, would keep the pipes of that process
        # open, and whoever reads from them would wait forever.
        "WINEDLLOVERRIDES": "mscoree,mshtml,explorer.exe,winedbg.exe=",
        "PYTHONPATH": ";".join(map(windows_path, (ROOT, FOLDER / "site"))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "PYTHONHASHSEED": "0",
        "CI": "true",  # so that Hypothesis sets no deadlines
        "LECTERN_SETUPS": ";".join(map(windows_path, make_setups(FOLDER))),
    }
    command = [
        "wine", str(program), "-m", "pytest", "-v", "-rs", "-p", "no:cacheprovider",
        "-c", windows_path(ROOT / "tests" / "windows" / "pytest.ini"),
        # Else the fixtures above the folder of that file are not found.
        "--rootdir", windows_path(ROOT), "--confcutdir", windows_path(ROOT),
        *(sys.argv[1:] or TESTS),
    ]  # fmt: skip
    # Under Wine Python starts with pipes or a terminal, and not with files.
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace",
    ) as process:  # fmt: skip
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
