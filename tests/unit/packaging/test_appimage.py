"""The AppImage's runtime, Tesseract in a folder, and the licences of system libraries."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

PACKAGING = Path(__file__).resolve().parents[3] / "packaging"


@pytest.fixture(scope="module")
def scripts() -> dict[str, ModuleType]:
    names = ("appimage", "rights", "standins", "tesseract")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(PACKAGING))
        return {name: importlib.import_module(name) for name in names}


@pytest.mark.skipif(sys.platform != "linux", reason="programs of other systems are not ELF")
def test_the_program_in_front_of_an_image_is_found(scripts: dict[str, ModuleType]) -> None:
    program = Path("/bin/sh").read_bytes()
    found = scripts["appimage"].first_program(program + b"hsqs" + bytes(100))
    assert found == program


@pytest.mark.skipif(sys.platform == "win32", reason="a script for the shell")
@pytest.mark.parametrize(
    ("given", "started"),
    [("", "lectern-window"), ("gui a roof", "lectern-window"), ("search roof", "lectern")],
)
def test_an_image_starts_the_program_that_has_the_command(
    given: str, started: str, scripts: dict[str, ModuleType], tmp_path: Path
) -> None:
    programs = tmp_path / "usr/lib/lectern"
    programs.mkdir(parents=True)
    (tmp_path / "AppRun").write_text(scripts["appimage"]._START)
    for name in ("lectern", "lectern-window"):
        (programs / name).write_text(f"#!/bin/sh\necho {name} $*\n")
        (programs / name).chmod(0o755)
    command = ["sh", str(tmp_path / "AppRun"), *given.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [started, *given.split()]


def test_whatever_is_fetched_is_pinned(scripts: dict[str, ModuleType]) -> None:
    assert re.search(r"==[\d.]+ --hash=sha256:[0-9a-f]{64}\n", scripts["appimage"]._WHEEL)


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler here")
def test_a_library_that_is_not_wanted_gets_a_stand_in(
    scripts: dict[str, ModuleType], tmp_path: Path
) -> None:
    """A program starts with it, and what it asks of the library does nothing."""
    (tmp_path / "real.c").write_text("int archive_read(void) { return 7; }")
    (tmp_path / "main.c").write_text(
        "int archive_read(void); int main(void) { return archive_read(); }"
    )
    real, folder = tmp_path / "libarchive.so.13", tmp_path / "lib"
    folder.mkdir()
    for command in (
        ["-shared", "-Wl,-soname=libarchive.so.13", "-o", real, tmp_path / "real.c"],
        ["-Wl,-rpath,$ORIGIN", "-o", folder / "program", tmp_path / "main.c", real],
    ):
        subprocess.run([shutil.which("cc") or "cc", *map(str, command)], check=True)
    standins = scripts["standins"]
    standins.make_standin(real, folder / real.name, [folder / "program"], standins.RETURN_NULL)
    assert {path.name for path in folder.iterdir()} == {"program", "libarchive.so.13"}
    assert subprocess.run([folder / "program"], check=False).returncode == 0


def test_there_are_more_languages_than_are_all_used_at_once(scripts: dict[str, ModuleType]) -> None:
    from indexer.ocr.tesseract import MAX_LANGUAGES, default_languages

    languages = scripts["tesseract"].LANGUAGES
    assert len(languages) > MAX_LANGUAGES
    assert default_languages(languages, system="ru") == ["rus", "eng"]


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="there is no dpkg here")
def test_a_library_of_the_system_has_its_licence(scripts: dict[str, ModuleType]) -> None:
    found = scripts["rights"].packages_of(["libz.so.1", "lib-of-nobody.so"])
    assert list(found) == ["zlib1g"]
    part = scripts["rights"].component("zlib1g", found["zlib1g"])
    (licence,) = part["licenses"]
    assert "Zlib" in licence["license"]["name"]
    assert "Jean-loup" in licence["license"]["text"]["content"]
