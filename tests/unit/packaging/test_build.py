"""The content of the wheel, the Debian control file, and the script that installs into a home."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import PySide6
import pytest

from indexer.config import DEFAULT_MODEL, LANGUAGES_MODEL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[3]
PACKAGING = ROOT / "packaging"
SHIPPED = ("model.safetensors", "tokenizer.json", "record.json", "MODEL_CARD.md")


@pytest.fixture(scope="module")
def scripts() -> Iterator[dict[str, ModuleType]]:
    names = ("debian", "build", "bootstrap", "large")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(PACKAGING))
        yield {name: importlib.import_module(name) for name in names}
        for name in names:
            patch.delitem(sys.modules, name)


def test_the_data_files_of_the_wheel_exist(scripts: dict[str, ModuleType]) -> None:
    needed = scripts["build"].resources()
    assert [name for name in needed if not (ROOT / name).is_file()] == []
    models = [f"resources/models/{name}" for name in (DEFAULT_MODEL, LANGUAGES_MODEL)]
    assert {f"{model}/{name}" for model in models for name in SHIPPED} <= set(needed)
    assert {"resources/sample/scans/keys.png", "resources/i18n/lectern_de.qm"} <= set(needed)


@pytest.mark.parametrize(
    ("lacks", "has_more", "said"),
    [
        ("", "", ""),
        ("resources/help/index.md", "", "not in the wheel: resources/help/index.md"),
        ("", "tests/conftest.py", "tests/conftest.py"),
    ],
)
def test_an_incomplete_wheel_is_rejected(
    scripts: dict[str, ModuleType], tmp_path: Path, lacks: str, has_more: str, said: str
) -> None:
    wheel = tmp_path / "lectern.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        for name in (*scripts["build"].resources(), has_more):
            if name and name != lacks:
                packed.writestr(name, "")
    if not said:
        scripts["build"].check_wheel(wheel)
    else:
        with pytest.raises(SystemExit, match=re.escape(said)):
            scripts["build"].check_wheel(wheel)


def test_a_large_file_that_nobody_explains_is_found(
    scripts: dict[str, ModuleType], tmp_path: Path
) -> None:
    sizes = {
        "lectern": 2_000_000, "_internal/PySide6/Qt/lib/libQt6Core.so.6": 2_000_000,
        "_internal/small.so": 1_000_000, "_internal/lectern/other.bin": 3_500_000,
        "_internal/81d243__mypyc.cpython-311.so": 1_100_000,
    }  # fmt: skip
    for name, size in sizes.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(bytes(size))
    (tmp_path / "link").symlink_to("_internal/lectern/other.bin")
    assert scripts["large"].unexplained(tmp_path) == ["_internal/lectern/other.bin: 3.5 MB"]


def test_the_package_depends_on_every_library_of_the_window(scripts: dict[str, ModuleType]) -> None:
    depends = " ".join(scripts["debian"].DEPENDS)
    needed = scripts["bootstrap"].WINDOW_LIBRARIES.values()
    assert [name for name in needed if name not in depends] == []


@pytest.mark.skipif(
    not all(map(shutil.which, ("dpkg-deb", "ar", "xz"))), reason="needs dpkg, binutils and xz"
)
def test_the_parts_that_lectern_does_without_are_packages_of_their_own(
    scripts: dict[str, ModuleType], tmp_path: Path
) -> None:
    debian = scripts["debian"]
    tree, share, dist = (tmp_path / name for name in ("tree", "share", "dist"))
    parts = {name: folders for name, (folders, *_) in debian.PARTS.items()}
    for folder in ("_internal", *(each for folders in parts.values() for each in folders)):
        (tree / folder).mkdir(parents=True, exist_ok=True)
        (tree / folder / "file").write_text("of a part")
    (tree / "_internal/large.so.1").symlink_to("lancedb/file")
    for name in ("lectern", "lectern-window", "NOTICE", "LICENSE"):
        (tree / name).write_text(name)
    shutil.copy(sys.executable, tree / "_internal/one.so")  # needs a C library
    for folder in (share / "doc/lectern", dist):
        folder.mkdir(parents=True)
    debian.make_debs(tree, dist, tmp_path / "work", "1.2.3", share, name="lectern")

    def shown(package: str, option: str, *words: str) -> str:
        (file,) = dist.glob(f"{package}_1.2.3_*.deb")
        return subprocess.run(
            ["dpkg-deb", option, file, *words], capture_output=True, text=True, check=True
        ).stdout

    fields = dict(
        line.split(": ", 1)
        for line in shown("lectern", "--field").splitlines()
        if not line.startswith(" ")
    )
    assert {"Package", "Architecture", "Maintainer", "Description"} <= fields.keys()
    assert re.match(r"libc6 \(>= 2\.\d+\), ", fields["Depends"])
    held = shown("lectern", "--contents")
    assert "./usr/bin/lectern -> ../lib/lectern/lectern\n" in held
    assert "/large.so.1 -> lancedb/file\n" in shown("lectern-large", "--contents")
    assert "large.so.1" not in held
    for name, folders in parts.items():
        assert f"lectern-{name}" in fields["Recommends"].split(", ")
        assert shown(f"lectern-{name}", "--field", "Depends") == "lectern (= 1.2.3)\n"
        own = shown(f"lectern-{name}", "--contents")
        for folder in folders:
            assert f"{folder}/file\n" in own
            assert folder not in held


@pytest.mark.skipif(shutil.which("objdump") is None, reason="there are no binutils here")
def test_the_c_library_is_the_newest_that_is_asked_for(
    scripts: dict[str, ModuleType], tmp_path: Path
) -> None:
    core = Path(PySide6.__file__).parent / "Qt/lib/libQt6Core.so.6"
    shutil.copy(core, tmp_path)
    qt = scripts["debian"].libc_of(tmp_path)
    assert re.fullmatch(r"2\.\d\d", qt)
    (cpp,) = Path(PySide6.__file__).parents[1].glob("pyarrow/libarrow.so.*")
    shutil.copy(cpp, tmp_path)
    assert scripts["debian"].libc_of(tmp_path) >= qt


def test_the_release_is_the_version(scripts: dict[str, ModuleType]) -> None:
    told = (PACKAGING / "linux" / "org.lectern.Lectern.metainfo.xml").read_text("utf-8")
    assert f'<release version="{scripts["build"].version()}"' in told


def test_it_installs_into_a_home_and_uninstalls(tmp_path: Path) -> None:
    tree = tmp_path / "lectern-0"
    for name in ("applications", "bash-completion/completions", "dbus-1/services"):
        (tree / "share" / name).mkdir(parents=True)
    (tree / "share/bash-completion/completions/lectern").write_text("complete -W 'a' lectern")
    (tree / "lectern").write_text("#!/bin/sh\necho it runs\n")
    (tree / "lectern").chmod(0o755)
    for name, folder in (
        ("install.sh", ""),
        ("lectern.desktop", "share/applications"),
        ("org.lectern.Desktop.service", "share/dbus-1/services"),
    ):
        (tree / folder / name).write_bytes((PACKAGING / "linux" / name).read_bytes())
    home = tmp_path / "a home"
    home.mkdir()
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}

    def install(*options: str) -> None:
        subprocess.run(["sh", str(tree / "install.sh"), *options], env=environment, check=True)

    install()
    install()  # over the previous version
    run = subprocess.run([home / ".local/bin/lectern"], capture_output=True, text=True, check=True)
    assert run.stdout == "it runs\n"
    entry = (home / ".local/share/applications/lectern.desktop").read_text("utf-8")
    assert f'Exec="{home}/.local/lib/lectern/lectern-window" gui' in entry
    assert (home / ".local/share/bash-completion/completions/lectern").is_file()
    service = home / ".local/share/dbus-1/services/org.lectern.Desktop.service"
    assert f'Exec="{home}/.local/lib/lectern/lectern" desktop' in service.read_text("utf-8")
    install("--remove")
    assert [path for path in home.rglob("*") if not path.is_dir()] == []
