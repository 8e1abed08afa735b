"""The examples in docstrings give what they say."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WITH_EXAMPLES = [
    file.relative_to(ROOT)
    for folder in ("app", "indexer", "ui", "tests")
    for file in sorted((ROOT / folder).rglob("*.py"))
    if file != Path(__file__) and ">>> " in file.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("file", WITH_EXAMPLES, ids=str)
def test_the_examples_of_a_module_hold(file: Path) -> None:
    module = importlib.import_module(".".join(file.with_suffix("").parts))
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed
