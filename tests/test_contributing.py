"""What CONTRIBUTING.md says of changes is made in a copy of the sources, and works.

A block of code that begins with ``# FILE, new`` is a new file; the rows of one that begins with
``# FILE, in NAME`` go to the end of the table or class of that name.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"```python\n# (\S+), (?:in (\w+)|(new))\n(.*?)```", re.DOTALL)

LOOK = """
import json, sys
from pathlib import Path
from app.cli import COMMANDS, build_parser
from command_reference import tables
from app.settings import SETTINGS, Settings
from indexer.api.errors import WorldError
from indexer.api.phrases import english
from indexer.api.types import Hit
from indexer.config import Limits
from indexer.embed.model_files import known_records
from indexer.extract.registry import identify, opener
from indexer.query.filters import TYPES
from msgspec.structs import fields
page = Path(sys.argv[1]) / "page.gmi"
page.write_text("Capsules\\n\\nA page of Gemini.")
known = identify(page)
source = opener(known)(page, None, Limits())
print(json.dumps({
    "reference": "".join(tables().values()),
    "quotes": Settings(page)["quotes"],
    "format": known.name,
    "text": "".join(read.text for read in source.pages()),
    "limit": Limits().by_format[known.name] == Limits().text_bytes,
    "web": TYPES["web"],
    "command": build_parser().parse_args(["where"]).command,
    "models": [record.id for record in known_records()],
    "error": WorldError("too_old", limit="a day").message,
    "note": english("not_printed", {}),
    "column": next(each.default for each in fields(Hit) if each.name == "words"),
}))
"""

SHOW = """
import json, sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from tests.ui.library.port import canned_context
from ui.words import failures, names
from ui.settings_dialog.dialog import SettingsDialog
app = QApplication([])
context, *_ = canned_context(Path(sys.argv[1]))
dialog = SettingsDialog(context)
box = dialog.rows["quotes"].editor.control
box.click()
print(json.dumps({
    "label": box.accessibleName(),
    "set": context.settings["quotes"],
    "format": names.kind("gemtext"),
    "error": failures.reason("too_old") + ": " + failures.sentence("too_old", {"limit": "a day"}),
}))
"""


def insert(file: Path, name: str, rows: str) -> None:
    """Put rows at the end of a table (before its closing line) or of a class."""
    text = file.read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        assigned = [ast.unparse(each) for each in getattr(node, "targets", [])]
        assigned += [ast.unparse(getattr(node, "target", node))] if hasattr(node, "target") else []
        if name in assigned or getattr(node, "name", "") == name:
            lines = text.splitlines(keepends=True)
            at = (node.end_lineno or 0) - (0 if isinstance(node, ast.ClassDef) else 1)
            file.write_text("".join([*lines[:at], rows, *lines[at:]]), encoding="utf-8")
            return
    raise KeyError(name)


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources with every change that the page shows."""
    copy = tmp_path_factory.mktemp("changed")
    for package in ("app", "ui", "indexer", "resources"):
        skipped = shutil.ignore_patterns("__pycache__", "*.safetensors", "*.onnx")
        shutil.copytree(ROOT / package, copy / package, ignore=skipped)
    blocks = BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert len(blocks) >= 6
    for file, name, new, code in blocks:
        if new:
            (copy / file).write_text(code, encoding="utf-8")
        else:
            insert(copy / file, name, code)
    shipped = min((copy / "resources" / "models").glob("*/record.json"))
    record = json.loads(shipped.read_text(encoding="utf-8"))
    mine = shipped.parents[1] / "mine" / shipped.name
    mine.parent.mkdir()
    mine.write_text(json.dumps({**record, "id": "mine"}), encoding="utf-8")
    return copy


def run(copy: Path, script: str, scratch: Path) -> Any:
    path = os.pathsep.join(map(str, (copy, ROOT, ROOT / "packaging")))
    done = subprocess.run(
        [sys.executable, "-c", script, str(scratch)], cwd=copy, capture_output=True, check=False,
        env={**os.environ, "PYTHONPATH": path,
             "QT_QPA_PLATFORM": "offscreen"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_what_the_page_shows_works(changed: Path, tmp_path: Path) -> None:
    found = run(changed, LOOK, tmp_path)
    page = found.pop("reference")
    for row in ("| `quotes` |", "| gemtext |", "### lectern where", "### too_old"):
        assert row in page
    assert found.pop("text").endswith("A page of Gemini.")
    assert {"gmi", "gemini"} <= set(found.pop("web"))
    assert "mine" in found.pop("models")
    assert found == {
        "quotes": False, "format": "gemtext", "limit": True, "command": "where",
        "error": "The file is older than a day.", "note": "the printer does not answer",
        "column": 0,
    }  # fmt: skip


def test_the_window_shows_it(changed: Path, tmp_path: Path) -> None:
    assert run(changed, SHOW, tmp_path) == {
        "label": "Quotes", "set": True, "format": "Gemtext",
        "error": "Too old: The file is older than a day.",
    }  # fmt: skip
