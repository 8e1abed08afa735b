"""Gathers the window's texts and compiles their translations, for `make translations`.

It runs Qt's tools, which come with PySide6. The texts are those in ``tr`` and ``N_``
(``indexer.api.translation``) in the sources. Each language has a file that people edit
(``pyside6-linguist`` or any editor), ``resources/i18n/lectern_de.ts`` for German; ``lectern_en.ts``
has the plurals of English.

    python packaging/translations.py            gather and compile
    python packaging/translations.py fr         the same, with a new language
    python packaging/translations.py --check    list what is missing, with status 1
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "resources" / "i18n"
PLACES = ("app", "indexer/api", "indexer/query", "ui")
# The mark of ``indexer.api.translation``; the context of its texts is "Words".
MARK = re.compile(r"\bN_\(")
# The language of the sources; only its plurals are translated.
SOURCE = "en"


def languages(folder: Path) -> list[str]:
    """Return the languages of the ``.ts`` files in a folder."""
    return sorted(path.stem.removeprefix("lectern_") for path in folder.glob("lectern_*.ts"))


def tool(name: str) -> str:
    """Return the path of one of PySide6's commands."""
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    if found is None:
        sys.exit(f"lectern: {name} is missing; run: make test")
    return found


def copy_sources(into: Path) -> Iterator[Path]:
    """Copy the sources with texts of the window, with marks that ``lupdate`` knows."""
    for place in PLACES:
        for path in sorted((ROOT / place).rglob("*.py")):
            copied = into / path.relative_to(ROOT)
            copied.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text(encoding="utf-8")
            copied.write_text(MARK.sub('QT_TRANSLATE_NOOP("Words", ', text), encoding="utf-8")
            yield copied


def run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    # Qt's tools end with status 0 even after errors; only their output shows these.
    if done.returncode or "rror" in done.stderr or "arning" in done.stderr:
        sys.exit(f"lectern: {Path(command[0]).name}: {done.stdout}{done.stderr}")


def gather(folder: Path, *new: str) -> None:
    """Update the ``.ts`` files of a folder from the sources, and create new ones."""
    with tempfile.TemporaryDirectory() as scratch:
        listed = Path(scratch) / "sources"
        copied = copy_sources(Path(scratch))
        listed.write_text("\n".join(map(str, copied)), encoding="utf-8")
        for language in (*languages(folder), *new):
            options = ["-pluralonly"] if language == SOURCE else []
            file = folder / f"lectern_{language}.ts"
            run(
                tool("pyside6-lupdate"), f"@{listed}", "-no-obsolete", "-locations", "none",
                "-source-language", "en", "-target-language", language, *options,
                "-ts", str(file),
            )  # fmt: skip


def release(folder: Path, into: Path) -> None:
    """Compile the ``.ts`` files of a folder."""
    for file in folder.glob("lectern_*.ts"):
        run(tool("pyside6-lrelease"), "-silent", str(file), "-qm", str(into / f"{file.stem}.qm"))


def unfinished(file: Path) -> list[str]:
    """Return the texts of a ``.ts`` file that have no translation."""
    tree = ET.parse(file)  # noqa: S314  # our own file
    found = []
    for context in tree.iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            forms = [] if translation is None else [translation, *translation.iter("numerusform")]
            said = [form.text for form in forms if form.tag == "numerusform" or len(form) == 0]
            # lupdate finds plurals in ``tr`` only, not in ``translate``.
            unseen = "%Ln" in (message.findtext("source") or "") and not message.get("numerus")
            if translation is None or translation.get("type") or unseen or not all(said):
                found.append(f"{context.findtext('name')}: {message.findtext('source')}")
    return found


def missing(folder: Path) -> list[str]:
    """Return the missing translations and outdated ``.qm`` files of a folder."""
    with tempfile.TemporaryDirectory() as scratch:
        fresh = Path(scratch)
        for file in folder.glob("lectern_*.ts"):
            shutil.copy(file, fresh)
        release(fresh, fresh)
        stale = [
            f"{name}.qm is not made of {name}.ts"
            for name in (f"lectern_{language}" for language in languages(folder))
            if not _same(fresh / f"{name}.qm", folder / f"{name}.qm")
        ]
        gather(fresh)
        lacking = [
            f"{language}: {text}"
            for language in languages(folder)
            for text in unfinished(fresh / f"lectern_{language}.ts")
        ]
    return stale + lacking


def _same(one: Path, other: Path) -> bool:
    return other.exists() and one.read_bytes() == other.read_bytes()


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        lacking = missing(FOLDER)
    else:
        gather(FOLDER, *arguments)
        release(FOLDER, FOLDER)
        lacking = missing(FOLDER)
    for line in lacking:
        print(line)
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
