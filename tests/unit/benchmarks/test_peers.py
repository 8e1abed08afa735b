"""What the peers are given: chunks of the whole text, and our weights in a folder of theirs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from indexer.embed.model_files import find_record
from indexer.embed.models import Side
from tests.benchmarks import peers, sets
from tests.benchmarks.peer_pipeline import CHUNK, cut

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_chunks_are_the_text_and_end_at_white_space() -> None:
    text = "some words and more " * 200 + "x" * (2 * CHUNK)
    chunks = list(cut("a.txt", 1, text))
    assert "".join(chunk["text"] for chunk in chunks) == text
    assert all(text[one["start"] : one["end"]] == one["text"] for one in chunks)
    assert max(len(one["text"]) for one in chunks) <= CHUNK
    assert chunks[0]["text"].endswith(" ")


def test_each_encoder_becomes_a_folder_of_sentence_transformers(tmp_path: Path) -> None:
    record = find_record(peers.OURS)
    for side in Side:
        folder = peers.write_folder(peers.OURS, side, tmp_path / side)
        config = json.loads((folder / "config.json").read_text("utf-8"))
        assert config["hidden_size"] == record.dimension
        # Queries keep the positions of the base model.
        positions = record.query_window if side is Side.QUERIES else record.window
        assert config["max_position_embeddings"] == positions


def test_without_the_sets_nothing_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sets, "BENCH", tmp_path / "absent")
    monkeypatch.setattr(peers, "ENVIRONMENT", tmp_path / "peers")
    monkeypatch.setattr("sys.argv", ["peers"])
    peers.main()
    assert "Nothing was measured" in capsys.readouterr().out
    assert not (tmp_path / "peers").exists()
