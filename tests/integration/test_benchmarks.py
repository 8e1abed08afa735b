"""Every benchmark is started once: what nobody ran for weeks must work when it is wanted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpora import needs_corpus

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "benchmarks"
# Small runs from beginning to end; "{at}" is an empty folder, "{docs}" one of documents.
SMALL = {
    "confinement": ["{docs}", "--rounds", "1"],
    "first_pass": ["--rows", "500", "--kept", "{at}/kept"],
    "scaling": [],
    "store_scale": ["--passages", "600", "--at", "{at}/store", "--times", "1", "--tidy-once"],
    "throughput": ["--library", "{at}/library", "--corpus", "{docs}"],
    "tiny_files": ["5"],
    "window_busy": ["--files", "3"],
    "watching": ["--idle", "5", "--seconds", "1", "--moved", "2"],
}
# The same of documents beside the checkout.
OF_SETS = {
    "legible": ["chunking-eval", "--files", "1"],
    "preview": ["--documents", "1", "--pages", "1"],
}
# The rest takes whole sets, minutes, a card, a window or models of others: that they can be called
# is all that is tried. ``test_parts`` runs the parts of ``make bench`` on a set of two documents.
CALLED = sorted(
    path.stem
    for path in FOLDER.glob("*.py")
    if path.stem not in (*SMALL, *OF_SETS)
    and "parser.parse_args(" in path.read_text(encoding="utf-8")
)


def run(name: str, *arguments: str) -> str:
    module = "tests.benchmarks" if name == "__main__" else f"tests.benchmarks.{name}"
    environment = os.environ | {"PYTHONWARNINGS": "error", "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("name", sorted(SMALL))
def test_a_benchmark_runs_to_its_end(name: str, tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "lamp.txt").write_text("The keeper lit the lamp of the tower every evening. " * 9)
    places = {"at": str(tmp_path), "docs": str(documents)}
    assert run(name, *(argument.format(**places) for argument in SMALL[name])).strip()


@needs_corpus
@pytest.mark.parametrize("name", sorted(OF_SETS))
def test_a_benchmark_of_documents_runs_to_its_end(name: str) -> None:
    assert run(name, *OF_SETS[name]).strip()


@needs_corpus
def test_a_library_of_made_texts_is_written_and_built(tmp_path: Path) -> None:
    texts, library = str(tmp_path / "texts"), str(tmp_path / "library")
    run("synthetic_texts", "--passages", "200", "--folder", texts)
    run("synthetic_engine", "--texts", texts, "--library", library)
    assert (tmp_path / "library" / "catalog.sqlite").exists()


@pytest.mark.parametrize("name", CALLED)
def test_a_benchmark_can_be_called(name: str) -> None:
    assert "usage:" in run(name, "--help")
