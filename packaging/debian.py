"""Makes the Debian packages of the frozen tree: the program, and two parts that it recommends.

It decides on the layout under ``/usr``, which parts are packages of their own, the dependencies,
the control files and the maintainer script. It must not know how the tree was frozen.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
from email.utils import formatdate
from typing import TYPE_CHECKING

from command import XZ, link_tree, run
from tesseract import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# The libraries that Qt needs, and Tesseract with its languages. LibreOffice is only suggested:
# without it, office files from before 2007 are listed but not read. Without python3-nautilus, the
# menu of Nautilus has no entries of Lectern. Without libcups2, pages can only be printed to files.
DEPENDS = (
    "libegl1", "libgl1", "libdbus-1-3", "libfontconfig1", "libfreetype6",
    "libglib2.0-0 | libglib2.0-0t64", "libx11-6", "libx11-xcb1", "libxcb-cursor0", "libxcb-glx0",
    "libxcb-icccm4", "libxcb-image0", "libxcb-keysyms1", "libxcb-randr0", "libxcb-render-util0",
    "libxcb-render0", "libxcb-shape0", "libxcb-shm0", "libxcb-sync1", "libxcb-xfixes0",
    "libxcb-xkb1", "libxkbcommon-x11-0", "libxkbcommon0", "fonts-dejavu-core | fonts-liberation",
    "tesseract-ocr", *(f"tesseract-ocr-{name}" for name in LANGUAGES),
)  # fmt: skip
RECOMMENDS = ("libcups2 | libcups2t64", "xdg-utils")
PLACE = "usr/lib/lectern"
SUGGESTS = ("libreoffice", "python3-nautilus")

# The data is compressed in a later step.
DPKG = ("dpkg-deb", "--root-owner-group", "--no-uniform-compression", "-Znone", "--build")
MAINTAINER = "The Lectern maintainers <lectern@localhost>"
# What each package tells lintian that it does on purpose, with the reason. lintian mentions those
# that it does not need, so a package has no others.
_OF_ALL = """\
# There is no address for mail yet.
bogus-mail-host *
bogus-mail-host-in-debian-changelog *
"""
_OF_LIBRARIES = f"""\
{_OF_ALL}# The libraries come as the wheels of their makers have them, also those that are smaller
# than a megabyte or break when they are stripped; Python's modules and stand-ins need no other one.
embedded-library *
unstripped-binary-or-object *
shared-library-lacks-prerequisites *
"""
_OF_LARGE = f"""\
{_OF_LIBRARIES}# Of the package that it depends on, in the same version.
missing-dependency-on-libc *
"""
_OF_PROGRAM = f"""\
{_OF_LIBRARIES}library-not-linked-against-libc *
custom-library-search-path *
# The starter of PyInstaller is built so.
hardening-no-pie *
# The window is described in lectern(1).
no-manual-page *
# KDE starts no entry of a menu that is not executable.
executable-not-elf-or-script *
"""
# The AppStream data names no home page, as there is none. An older lintian, which does not look
# there, would call this tag unknown.
_NO_HOME_PAGE = "appstream-metadata-validation-failed"

# Optional parts of the tree: their folders, and what their packages tell lintian and people.
PARTS = {
    "languages": (
        ("_internal/resources/models/lectern-e5-late",),
        _OF_ALL,
        "language model of Lectern for many languages",
        "Passages and questions in 68 languages are found by their meaning. Without",
        "this package that holds for English, and other languages are found by",
        "their words.",
    ),
    "large": (
        ("_internal/lancedb", "_internal/pyarrow"),
        _OF_LARGE,
        "index of Lectern for large libraries",
        "From 200,000 passages on, an index of LanceDB finds the nearest ones.",
        "Without this package a question is compared with each of them, which takes",
        "longer.",
    ),
}
_ABOUT = (
    "find the passage that answers a question in your own documents",
    "Lectern reads PDF, Office files, books, mails and scans, understands them",
    "with a language model on your own processor, and shows the page with the",
    "passage outlined. It sends nothing anywhere.",
)

# A purge names the folders of people's libraries and settings, as it does not delete them.
_POSTRM = """#!/bin/sh
set -e
if [ "$1" = purge ]; then
    echo "Libraries and settings stay with their people: ~/.local/share/lectern,"
    echo "~/.config/lectern, ~/.local/state/lectern and ~/.cache/lectern in each home."
