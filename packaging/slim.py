"""Removes unused shared libraries and symbols from a frozen tree.

PyInstaller copies the libraries of all files that it has seen. This module deletes those with which
no remaining file is linked.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from standins import STOP, make_standin

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_ELF = b"\x7fELF"
# PyInstaller's starter loads this library without being linked with it.
_ALWAYS = re.compile(r"libpython3\.\d+\.so")
# Libraries with which others are linked without calling them: Arrow's for Parquet and for plans,
# ICU's for sorting and for files, and Pillow's for screenshots.
_ONLY_NAMED = (
    "pyarrow/libparquet.so.*", "pyarrow/libarrow_substrait.so.*", "icu4py.libs/libicuio*",
    "icu4py.libs/libicui18n*", "pillow.libs/libXau*",
)  # fmt: skip
# Smaller files are not worth a process that strips them.
_WORTH_STRIPPING = 1 << 20


def slim(folder: Path) -> int:
    """Delete unused libraries and dangling links, add stand-ins, and strip symbols.

    Args:
        folder: It has system libraries, and extension modules in subfolders.

    Returns:
        The bytes saved.

    Raises:
        CalledProcessError: If readelf or strip fails.
        SystemExit: If there is no C compiler.
    """
    before = _size(folder)
    objects = [path for path in _files(folder) if _is_object(path)]
    for pattern in _ONLY_NAMED:
        for library in [each for each in folder.glob(pattern) if each in objects]:
            users = [each for each in objects if library.name in needed(each)]
            make_standin(library, library, users, STOP)
    system = {path.name: path for path in objects if _is_of_the_system(path, folder)}
    kept = set(reached([path for path in objects if path.name not in system], system))
    for name, path in system.items():
        if name not in kept and not _ALWAYS.match(name):
            path.unlink()
    for link in [path for path in folder.rglob("*") if path.is_symlink() and not path.exists()]:
        link.unlink()
    for path in objects:
        # Libraries patched by auditwheel break when stripped, and were stripped before.
        if path.exists() and not path.parent.name.endswith(".libs"):
            _strip(path)
    return before - _size(folder)


def reached(roots: Iterable[Path], libraries: dict[str, Path]) -> set[str]:
    """Return the names of the libraries that some files need, directly or indirectly."""
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        for name in needed(waiting.pop()) & libraries.keys() - found:
            found.add(name)
            waiting.append(libraries[name])
    return found


def needed(path: Path) -> set[str]:
    """Return the names of the libraries that an object file is linked with."""
    command = [_tool("readelf"), "--dynamic", "--wide", str(path)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(re.findall(r"\(NEEDED\).*\[(.+)\]", shown.stdout))


def _strip(path: Path) -> None:
    if path.stat().st_size >= _WORTH_STRIPPING:
        subprocess.run([_tool("strip"), "--strip-unneeded", str(path)], check=True)


def _tool(name: str) -> str:
    """Return the path of a program of binutils, which PyInstaller needs too."""
    return shutil.which(name) or name


def _is_of_the_system(path: Path, folder: Path) -> bool:
    return path.parent == folder and path.name.startswith("lib")


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]


def _is_object(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_ELF)) == _ELF


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in _files(folder))
