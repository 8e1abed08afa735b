"""The commands that sign the programs for Windows and make their installer, by NSIS.

NSIS runs on Windows and Debian. If no program that signs is given, nothing is signed.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SCRIPT = Path(__file__).parent / "windows" / "lectern.nsi"
# NSIS's own installer does not add NSIS to the PATH.
PLACE = r"C:\Program Files (x86)\NSIS"
# A program that signs the file it is given, such as a script around signtool. It has no spaces.
SIGN = "LECTERN_SIGN_PROGRAM"


def steps(
    tree: Path, dist: Path, version: str, environment: Mapping[str, str]
) -> Iterator[list[str]]:
    """Yield the commands that pack a frozen tree of Windows.

    Args:
        tree: The folder with the two programs.
        dist: The folder of the installer; made if missing.
        version: The version of the program.
        environment: May have the program that signs (``SIGN``); it gets both programs, the
            uninstaller and the installer.
    """
    dist.mkdir(exist_ok=True)
    facts = {
        "VERSION": version,
        "TREE": str(tree.resolve()),
        "OUT": str(dist.resolve() / f"lectern-{version}-setup.exe"),
    }
    if sign := environment.get(SIGN, ""):
        facts["SIGN"] = sign
        yield from ([sign, str(program)] for program in sorted(tree.glob("*.exe")))
    makensis = shutil.which("makensis") or shutil.which("makensis", path=PLACE) or "makensis"
    yield [makensis, "-V2", "-WX", *(f"-D{name}={value}" for name, value in facts.items()),
           str(SCRIPT)]  # fmt: skip
