"""Compares Lectern with pipelines that people build from other libraries, in one run.

    python -m tests.benchmarks.peers --set financebench --documents 8

All get the same documents, one after the other. The pipelines (``peer_pipeline``) are
sentence-transformers in float32, in bfloat16, by ONNX Runtime in 8 bits and by OpenVINO, with
LanceDB and its text index, and txtai. They use the weights of Lectern's model and of MiniLM, if
these are in ``resources/models``. Their libraries are in environments of their own, made from
``peers.lock`` and ``peers-onnx.lock`` at the first run. If the sets are absent, nothing is
installed or measured.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from statistics import median
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
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from tests.benchmarks.report import Cell
    from tests.benchmarks.sets import BenchSet

ENVIRONMENTS = ROOT / "build"
HERE = Path(__file__).parent
OURS, USUAL = "lectern-minilm-late", "all-MiniLM-L6-v2"
# The forms of an encoder that are not types of PyTorch; ``peer_pipeline`` has them too.
EXPORTED = ("onnx-int8", "openvino")
# The store, the model and the form of its encoder.
PEERS = (
    ("lancedb", OURS, "float32"), ("lancedb", OURS, "bfloat16"), ("txtai", OURS, "bfloat16"),
    ("lancedb", OURS, "onnx-int8"), ("lancedb", OURS, "openvino"),
    ("lancedb", USUAL, "float32"), ("lancedb", USUAL, "bfloat16"), ("txtai", USUAL, "bfloat16"),
)  # fmt: skip
COLUMNS = (
    "pipeline", "model", "pages/s", "seconds", "processor s", "MB", "cold open s", "query p50 ms",
    "p95 ms", "mrr@10", "right document first", "mrr@10 by vectors alone",
)  # fmt: skip
NOTE = (
    "Seconds from the start of the process until everything can be searched. MB: the peak of the "
    "process; of Lectern, of the engine and its largest child together. Cold open: from the start "
    "of a new process, which opens its store and model, until its first answer, the median of "
    "three; the files are in the system's cache. Encoders were exported to ONNX and OpenVINO "
    "before the clock started. Lectern's model runs at a lower priority than everything else, so "
    "beside other work only its processor time compares."
)
WINDOW = 512  # tokens of a window; chunks are shorter
OPENINGS = 3
# The names that sentence-transformers gives to 8 bits for processors, by Linux's flags, best first.
QUANTISED = {"avx512_vnni": "avx512_vnni", "avx512f": "avx512", "avx2": "avx2", "asimd": "arm64"}
QUIET = {
    "HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "TRANSFORMERS_VERBOSITY": "error",
    "PYTHONWARNINGS": "ignore",
}  # fmt: skip


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


def environment(form: str) -> Path:
    """Python with the libraries of the peers, which are installed if they are missing."""
    lock = HERE / ("peers-onnx.lock" if form in EXPORTED else "peers.lock")
    folder = ENVIRONMENTS / lock.stem
    python, stamp = folder / "bin" / "python", folder / "installed"
    if not stamp.exists() or stamp.read_bytes() != lock.read_bytes():
        note(f"installing the libraries of the peers into {folder} (about 6 GB)")
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        install = ("pip", "install", "-q", "--require-hashes", "-r", lock)
        subprocess.run([python, "-m", *install], check=True)
        stamp.write_bytes(lock.read_bytes())
    return python


def first_answer_s(command: Sequence[str | Path], env: Mapping[str, str]) -> float:
    """The median seconds of several processes, from the start to the first print.

    Raises:
        subprocess.CalledProcessError: A process failed.
    """
    spent = []
    for _ in range(OPENINGS):
        began = time.perf_counter()
        with subprocess.Popen(command, env=env, cwd=ROOT, stdout=subprocess.PIPE) as running:
            assert running.stdout is not None
            running.stdout.read(1)
            spent.append(time.perf_counter() - began)
            running.stdout.read()
        if running.returncode:
            raise subprocess.CalledProcessError(running.returncode, [str(one) for one in command])
    return median(spent)


def quantised_for(cpuinfo: str) -> str:
    """The kind of 8 bits for a processor, by Linux's description of it."""
    flags = set(cpuinfo.split())
    return next((kind for flag, kind in QUANTISED.items() if flag in flags), "avx2")


