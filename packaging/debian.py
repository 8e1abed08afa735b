"""Makes the Debian package of the frozen tree.

Owns the layout under ``/opt/lectern`` and ``/usr``, the dependencies, the control file and the
maintainer script. It must not know how the tree was made.
"""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

from command import XZ, link_tree, run
from tesseract import LANGUAGES

if TYPE_CHECKING:
    from pathlib import Path

# The libraries that Qt needs, and Tesseract with its languages. LibreOffice is only suggested:
# without it office files from before 2007 are listed but not read. Without python3-nautilus the
# menu of Nautilus has no entries of Lectern.
DEPENDS = (
    "libegl1", "libgl1", "libdbus-1-3", "libfontconfig1", "libfreetype6",
    "libglib2.0-0 | libglib2.0-0t64", "libx11-6", "libx11-xcb1", "libxcb-cursor0", "libxcb-glx0",
    "libxcb-icccm4", "libxcb-image0", "libxcb-keysyms1", "libxcb-randr0", "libxcb-render-util0",
    "libxcb-render0", "libxcb-shape0", "libxcb-shm0", "libxcb-sync1", "libxcb-xfixes0",
    "libxcb-xkb1", "libxkbcommon-x11-0", "libxkbcommon0", "fonts-dejavu-core | fonts-liberation",
    "tesseract-ocr", *(f"tesseract-ocr-{name}" for name in LANGUAGES),
)  # fmt: skip
RECOMMENDS = ("xdg-utils",)
SUGGESTS = ("libreoffice", "python3-nautilus")

# A purge names the folders of the people's libraries and settings, which it does not delete.
_POSTRM = """#!/bin/sh
set -e
if [ "$1" = purge ]; then
    echo "Libraries and settings stay with their people: ~/.local/share/lectern,"
    echo "~/.config/lectern, ~/.local/state/lectern and ~/.cache/lectern in each home."
fi
"""


def make_deb(tree: Path, dist: Path, work: Path, version: str, share: Path, *, name: str) -> Path:
    """Pack a frozen tree as a Debian package.

    Args:
        tree: The folder with the two programs.
        dist: The folder of the package.
        work: A scratch folder, emptied first.
        version: Of the program.
        share: The files for ``/usr/share``.
        name: Of the package; packages with different names conflict.

    Raises:
        SystemExit: If ``dpkg-deb``, ``ar`` or ``xz`` fails.
    """
    shutil.rmtree(work, ignore_errors=True)
    (work / "opt").mkdir(parents=True)
    link_tree(tree, work / "opt/lectern")
    programs = work / "usr/bin"
    programs.mkdir(parents=True)
    for program in ("lectern", "lectern-window"):
        (programs / program).symlink_to(f"/opt/lectern/{program}")
    shutil.copytree(share, work / "usr/share")
    rights = "".join((tree / each).read_text("utf-8") for each in ("NOTICE", "LICENSE"))
    (work / "usr/share/doc/lectern/copyright").write_text(rights, "utf-8")
    control = work / "DEBIAN"
    control.mkdir()
    content = control_file(name, version, _kilobytes(work), libc_of(tree))
    (control / "control").write_text(content, "utf-8")
    script = control / "postrm"
    script.write_text(_POSTRM, "utf-8")
    script.chmod(0o755)
    package = dist / f"{name}_{version}_{_architecture()}.deb"
    run("dpkg-deb", "--root-owner-group", "-Znone", "--build", work, package)
    # dpkg-deb's own xz knows no filter for programs, which saves a tenth.
    data = package.with_name("data.tar")
    run("ar", "x", "--output", dist, package, data.name)
    run(*XZ, "--force", data)
    run("ar", "d", package, data.name)
    run("ar", "q", package, f"{data}.xz")
    data.with_name("data.tar.xz").unlink()
    return package


def libc_of(tree: Path) -> str:
    """Return the version of the C library that a tree needs, some of which is of this system."""
    command = 'find "$1" -name "*.so*" -type f -exec objdump -p {} +'
    asked = run("sh", "-c", command, "sh", tree, capture=True)
    return f"2.{max(map(int, re.findall(r'GLIBC_2.([0-9]+)', asked)))}"


def control_file(name: str, version: str, kilobytes: int, libc: str) -> str:
    """Return the content of the control file."""
    other = "lectern-gpu" if name == "lectern" else "lectern"
    return "\n".join((
        f"Package: {name}",
        f"Version: {version}",
        f"Architecture: {_architecture()}",
        "Maintainer: The Lectern maintainers <lectern@localhost>",
        f"Installed-Size: {kilobytes}",
        f"Depends: libc6 (>= {libc}), {', '.join(DEPENDS)}",
        f"Recommends: {', '.join(RECOMMENDS)}",
        f"Suggests: {', '.join(SUGGESTS)}",
        f"Conflicts: {other}",
        f"Replaces: {other}",
        "Section: utils",
        "Priority: optional",
        "Description: find the passage that answers a question in your own documents",
        " Lectern reads PDF, Office files, books, mails and scans, understands them with a",
        " language model on your own processor, and shows the page with the passage outlined.",
        " It sends nothing anywhere.",
        "",
    ))  # fmt: skip


def _architecture() -> str:
    return run("dpkg", "--print-architecture", capture=True).strip()


def _kilobytes(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*")) // 1024
