"""Only unused libraries are removed from a frozen tree."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import PySide6
import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[3]
QT = Path(PySide6.__file__).parent / "Qt"


@pytest.fixture(scope="module")
def slim() -> ModuleType:
    if shutil.which("readelf") is None:
        pytest.skip("there are no binutils here")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "packaging"))
        return importlib.import_module("slim")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A plug-in, and libraries beside it as in PyInstaller's output."""
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    shutil.copy(QT / "plugins/imageformats/libqsvg.so", plugins)
    for name in ("Svg", "Gui", "Core", "DBus", "Test"):
        shutil.copy(QT / f"lib/libQt6{name}.so.6", tmp_path)
    (tmp_path / "libgone.so.1").symlink_to("nowhere.so.1")
    (tmp_path / "data.bin").write_bytes(b"no object")
    return tmp_path


def test_only_unlinked_libraries_are_deleted(slim: ModuleType, tree: Path) -> None:
    saved = slim.slim(tree)
    left = {path.name for path in tree.iterdir()}
    assert {"libQt6Svg.so.6", "libQt6Gui.so.6", "libQt6Core.so.6", "data.bin"} <= left
    assert "libQt6Test.so.6" not in left
    assert "libgone.so.1" not in left
    assert saved > 100_000
    kept = {path.name: path for path in tree.rglob("lib*.so*")}
    for path in kept.values():
        named = {name for name in slim.needed(path) if name.startswith("libQt6")}
        assert named <= kept.keys()
    assert slim.slim(tree) == 0


def test_libraries_loaded_by_name_are_kept(slim: ModuleType, tree: Path) -> None:
    shutil.copy(QT / "lib/libQt6Test.so.6", tree / "libpython3.11.so.1.0")
    slim.slim(tree)
    assert (tree / "libpython3.11.so.1.0").exists()
