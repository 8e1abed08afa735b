"""Only unused libraries are removed from a frozen tree."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import icu4py
import pyarrow as pa
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


# With the libraries of a folder alone, a table is written and searched and words are found.
USE = """
import sys, lancedb, pyarrow, pyarrow.dataset
from icu4py.breakers import WordBreaker
rows = [{"vector": [0.0, 1.0], "text": "a roof"}, {"vector": [1.0, 0.0], "text": "a key"}]
table = lancedb.connect(sys.argv[1]).create_table("passages", rows)
table.create_fts_index("text")
words = table.search("roof").to_arrow().num_rows
print(table.search([0.9, 0.1]).limit(1).to_list()[0]["text"], words)
print(list(WordBreaker("a roof", "en")), pyarrow.__file__)
print(open("/proc/self/maps").read())
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("cc"), reason="compiles libraries")
def test_nothing_calls_the_libraries_that_get_stand_ins(slim: ModuleType, tmp_path: Path) -> None:
    left_out = ("tests", "include", "src", "*flight*", "*_s3*", "*parquet*.so", "_feather*.so")
    for package in (pa, icu4py):
        folder = Path(package.__file__).parent  # type: ignore[arg-type]  # both have files
        shutil.copytree(folder, tmp_path / folder.name, ignore=shutil.ignore_patterns(*left_out))
    shutil.copytree(folder.with_name("icu4py.libs"), tmp_path / "icu4py.libs")
    slim.slim(tmp_path)
    replaced = ("libparquet.so*", "libarrow_substrait.so*", "libicui18n*", "libicuio*")
    found = [path for pattern in replaced for path in tmp_path.rglob(pattern)]
    assert len(found) >= len(replaced)
    assert max(path.stat().st_size for path in found) < 100_000
    done = subprocess.run(
        [sys.executable, "-c", USE, str(tmp_path / "tables")],
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith("a key 1\n['a', ' ', 'roof']")
    used = [
        line for line in done.stdout.splitlines() if "libparquet" in line or "libicui18n" in line
    ]
    assert used
    assert all(str(tmp_path) in line for line in used)
