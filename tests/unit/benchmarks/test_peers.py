"""What the peers are given: chunks of the whole text, and our weights in a folder of theirs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.embed.model_files import find_record
from indexer.embed.models import Side
from tests.benchmarks import peer_pipeline, peers, sets
from tests.benchmarks.peer_pipeline import CHUNK, cut


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
    monkeypatch.setattr(peers, "ENVIRONMENTS", tmp_path)
    monkeypatch.setattr("sys.argv", ["peers"])
    peers.main()
    assert "Nothing was measured" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


def test_a_peer_without_weights_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / peers.OURS).mkdir()
    monkeypatch.setattr(peers, "shipped_folder", lambda: tmp_path)
    found = list(peers.peers_with_weights(["float32", "openvino"]))
    assert found == [("lancedb", peers.OURS, "float32"), ("lancedb", peers.OURS, "openvino")]
    assert f"{peers.USUAL} is left out" in capsys.readouterr().err


def test_both_programs_know_the_same_forms_and_stores() -> None:
    assert peers.EXPORTED == (peer_pipeline.ONNX, peer_pipeline.OPENVINO)
    assert {kind for kind, _model, _form in peers.PEERS} == set(peer_pipeline.STORES)


def test_a_process_is_timed_until_it_prints() -> None:
    program = [sys.executable, "-c", "import sys; print(sys.argv[1:]); sys.exit(len(sys.argv) > 1)"]
    assert 0.0 < peers.first_answer_s(program, {}) < 60.0
    with pytest.raises(subprocess.CalledProcessError):
        peers.first_answer_s([*program, "fail"], {})


@pytest.mark.parametrize(
    ("cpuinfo", "kind"),
    [
        ("flags : avx2 avx512f avx512_vnni", "avx512_vnni"),
        ("flags : avx2 avx512f", "avx512"),
        ("Features : fp asimd", "arm64"),
        ("", "avx2"),
    ],
)
def test_eight_bits_are_those_of_the_processor(cpuinfo: str, kind: str) -> None:
    assert peers.quantised_for(cpuinfo) == kind


@pytest.mark.parametrize("form", ["float32", *peers.EXPORTED])
def test_the_libraries_of_a_form_are_installed_once(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []

    def run(command: list[object], *, check: bool) -> None:
        assert check
        commands.append([str(part) for part in command])
        if "venv" in commands[-1]:
            Path(commands[-1][-1]).mkdir()

    monkeypatch.setattr(peers, "ENVIRONMENTS", tmp_path)
    monkeypatch.setattr(subprocess, "run", run)
    python = peers.environment(form)
    assert peers.environment(form) == python
    made, installed = commands
    assert made[-1] == str(python.parents[1])
    lock = Path(installed[-1])
    assert "--require-hashes" in installed
    libraries = lock.read_text("utf-8")
    assert "lancedb==" in libraries
    assert ("optimum-onnx==" in libraries) == (form in peers.EXPORTED)
