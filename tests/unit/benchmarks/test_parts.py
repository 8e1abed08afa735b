"""The parts that search, over a tiny set with the tiny model, and the command line round them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.paths import models_folder
from indexer.config import EngineConfig, Precision
from tests.benchmarks import __main__ as command
from tests.benchmarks import (
    ablation,
    figures,
    latency,
    passages,
    quality,
    scoring,
    sets,
    size,
    throughput,
)
from tests.benchmarks.libraries import Libraries, Options
from tests.benchmarks.report import Section
from tests.corpora import needs_corpus
from tests.tiny_model import TINY

if TYPE_CHECKING:
    from pathlib import Path

SET = sets.NAMES[0]
TEXTS = {
    "owls.md": "# Owls\n\nOwls hunt at night. They hear a mouse below the snow.\n",
    "tides.md": "# Tides\n\nThe moon raises the tide. A spring tide follows the new moon.\n",
}
QUERIES = {"q1": "what do owls hear", "q2": "when is the spring tide"}


class TinyOptions(Options):
    """Options for the tiny model, from the folder its test put it in."""

    __slots__ = ("models",)
    models: Path

    def config(self, library: Path, model: str = TINY) -> EngineConfig:
        return EngineConfig(
            library=library,
            models=self.models,
            model=model or TINY,
            precision=Precision.FP32,
            threads=1,
        )


@pytest.fixture
def options(tmp_path: Path, tiny_models_dir: Path, monkeypatch: pytest.MonkeyPatch) -> TinyOptions:
    bench = tmp_path / "bench"
    corpus = bench / SET / "corpus"
    corpus.mkdir(parents=True)
    lines = []
    for (name, text), (number, query) in zip(TEXTS.items(), QUERIES.items(), strict=True):
        (corpus / name).write_text(text, encoding="utf-8")
        gold = [{"file": name, "spans": [[text.index("\n\n") + 2, len(text) - 1]]}]
        lines.append(json.dumps({"id": number, "query": query, "gold": gold}))
    (bench / SET / "queries.jsonl").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr(sets, "BENCH", bench)
    made = TinyOptions(tmp_path / "out", (sets.find(SET),))
    object.__setattr__(made, "models", tiny_models_dir)
    return made


@pytest.mark.slow
@needs_corpus  # for the scorer
@pytest.mark.corpus
def test_quality_answers_every_query(options: TinyOptions) -> None:
    section = quality.run(options, Libraries(options))
    (row,) = section.rows
    assert row[:3] == (SET, TINY, 2)
    scores = dict(zip(section.columns[3:], row[3:], strict=True))
    assert 0.0 < float(str(scores["p50 ms"])) <= float(str(scores["p95 ms"]))
    assert scores["recall@5"] == 1.0
    assert scores["doc@1"] == 1.0


@pytest.mark.slow
@needs_corpus
@pytest.mark.corpus
def test_every_variant_answers(options: TinyOptions) -> None:
    section = ablation.run(options, Libraries(options))
    labels = [row[1] for row in section.rows]
    assert labels[0] == "as it is"
    assert len(labels) == len(set(labels)) == 11
    at = section.columns.index("recall@5")
    assert all(row[at] == 1.0 for row in section.rows)
    same = section.columns.index("better, worse")
    assert section.rows[0][same] is None
    assert section.rows[labels.index("without names")][same] == "+0 -0"


@pytest.mark.slow
def test_sizes_add_up_to_what_is_on_disk(options: TinyOptions) -> None:
    libraries = Libraries(options)
    section = size.run(options, libraries)
    rows = {str(row[1]): row for row in section.rows}
    text = sum(len(text.encode()) for text in TEXTS.values())
    assert rows["canonical text"][2] == pytest.approx(text / size.MB, rel=0.2)
    files = [file for file in libraries.folder(SET).rglob("*") if file.is_file()]
    there = sum(file.stat().st_size for file in files) / size.MB
    shown = float(str(rows["all in use"][2])) + float(str(rows[size.PARTS[-1]][2]))
    assert shown == pytest.approx(there, rel=0.02)
    assert float(str(rows["sentence vectors, keys"][2])) > 0.0


@pytest.mark.slow
def test_a_library_is_indexed_once_a_run(options: TinyOptions) -> None:
    libraries, (wanted,) = Libraries(options), options.chosen
    with libraries.make(wanted) as folder:
        assert not folder.exists()
    with libraries.open(wanted) as engine:  # somebody else was to index it
        assert engine.catalog.spaces.totals().passages == 0
        assert latency.ask(engine, []).milliseconds == ()
    with Libraries(options).open(wanted) as engine:
        assert engine.catalog.spaces.totals().passages > 0
        assert len(latency.ask(engine, list(QUERIES.values())).milliseconds) == len(QUERIES)
        assert len(latency.ask(engine, list(QUERIES.values())).cells()) == 5


@pytest.mark.slow
def test_throughput_is_measured_in_a_process_of_its_own(
    options: TinyOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(options.out))
    models_folder().parent.mkdir(parents=True)
    models_folder().symlink_to(options.models)
    wanted = replace(options.chosen[0], model=TINY)
    libraries = Libraries(options)
    section = throughput.run(replace(options, chosen=(wanted,)), libraries)
    told = {
        (str(row[1]), column): float(cell)
        for row in section.rows
        for column, cell in zip(section.columns, row, strict=True)
        if isinstance(cell, int | float)
    }
    assert told["indexing", "pages/s"] <= told["found by words", "pages/s"]
    assert told["bare model", "tokens/s"] > told["indexing", "tokens/s"] > 0
    assert told["indexing", "engine MB"] > 50
    assert section.details["documents"] == len(TEXTS)
    with libraries.open(wanted) as engine:
        assert engine.catalog.spaces.totals().passages == section.details["passages"]


@pytest.mark.slow
def test_a_sample_is_read_as_the_lane_reads(options: TinyOptions) -> None:
    found = passages.sample(sets.find(SET).corpus, 10)
    assert [one.title for one in found] == ["Owls", "Tides"]
    assert "hear a mouse" in found[0].view


def test_without_the_sets_it_says_so_and_ends_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sets, "BENCH", tmp_path / "nowhere")
    assert command.main(["--out", str(tmp_path / "out")]) == 0
    assert "Nothing was measured" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()


def test_a_run_says_at_its_end_what_is_below_the_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = ("cuad", "all in use", 1.0, 7.4)
    large = Section("size", "Size", size.COLUMNS, (row,))
    monkeypatch.setattr(sets, "BENCH", tmp_path)
    monkeypatch.setitem(command.PARTS, "size", lambda _options, _libraries: large)
    out = tmp_path / "out"
    assert command.main(["size", "--sets", "cuad", "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    told = "| size | cuad, all in use | bytes for a byte of text | 7.400 | 3.700 | 0.500 |"
    assert told in shown.partition(f"### {figures.TITLE}")[2]
    assert told in (out / "table.md").read_text(encoding="utf-8")


def test_the_table_is_made_again_in_its_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("size", "quality"):
        Section(name, name.capitalize(), ("set",), ((SET,),)).save(tmp_path, {"cores": "2"})
    assert command.main(["table", "--out", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert shown.index("### Quality") < shown.index("### Size")


def test_an_unknown_part_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["qualty"])
    assert "there is no part qualty" in capsys.readouterr().err


def test_a_scorer_that_is_not_there_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sets, "SCORE", tmp_path / "score.txt")
    with pytest.raises(ImportError):
        scoring.ranks(sets.BenchSet("x", tmp_path), tmp_path / "run.jsonl")
