"""Runs a command of the build and ends the build if it fails; copies its folders.

It decides how commands are printed and how failures are reported. It needs only Python 3.10, with
which ``clean_root`` runs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[1]


# The preset of xz. With 1, packing takes .37 of the processor time, and the result is 9 % larger.
_PRESET = os.environ.get("LECTERN_XZ", "7")
# The filter for programs of this processor saves a tenth; the large dictionary is for LanceDB.
XZ = ("xz", "--threads=0", "--x86", f"--lzma2=preset={_PRESET},dict=64MiB")


def run(
    *command: str | Path, environment: Mapping[str, str] | None = None, capture: bool = False
) -> str:
    """Run a command in the checkout.

    Args:
        command: The program and its arguments.
        environment: Replaces the environment of the build.
        capture: Return the output instead of showing it.

    Returns:
        Standard output, empty unless captured.

    Raises:
        SystemExit: If the command fails; captured output is printed.
    """
    print("+", *command, flush=True)
    done = subprocess.run(
        [*map(str, command)], cwd=ROOT, env=environment, capture_output=capture, text=True,
        errors="replace", check=False,
    )  # fmt: skip
    output = done.stdout or ""
    if done.returncode:
        print(output[-3000:], (done.stderr or "")[-3000:], sep="\n", file=sys.stderr)
        sys.exit(f"{Path(command[0]).name} failed with status {done.returncode}")
    return output


def link_tree(folder: Path, target: Path) -> None:
    """Copy a folder by hard links, as the frozen tree has 700 MB; ``target`` must not exist."""
    shutil.copytree(folder, target, symlinks=True, copy_function=os.link)
