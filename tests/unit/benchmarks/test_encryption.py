"""The cost of an encrypted library is measured on a small one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.encryption import Home, compare
from tests.encrypting import needs_gocryptfs
from tests.tiny_model import TINY, install_tiny_model

if TYPE_CHECKING:
    from pathlib import Path


@needs_gocryptfs
@pytest.mark.slow
def test_each_step_is_timed_on_either_kind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    documents, queries = tmp_path / "documents", tmp_path / "queries.jsonl"
    documents.mkdir()
    (documents / "tides.md").write_text("# Tides\n\nThe moon raises the tide.\n")
    queries.write_text(json.dumps({"id": "1", "query": "what raises the tide"}) + "\n")
    home = Home(tmp_path / "home")
    install_tiny_model(home.folder / "data" / "lectern" / "models")
    home.cost("plain-0", "settings", "set", "model", TINY)
    compare(home, documents, queries, rounds=1)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0].strip() for line in lines] == [
        "unlocking an empty library",
        "encrypting the plain library",
        "indexing, plain",
        "indexing, encrypted",
        "indexing",
        "the questions, plain",
        "the questions, encrypted",
        "the questions",
    ]
    found = (home.folder / "encrypted-0.jsonl").read_text()
    assert "tides.md" in found
