"""Gathers the window's texts and compiles their translations: what `make translations` runs.

Owns the calls of Qt's own tools, which come with PySide6. The texts are found in the sources; the
German stands in ``resources/i18n/lectern_de.ts``, for people to edit (``pyside6-linguist`` or any
editor), and ``lectern_en.ts`` holds the plurals of English.

    python packaging/translations.py            gather and compile
    python packaging/translations.py --check    only say what is missing, with status 1
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "resources" / "i18n"
LANGUAGES = {"de": [], "en": ["-pluralonly"]}


def tool(name: str) -> str:
    """Return the path of one of PySide6's commands."""
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    if found is None:
        sys.exit(f"lectern: {name} is missing; run: make test")
    return found


def sources() -> list[str]:
    """List the window's files, and the engine's table of phrases, which the window translates."""
    found = [*(ROOT / "ui").rglob("*.py"), ROOT / "indexer" / "api" / "phrases.py"]
    return sorted(str(path.relative_to(ROOT)) for path in found)


def run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    # Qt's tools end with 0 whatever they find; their warnings are all they say.
    if done.returncode or "rror" in done.stderr or "arning" in done.stderr:
        sys.exit(f"lectern: {Path(command[0]).name}: {done.stdout}{done.stderr}")


def gather(folder: Path) -> None:
    """Bring the ``.ts`` files of a folder up to date with the sources."""
    with tempfile.TemporaryDirectory() as scratch:
        listed = Path(scratch) / "sources"
        listed.write_text("\n".join(sources()), encoding="utf-8")
        for language, options in LANGUAGES.items():
            file = folder / f"lectern_{language}.ts"
            run(
                tool("pyside6-lupdate"), f"@{listed}", "-no-obsolete", "-locations", "none",
                "-source-language", "en", "-target-language", language, *options,
                "-ts", str(file),
            )  # fmt: skip


def release(folder: Path, into: Path) -> None:
    """Compile the ``.ts`` files of a folder."""
    for language in LANGUAGES:
        file = folder / f"lectern_{language}.ts"
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
            # Qt finds the plurals of ``tr`` only, not those of ``translate``.
            unseen = "%Ln" in (message.findtext("source") or "") and not message.get("numerus")
            if translation is None or translation.get("type") or unseen or not all(said):
                found.append(f"{context.findtext('name')}: {message.findtext('source')}")
    return found


def missing(folder: Path) -> list[str]:
    """Return what the files of a folder lack, compared with the sources and with each other."""
    with tempfile.TemporaryDirectory() as scratch:
        fresh = Path(scratch)
        for language in LANGUAGES:
            shutil.copy(folder / f"lectern_{language}.ts", fresh)
        release(fresh, fresh)
        stale = [
            f"{name}.qm is not made of {name}.ts"
            for name in (f"lectern_{language}" for language in LANGUAGES)
            if not _same(fresh / f"{name}.qm", folder / f"{name}.qm")
        ]
        gather(fresh)
        lacking = [
            f"{language}: {text}"
            for language in LANGUAGES
            for text in unfinished(fresh / f"lectern_{language}.ts")
        ]
    return stale + lacking


def _same(one: Path, other: Path) -> bool:
    return other.exists() and one.read_bytes() == other.read_bytes()


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        lacking = missing(FOLDER)
    else:
        gather(FOLDER)
        release(FOLDER, FOLDER)
        lacking = missing(FOLDER)
    for line in lacking:
        print(line)
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
