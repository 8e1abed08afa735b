"""Two versions of the installer for Windows, with small programs in place of the real ones.

Owns what is in them; ``under_wine`` runs them.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.windows.python import COMPILER, ROOT, run

if TYPE_CHECKING:
    from pathlib import Path

# Of the two, only the first has this file.
OLD_FILE = "_internal/old.dll"
VERSIONS = ("1.0.0", "1.0.1")
# It notes with which words it was started.
_PROGRAM = """
#include <stdio.h>
#include <windows.h>
int main(void) {
    char path[MAX_PATH];
    GetModuleFileNameA(NULL, path, sizeof path - 16);
    strcat(path, ".told");
    FILE *file = fopen(path, "a");
    fprintf(file, "%s\\n", GetCommandLineA());
    return fclose(file);
}
"""


def make_setups(folder: Path) -> list[Path]:
    """Return the installers of ``VERSIONS``; none without NSIS.

    Raises:
        CalledProcessError: If one cannot be made.
    """
    if shutil.which("makensis") is None:
        return []
    sys.path.insert(0, str(ROOT / "packaging"))
    steps = importlib.import_module("windows").steps
    made = []
    for version in VERSIONS:
        tree = folder / f"tree-{version}"
        shutil.rmtree(tree, ignore_errors=True)
        (tree / "_internal").mkdir(parents=True)
        (folder / "program.c").write_text(_PROGRAM)
        for name in ("lectern.exe", "lectern-window.exe"):
            run(COMPILER, "-O", "-o", tree / name, folder / "program.c")
        if version == VERSIONS[0]:
            (tree / OLD_FILE).write_bytes(b"MZ")
        for command in steps(tree, folder, version, {}):
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        made.append(folder / f"lectern-{version}-setup.exe")
    return made
