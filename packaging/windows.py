"""The command that makes the installer for Windows, by NSIS on Windows or Debian.

The installer is not signed.
"""

from __future__ import annotations

import shutil
from pathlib import Path

SCRIPT = Path(__file__).parent / "windows" / "lectern.nsi"


def make_installer(tree: Path, dist: Path, version: str) -> list[str]:
    """Return the command that packs a frozen tree of Windows.

    Args:
        tree: The folder with the two programs.
        dist: The folder of the installer; made if missing.
        version: Of the program.
    """
    dist.mkdir(exist_ok=True)
    made = dist.resolve() / f"lectern-{version}-setup.exe"
    facts = {"VERSION": version, "TREE": str(tree.resolve()), "OUT": str(made)}
    program = shutil.which("makensis") or "makensis"
    return [program, "-V2", "-WX", *(f"-D{name}={value}" for name, value in facts.items()),
            str(SCRIPT)]  # fmt: skip