fi
"""


def make_debs(tree: Path, dist: Path, work: Path, version: str, share: Path, *, name: str) -> None:
    """Pack a frozen tree as Debian packages.

    Args:
        tree: The folder with the two programs.
        dist: The folder of the packages.
        work: A scratch folder, emptied first.
        version: The version of the program.
        share: The files for ``/usr/share``.
        name: The name of the package; packages with different names conflict.

    Raises:
        SystemExit: If ``dpkg-deb``, ``ar`` or ``xz`` fails.
    """
    shutil.rmtree(work, ignore_errors=True)
    root = work / name
    (root / PLACE).parent.mkdir(parents=True)
    link_tree(tree, root / PLACE)
    (root / "usr/bin").mkdir()
    for program in ("lectern", "lectern-window"):
        (root / "usr/bin" / program).symlink_to(f"../lib/lectern/{program}")
    shutil.copytree(share, root / "usr/share")
    (root / "DEBIAN").mkdir()
    script = root / "DEBIAN/postrm"
    script.write_text(_POSTRM, "utf-8")
    script.chmod(0o755)
    for part, (folders, overrides, *about) in PARTS.items():
        own = work / f"{name}-{part}"
        for folder in folders:
            (own / PLACE / folder).parent.mkdir(parents=True, exist_ok=True)
            (root / PLACE / folder).rename(own / PLACE / folder)
        # PyInstaller links the libraries of those folders from the one above.
        for link in (root / PLACE / "_internal").glob("*.so*"):
            if not link.exists():
                link.rename(own / PLACE / "_internal" / link.name)
        (own / "DEBIAN").mkdir()
        relations = {"Depends": f"{name} (= {version})"}
        _pack(own, tree, dist, version, relations, overrides, about)
    other = "lectern-gpu" if name == "lectern" else "lectern"
    relations = {
        "Depends": f"libc6 (>= {libc_of(tree)}), {', '.join(DEPENDS)}",
        "Recommends": ", ".join((*(f"{name}-{part}" for part in PARTS), *RECOMMENDS)),
        "Suggests": ", ".join(SUGGESTS),
        "Conflicts": other,
        "Replaces": other,
    }
    _pack(root, tree, dist, version, relations, f"{_OF_PROGRAM}{_home_page()}", _ABOUT)


def _home_page() -> str:
    """The override for the lack of a home page, or "" if lintian here does not look for one."""
    explain = shutil.which("lintian-explain-tags")
    if explain is None:
        return ""
    known = subprocess.run([explain, _NO_HOME_PAGE], capture_output=True, check=False)
    return "" if known.returncode else f"# There is no home page yet.\n{_NO_HOME_PAGE} *\n"


def _pack(
    root: Path, tree: Path, dist: Path, version: str, relations: Mapping[str, str],
    overrides: str, about: Sequence[str],
) -> None:  # fmt: skip
    """Pack a folder as the package of its name."""
    named = root / "usr/share/doc" / root.name
    named.mkdir(parents=True, exist_ok=True)
    rights = "".join((tree / each).read_text("utf-8") for each in ("NOTICE", "LICENSE"))
    (named / "copyright").write_text(rights, "utf-8")
    (named / "changelog.gz").write_bytes(gzip.compress(changelog(root.name, version), mtime=0))
    told = root / "usr/share/lintian/overrides"
    told.mkdir(parents=True)
    (told / root.name).write_text(overrides, "utf-8")
    content = control_file(root.name, version, _kilobytes(root), relations, about)
    (root / "DEBIAN/control").write_text(content, "utf-8")
    for library in root.rglob("*.so*"):
        library.chmod(0o644)
    run("chmod", "--recursive", "go-w", root)  # some systems let a person's group write
    package = dist / f"{root.name}_{version}_{_architecture()}.deb"
    run(*DPKG, root, package)
    # dpkg-deb's own xz knows no filter for programs, which saves a tenth.
    data = package.with_name("data.tar")
    run("ar", "x", "--output", dist, package, data.name)
    run(*XZ, "--force", data)
    run("ar", "d", package, data.name)
    run("ar", "q", package, f"{data}.xz")
    data.with_name("data.tar.xz").unlink()


def changelog(name: str, version: str) -> bytes:
    """Return a changelog in Debian's form, which refers to the real one."""
    time = formatdate(int(os.environ.get("SOURCE_DATE_EPOCH", "0")))
    return (
        f"{name} ({version}) stable; urgency=medium\n\n  * What changed is in CHANGELOG.md.\n\n"
        f" -- {MAINTAINER}  {time}\n"
    ).encode()


def libc_of(tree: Path) -> str:
    """Return the version of the C library that a tree needs; parts of it come from this system."""
    command = 'find "$1" -name "*.so*" -type f -exec objdump -p {} +'
    asked = run("sh", "-c", command, "sh", tree, capture=True)
    return f"2.{max(map(int, re.findall(r'GLIBC_2.([0-9]+)', asked)))}"


def control_file(
    name: str, version: str, kilobytes: int, relations: Mapping[str, str], about: Sequence[str]
) -> str:
    """Return the content of the control file; ``about`` is a title and the lines below it."""
    title, *lines = about
    return "\n".join((
        f"Package: {name}",
        f"Version: {version}",
        f"Architecture: {_architecture()}",
        f"Maintainer: {MAINTAINER}",
        f"Installed-Size: {kilobytes}",
        *(f"{field}: {value}" for field, value in relations.items()),
        "Section: utils",
        "Priority: optional",
        f"Description: {title}",
        *(f" {line}" for line in lines),
        "",
    ))  # fmt: skip


def _architecture() -> str:
    return run("dpkg", "--print-architecture", capture=True).strip()


def _kilobytes(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*")) // 1024
