"""Makes a folder with Tesseract and the data of the scripts that PP-OCRv6 does not read.

The folder has ``tesseract`` (a script), ``lib`` (this system's program and its libraries) and
``tessdata``. This module must not know packages; those that can depend on Tesseract do not need it.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from command import run
from slim import reached
from standins import RETURN_NULL, make_standin

# English gives a second opinion on bad pages. With more than four, not all are used at once.
LANGUAGES = ("eng", "rus", "ukr", "ell", "ara", "heb", "kor", "hin", "tha")
_DATA = (*LANGUAGES, "osd")
# Libraries of the C library, which must be the system's own.
_GLIBC = re.compile(r"(ld-linux|libc\.|libm\.|libdl|libpthread|librt|libresolv|linux-vdso)")
# Libraries for images on the network and packed language data. They would bring 45 MB, among them
# OpenSSL and ICU, so stand-ins replace them whose functions return NULL.
STANDINS = re.compile(r"lib(curl|archive)\b")
_START = """#!/bin/sh
# It is started by its full path.
here=${0%/*}
export LD_LIBRARY_PATH="$here/lib" TESSDATA_PREFIX="$here/tessdata"
exec "$here/lib/tesseract" "$@"
"""


def make_tesseract(folder: Path, work: Path) -> None:
    """Fill a folder, emptied first; ``work`` is a scratch folder.

    Raises:
        SystemExit: If Tesseract, the data of a language or a C compiler is missing here.
    """
    for each in (folder, work):
        shutil.rmtree(each, ignore_errors=True)
        each.mkdir(parents=True)
    program = shutil.which("tesseract") or "tesseract"
    _copy_program(program, folder / "lib")
    (folder / "tesseract").write_text(_START, "utf-8")
    (folder / "tesseract").chmod(0o755)
    _copy_data(folder / "tessdata", work)
    listed = run(folder / "tesseract", "--list-langs", capture=True).split()
    if lacking := set(_DATA) - set(listed):
        sys.exit(f"Tesseract does not find {', '.join(sorted(lacking))}")


def _copy_program(program: str, folder: Path) -> None:
    folder.mkdir()
    shutil.copy(program, folder / "tesseract")
    linked = re.findall(r"(\S+) => (/\S+)", run("ldd", program, capture=True))
    taken = {name: Path(path) for name, path in linked if not _GLIBC.match(name)}
    replaced = {name for name in taken if STANDINS.match(name)}
    wanted = {name: taken[name] for name in taken.keys() - replaced}
    for name in sorted(reached([Path(program)], wanted)):
        shutil.copy(wanted[name], folder / name)
    for name in sorted(replaced):
        make_standin(taken[name], folder / name, list(folder.iterdir()), RETURN_NULL)


def _copy_data(folder: Path, work: Path) -> None:
    """Unpack Debian's packages with the data of the languages, which apt has verified."""
    folder.mkdir()
    names = [f"tesseract-ocr-{name}" for name in _DATA]
    run("sh", "-c", f"cd {work} && apt-get -q download {' '.join(names)}", capture=True)
    for package in sorted(work.glob("*.deb")):
        run("dpkg-deb", "-x", package, work / "unpacked")
    for file in (work / "unpacked").rglob("*.traineddata"):
        shutil.copy(file, folder)
