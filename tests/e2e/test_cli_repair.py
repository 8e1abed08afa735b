"""The commands verify, repair and reindex."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from app.cli_repair import cost_lines, repair_lines, verify_lines
from indexer.api.answers import Problem, ReindexCost, RepairOutcome, Verification

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Lectern

PROBLEM = Problem("twice", "passages", 3, "3 rows are there twice.")


def test_a_whole_library(lectern: Lectern, folder: Path) -> None:
    lectern("index", folder)
    assert lectern("verify").stdout.startswith("Everything is whole: ")
    assert json.loads(lectern("verify", "--json").stdout)["problems"] == []
    assert lectern("repair").stdout == "Everything is whole; there was nothing to repair.\n"
    assert json.loads(lectern("repair", "--json").stdout)["left"] == []


def test_problems_are_listed_with_the_next_step() -> None:
    lines = verify_lines(Verification((PROBLEM,), 2, 20, 123456, 0.5))
    assert "  3 rows are there twice." in lines
    assert "lectern repair" in lines[-1]


@pytest.mark.parametrize(
    ("rescued", "left", "says"),
    [
        ([], (), "read again"),
        ([], (PROBLEM,), "Still there"),
        (["The catalog was damaged."], (), "The catalog was damaged."),
    ],
)
def test_the_outcome_of_a_repair_is_printed(
    rescued: list[str], left: tuple[Problem, ...], says: str
) -> None:
    repaired = RepairOutcome((PROBLEM,), left, 1)
    assert says in "\n".join(repair_lines(rescued, repaired))


def test_reindex_changes_the_model(lectern: Lectern, folder: Path) -> None:
    lectern("index", folder)
    said = lectern("reindex", "--model", "other", "--precision", "fp32", "--dry-run").stdout
    assert "other, fp32: " in said
    assert "tokens" in said
    cost = json.loads(lectern("reindex", "--model", "other", "--dry-run", "--json").stdout)
    assert cost["passages"] > 0
    assert "other" not in lectern("settings").stdout  # nothing was changed
    assert "Done" in lectern("reindex", "--model", "other").stdout
    assert "other" in lectern("settings").stdout


def test_rollback_without_a_previous_model_is_refused(lectern: Lectern, folder: Path) -> None:
    lectern("index", folder)
    lectern("reindex", "--rollback", status=2)
    failed = lectern("reindex", "--rollback", "--model", "other", status=2)
    assert "bad_usage" in failed.stderr
    lectern("reindex", "--rollback", "--discard", status=2)


def test_the_cost_of_a_change_of_model_is_printed() -> None:
    cost = ReindexCost("m", "int8", "m/1", 1, 0, 0, 0.0, measured=True, bytes=0, outdated=3)
    first, second = cost_lines(cost)
    assert first.startswith("3 files to be read again")
    assert second == "Nothing to embed: m, int8 has read everything."
    guessed = cost_lines(replace(cost, passages=10, seconds=100.0, measured=False))
    assert "a guess" in "\n".join(guessed)


def test_a_real_library_is_repaired_and_reindexed(tmp_path: Path) -> None:
    """A library is damaged on disk, verified and repaired; then its model is changed, and back."""
    from tests.e2e.conftest import Lectern
    from tests.tiny_model import TINY, install_tiny_model

    (tmp_path / "run").mkdir(mode=0o700)
    real = Lectern(tmp_path, "app")
    models = real.library.parent / "models"
    install_tiny_model(models)
    install_tiny_model(models, name="tiny-too")
    real("settings", "set", "model", TINY)
    documents = tmp_path / "documents"
    documents.mkdir()
    for name, thing in (("one", "zephyr"), ("two", "bassoon")):
        (documents / f"{name}.txt").write_text(f"The {thing} was heard over the harbour.")
        real("index", documents)
    assert real("verify").stdout.startswith("Everything is whole")

    (victim,) = (real.library / "index").glob("vectors_*.sqlite")
    with closing(sqlite3.connect(victim)) as vectors, vectors:
        vectors.execute("UPDATE pooled SET crc = crc + 1")
    catalog = real.library / "catalog.sqlite"
    said = real("repair").stdout
    assert "vectors_" in said
    catalog.write_bytes(b"junk" * 5000)
    assert "lectern repair" in real("verify", status=3).stderr
    assert "catalog was damaged" in real("repair").stdout
    real("index", documents)
    assert real("verify").stdout.startswith("Everything is whole")
    assert "two.txt" in real("search", "bassoon").stdout

    with real.serving():
        assert "tiny-too" in real("reindex", "--model", "tiny-too", "--dry-run").stdout
        real("reindex", "--model", "tiny-too")
        assert json.loads(real("status", "--json").stdout)["model"] == "tiny-too"
        assert TINY in real("reindex", "--rollback").stdout
        assert json.loads(real("status", "--json").stdout)["model"] == TINY
    assert "free" in real("reindex", "--discard").stdout
