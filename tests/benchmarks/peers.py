"""Lectern beside pipelines that people put together from other libraries, in one run.

    python -m tests.benchmarks.peers --set financebench --documents 8

Each gets the same documents, one after the other: sentence-transformers in float32 and bfloat16
with LanceDB and its text index, and txtai (``peer_pipeline``), with the weights of Lectern's model
and with MiniLM's. Their libraries are in an environment of their own, which is made from
``peers.lock`` at the first run. Where the sets are absent nothing is installed or measured.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.api.requests import Search
from indexer.embed.model_files import shipped_folder
from indexer.embed.models import TOKENIZER, Side
from indexer.engine.engine import Engine
from tests.benchmarks import machine, scoring, sets
from tests.benchmarks.libraries import Options, note
from tests.benchmarks.processes import MB, ROOT, index_command, watch
from tests.benchmarks.report import Section
from tests.compiler import compiler

if TYPE_CHECKING:
    from tests.benchmarks.report import Cell
    from tests.benchmarks.sets import BenchSet

ENVIRONMENT = ROOT / "build" / "peers"
HERE = Path(__file__).parent
OURS, USUAL = "lectern-minilm-late", "all-MiniLM-L6-v2"
# The store, the model and the type of its numbers.
PEERS = (
    ("lancedb", OURS, "float32"), ("lancedb", OURS, "bfloat16"), ("txtai", OURS, "bfloat16"),
    ("lancedb", USUAL, "float32"), ("lancedb", USUAL, "bfloat16"), ("txtai", USUAL, "bfloat16"),
)  # fmt: skip
COLUMNS = (
    "pipeline", "model", "pages/s", "seconds", "processor s", "MB", "query p50 ms", "p95 ms",
    "mrr@10", "right document first", "mrr@10 by vectors alone",
)  # fmt: skip
NOTE = (
    "Seconds from the start of the process until everything can be searched. MB: the peak of the "
    "process; of Lectern, of the engine and its largest child together."
)
WINDOW = 512  # tokens; chunks are shorter


def write_folder(model: str, side: Side, folder: Path) -> Path:
    """Write one encoder of a model as a folder of sentence-transformers."""
    from safetensors.numpy import save_file

    source = shipped_folder() / model
    adapter, architecture = compiler("adapter"), compiler("architecture")
    names, read = compiler("tensors").open_tensors(source / architecture.WEIGHTS)
    tensors, own_names = adapter.weights_of(names, read, side), adapter.own_names
    shape = architecture.read_checkpoint(source).architecture
    folder.mkdir(parents=True, exist_ok=True)
    kept = {name: tensors(name) for name in own_names(names) if "position_ids" not in name}
    save_file(kept, folder / "model.safetensors", {"format": "pt"})
    shutil.copyfile(source / TOKENIZER, folder / "tokenizer.json")
    positions = len(kept["embeddings.position_embeddings.weight"])
    kinds = ("Transformer", "Pooling", "Normalize")
    modules = [
        {"idx": at, "name": str(at), "path": f"{at}_{kind}" if at else "",
         "type": f"sentence_transformers.models.{kind}"}
        for at, kind in enumerate(kinds)
    ]  # fmt: skip
    for name, content in {
        "modules.json": modules,
        "config.json": {
            "model_type": "bert", "architectures": ["BertModel"], "hidden_size": shape.hidden,
            "num_hidden_layers": shape.layers, "num_attention_heads": shape.heads,
            "intermediate_size": shape.intermediate, "vocab_size": shape.vocabulary,
            "max_position_embeddings": positions, "layer_norm_eps": shape.norm_epsilon,
        },
        "tokenizer_config.json": {
            "tokenizer_class": "BertTokenizerFast", "model_max_length": WINDOW,
        },
        "sentence_bert_config.json": {"max_seq_length": WINDOW, "do_lower_case": False},
        "1_Pooling/config.json": {
            "word_embedding_dimension": shape.hidden, "pooling_mode_mean_tokens": True,
        },
    }.items():  # fmt: skip
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content), "utf-8")
    (folder / "2_Normalize").mkdir(exist_ok=True)
    return folder


def environment() -> Path:
    """Python with the libraries of the peers; they are installed unless they are there."""
    python, lock = ENVIRONMENT / "bin" / "python", HERE / "peers.lock"
    stamp = ENVIRONMENT / "installed"
    if not stamp.exists() or stamp.read_bytes() != lock.read_bytes():
        note(f"installing the libraries of the peers into {ENVIRONMENT} (about 2 GB)")
        subprocess.run([sys.executable, "-m", "venv", "--clear", ENVIRONMENT], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", lock], check=True)
        stamp.write_bytes(lock.read_bytes())
    return python


def ours(share: BenchSet, out: Path) -> tuple[Cell, ...]:
    """Lectern: ``lectern index`` in a process of its own, then its queries in this one."""
    library = out / "library"
    shutil.rmtree(library, ignore_errors=True)
    before = os.times()
    with tempfile.TemporaryDirectory() as empty:
        peaks = watch(
            index_command(library, share.corpus), {**os.environ, "XDG_CONFIG_HOME": empty}
        )
    after = os.times()
    worked = sum(after[2:4]) - sum(before[2:4])  # of children that ended
    pages = json.loads(peaks.output)["pages"]
    with closing(Engine.open(Options(out).config(library, OURS))) as engine:

        def ask(text: str) -> list[scoring.RunHit]:
            return scoring.run_hits(engine.call(Search(text, scoring.LIMIT)).hits)

        queries = share.queries()
        for query in queries[:5]:
            ask(query.text)
        ran = scoring.ask_all(queries, ask, out / "runs" / "lectern.jsonl")
    return (
        "Lectern", OURS, pages / peaks.seconds, peaks.seconds, worked,
        round((peaks.engine + peaks.child) / MB), *scoring.percentiles(ran.milliseconds),
        *_scores(share, ran.file), None,
    )  # fmt: skip


def peer(share: BenchSet, out: Path, kind: str, model: str, dtype: str) -> tuple[Cell, ...]:
    """One of ``PEERS``."""
    python = environment()
    run = out / "runs" / f"{kind}-{model}-{dtype}"
    run.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as scratch:
        folder = Path(scratch)
        runs = [f"{run}-vectors.jsonl", f"{run}.jsonl"]
        job = {
            "kind": kind, "dtype": dtype, "corpus": str(share.corpus), "store": f"{scratch}/store",
            "passages": str(write_folder(model, Side.PASSAGES, folder / "passages")),
            "queries": str(write_folder(model, Side.QUERIES, folder / "queries")), "out": runs,
            "asked": [{"id": query.id, "text": query.text} for query in share.queries()],
        }  # fmt: skip
        (folder / "job.json").write_text(json.dumps(job), "utf-8")
        command = [python, HERE / "peer_pipeline.py", folder / "job.json"]
        quiet = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
        done = subprocess.run(command, env=quiet, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    seconds = found["seconds"]
    return (
        f"{kind}, {dtype}", model, found["pages"] / seconds, seconds, found["processor"],
        round(found["peak"] / MB), *scoring.percentiles(found["hybrid"]),
        *_scores(share, Path(runs[1])), _scores(share, Path(runs[0]))[0],
    )  # fmt: skip


def _scores(share: BenchSet, run: Path) -> tuple[float, float]:
    found = scoring.score(share, run)
    return found["mrr@10"], found["doc@1"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", choices=sets.NAMES, default="financebench")
    parser.add_argument("--documents", type=int, default=8, help="0 for all of the set")
    types = sorted({dtype for _kind, _model, dtype in PEERS})
    parser.add_argument(
        "--types", nargs="+", choices=types, default=types, metavar="TYPE",
        help="only peers in these; bfloat16 is slower than float32 on a processor without it",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, default=Path("bench-results"))
    asked = parser.parse_args()
    if not sets.BENCH.is_dir():
        print(f"The benchmark sets are not there: {sets.BENCH} is missing. Nothing was measured.")
        return
    out = asked.out.absolute() / "peers"
    share = sets.find(asked.set).part(asked.documents, out)
    environment()
    rows = [ours(share, out)]
    for one in (each for each in PEERS if each[-1] in asked.types):
        note(", ".join(one))
        rows.append(peer(share, out, *one))
    title = f"{asked.set}, {len(list(share.corpus.rglob('*.*')))} documents"
    section = Section("peers", title, COLUMNS, tuple(rows), (NOTE,))
    section.save(asked.out, machine.facts())
    print(section.markdown())


if __name__ == "__main__":
    main()