def ours(share: BenchSet, out: Path) -> tuple[Cell, ...]:
    """Measure Lectern: ``lectern index`` in a process of its own, then the queries in this one."""
    library = out / "library"
    shutil.rmtree(library, ignore_errors=True)
    before = os.times()
    queries = share.queries()
    with tempfile.TemporaryDirectory() as empty:
        alone = {**os.environ, "XDG_CONFIG_HOME": empty, "LECTERN_ENGINE_STAYS": "0"}
        peaks = watch(index_command(library, share.corpus), alone)
        after = os.times()
        search = [sys.executable, "-m", "app", "--library", str(library), "search", "--json"]
        opened = first_answer_s([*search, queries[0].text], alone)
    worked = sum(after[2:4]) - sum(before[2:4])  # of children that ended
    told = json.loads(peaks.output)
    pages, seconds = told["pages"], told["seconds"]  # it calibrates afterwards
    with closing(Engine.open(Options(out).config(library, OURS))) as engine:

        def ask(text: str) -> list[scoring.RunHit]:
            return scoring.run_hits(engine.call(Search(text, scoring.LIMIT)).hits)

        for query in queries[:5]:
            ask(query.text)
        ran = scoring.ask_all(queries, ask, out / "runs" / "lectern.jsonl")
    return (
        "Lectern", OURS, pages / seconds, seconds, worked,
        round((peaks.engine + peaks.child) / MB), opened, *scoring.percentiles(ran.milliseconds),
        *_scores(share, ran.file), None,
    )  # fmt: skip


def peer(share: BenchSet, out: Path, kind: str, model: str, form: str) -> tuple[Cell, ...]:
    """Measure one of ``PEERS``."""
    run = out / "runs" / f"{kind}-{model}-{form}"
    run.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as scratch:
        folder = Path(scratch)
        runs = [f"{run}-vectors.jsonl", f"{run}.jsonl"]
        job = {
            "kind": kind, "form": form, "corpus": str(share.corpus), "store": f"{scratch}/store",
            "passages": str(write_folder(model, Side.PASSAGES, folder / "passages")),
            "queries": str(write_folder(model, Side.QUERIES, folder / "queries")), "out": runs,
            "processor": quantised_for(machine.cpuinfo()),
            "asked": [{"id": query.id, "text": query.text} for query in share.queries()],
        }  # fmt: skip
        (folder / "job.json").write_text(json.dumps(job), "utf-8")
        program, job_file = [environment(form), HERE / "peer_pipeline.py"], folder / "job.json"
        quiet = os.environ | QUIET
        if form in EXPORTED:
            subprocess.run(
                [*program, "prepare", job_file], env=quiet, stdout=subprocess.DEVNULL, check=True
            )
        done = subprocess.run(
            [*program, "index", job_file], env=quiet, stdout=subprocess.PIPE, text=True, check=True
        )
        opened = first_answer_s([*program, "open", job_file], quiet)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    seconds = found["seconds"]
    return (
        f"{kind}, {form}", model, found["pages"] / seconds, seconds, found["processor"],
        round(found["peak"] / MB), opened, *scoring.percentiles(found["hybrid"]),
        *_scores(share, Path(runs[1])), _scores(share, Path(runs[0]))[0],
    )  # fmt: skip


def peers_with_weights(forms: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the peers in these forms whose model is there; say which models are not."""
    missing = {model for _kind, model, _form in PEERS if not (shipped_folder() / model).is_dir()}
    for model in sorted(missing):
        note(f"{model} is left out: its weights are not in {shipped_folder()}")
    yield from (one for one in PEERS if one[2] in forms and one[1] not in missing)


def _scores(share: BenchSet, run: Path) -> tuple[float, float]:
    found = scoring.score(share, run)
    return found["mrr@10"], found["doc@1"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", choices=sets.NAMES, default="financebench")
    parser.add_argument("--documents", type=int, default=8, help="0 for all of the set")
    forms = sorted({form for _kind, _model, form in PEERS})
    parser.add_argument(
        "--forms", nargs="+", choices=forms, default=forms, metavar="FORM",
        help=f"only peers in these of {', '.join(forms)}; "
        "bfloat16 is slower than float32 on a processor without it",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, default=Path("bench-results"))
    asked = parser.parse_args()
    if not sets.BENCH.is_dir():
        print(f"The benchmark sets are not there: {sets.BENCH} is missing. Nothing was measured.")
        return
    out = asked.out.absolute() / "peers"
    share = sets.find(asked.set).part(asked.documents, out)
    chosen = list(peers_with_weights(asked.forms))
    for _kind, _model, form in chosen:
        environment(form)
    rows = [ours(share, out)]
    for one in chosen:
        note(", ".join(one))
        rows.append(peer(share, out, *one))
    title = f"{asked.set}, {len(list(share.corpus.rglob('*.*')))} documents"
    section = Section("peers", title, COLUMNS, tuple(rows), (NOTE,))
    section.save(asked.out, machine.facts())
    print(section.markdown())


if __name__ == "__main__":
    main()
