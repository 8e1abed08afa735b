"""A library of many shards beside one of the same documents: speed of building, and answers.

    python -m tests.benchmarks.cluster [SET …] [--model ID] [--shards N]

Indexes each public set as one library, builds it of shards with one worker and with two, pulls it,
and asks all questions of the set of both. Prints the seconds of each step, how much faster two
workers were, and for how many questions the first ten passages are the same. Needs the client of
object storage (``pip install 'lectern[cluster]'``).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from indexer.shards.build import BuildOptions, build

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT.parent / "shared" / "bench"
PROGRAM = (sys.executable, "-m", "app")
FIRST = 10  # passages that are compared


def run(*arguments: str) -> float:
    """Run a command of Lectern, and return its seconds."""
    began = time.monotonic()
    subprocess.run([*PROGRAM, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def build_shards(uri: str, corpus: Path, reader: str, shards: float, workers: int) -> float:
    """Build a set of shards, and return the seconds."""
    size = sum(file.stat().st_size for file in corpus.rglob("*") if file.is_file())
    options = BuildOptions(
        PROGRAM, reader, workers=workers, scratch=tempfile.gettempdir(),
        shard_bytes=int(size / shards),
    )  # fmt: skip
    began = time.monotonic()
    built = build(uri, [str(corpus)], options)
    seconds = time.monotonic() - began
    print(f"  {len(built.version.shards)} shards, {workers} at a time: {seconds:.1f} s")
    return seconds


def answers(library: Path, queries: Path, out: Path) -> dict[str, list[tuple[str, int]]]:
    """Ask all questions of a set, and return the first passages of each."""
    run("--library", str(library), "search", "--batch", str(queries), "--out", str(out))
    rows = map(json.loads, out.read_text("utf-8").splitlines())
    return {row["id"]: [(hit["file"], hit["start"]) for hit in row["hits"][:FIRST]] for row in rows}


def measure(name: str, folder: Path, reader: str, shards: float) -> None:
    """Measure one set in a folder of its own."""
    corpus, queries = BENCH / name / "corpus", BENCH / name / "queries.jsonl"
    alone, pulled = folder / "alone", folder / "pulled"
    print(name)
    print(f"  one library: {run('--library', str(alone), 'index', str(corpus)):.1f} s")
    one, two = (
        build_shards(f"file://{folder / f'by{workers}'}", corpus, reader, shards, workers)
        for workers in (1, 2)
    )
    print(f"  two workers: {one / two:.2f} times one")
    uri = f"file://{folder / 'by2'}"
    print(f"  pulled and joined: {run('library', 'pull', uri, '--to', str(pulled)):.1f} s")
    expected = answers(alone, queries, folder / "alone.jsonl")
    found = answers(pulled, queries, folder / "pulled.jsonl")
    same = sum(set(found[each]) == set(hits) for each, hits in expected.items())
    ordered = sum(found[each] == hits for each, hits in expected.items())
    print(f"  of {len(expected)} questions {same} have the same first ten, {ordered} in order")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=["xquad-mono", "evidence", "cuad"])
    parser.add_argument("--model", default="lectern-minilm-late")
    parser.add_argument("--shards", type=float, default=4.5, help="at least, by size")
    options = parser.parse_args()
    if not BENCH.is_dir():
        sys.exit(f"the public sets are not here: {BENCH}")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name in ("DATA", "CONFIG", "STATE", "CACHE"):
            os.environ[f"XDG_{name}_HOME"] = str(home / name.lower())
        os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *sys.path[1:]])
        settings = home / "config" / "lectern" / "settings.json"
        settings.parent.mkdir(parents=True)
        settings.write_text(json.dumps({"model": options.model, "precision": "int8"}))
        for name in options.sets:
            (home / name).mkdir()
            measure(name, home / name, f"{options.model} int8 1", options.shards)


if __name__ == "__main__":
    main()
