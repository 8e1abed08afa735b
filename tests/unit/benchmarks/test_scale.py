"""The steps of the scale benchmark: done once, gone on with after an interruption, tabled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.benchmarks.scale import COLUMNS, carry_out, table

if TYPE_CHECKING:
    from pathlib import Path


def test_a_run_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    record, done = tmp_path / "steps.json", []

    def step(name: str, *, fails: bool = False) -> dict[str, Any]:
        if fails:
            raise KeyboardInterrupt
        done.append(name)
        return {"name": name}

    with pytest.raises(KeyboardInterrupt):
        carry_out(record, {"one": lambda: step("one"), "two": lambda: step("two", fails=True)})
    both = {"one": lambda: step("one"), "two": lambda: step("two")}
    assert carry_out(record, both) == {"one": {"name": "one"}, "two": {"name": "two"}}
    assert carry_out(record, both) == {"one": {"name": "one"}, "two": {"name": "two"}}
    assert done == ["one", "two"]


def test_the_table_has_a_cell_for_each_column() -> None:
    asked = {folder: {"p50": 1.0, "p95": 2.0, "processor": 3.0} for folder in ("", "few", "half")}
    asked["most"] = asked[""]
    built = {"seconds": 9.0, "resumed": True, "engine": 1, "bytes": 1}
    steps: dict[str, dict[str, Any]] = {
        "build": built,
        "ask": {**asked, "own": 1.0, "rest": 1.0},
        "ask without derived files": asked,
        "change": built,
        "ask again": asked,
    }
    (row,) = table({1000: steps}).rows
    assert len(row) == len(COLUMNS)
    assert row[1] is None  # seconds of a part of the building say nothing
