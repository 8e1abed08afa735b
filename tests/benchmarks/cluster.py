"""Compares a library of many shards with one library of the same documents: speed and answers.

    python -m tests.benchmarks.cluster [workers|warm|cold|SET …] [--model ID] [--every N]

*workers*, *warm* and *cold* are in ``cluster_parts``. Each named public set is indexed as one
library, and built from shards with two workers. The second library is pulled, and all questions of
the set are asked of both. The command prints for how many questions the first ten passages are the
same, and for the others whether only scores within .01 of each other have changed places. It needs
the client of object storage (``pip install 'lectern[cluster]'``), *cold* also moto (``make
.venv/s3.stamp``).
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
from pathlib import Path

from msgspec.structs import replace

from indexer.shards.build import BuildOptions, build
from tests.benchmarks import cluster_parts

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT.parent / "shared" / "bench"
PROGRAM = (sys.executable, "-m", "app")
FIRST = 10  # passages that are compared


def run(*arguments: str) -> float:
    """Run a command of Lectern, and return its seconds."""
    began = time.monotonic()
    subprocess.run([*PROGRAM, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def answers(library: Path, queries: Path, out: Path) -> dict[str, list[tuple[str, int, float]]]:
    """Ask all questions of a set, and return the first passages of each with their scores."""
    run("--library", str(library), "search", "--batch", str(queries), "--out", str(out))
    rows = map(json.loads, out.read_text("utf-8").splitlines())
    return {
        row["id"]: [(hit["file"], hit["start"], hit["score"]) for hit in row["hits"][:FIRST]]
        for row in rows
    }


def measure(name: str, home: Path, options: BuildOptions, shards: float, every: int) -> None:
    """Measure one set in a folder of its own."""
    queries = BENCH / name / "queries.jsonl"
    folder, corpus = home / name, home / name / "corpus"
    corpus.mkdir(parents=True)
    for file in sorted((BENCH / name / "corpus").iterdir())[::every]:
        (corpus / file.name).symlink_to(file) if file.is_dir() else shutil.copy(file, corpus)
    size = sum(file.stat().st_size for file in corpus.rglob("*") if file.is_file())
    alone, pulled, uri = folder / "alone", folder / "pulled", f"file://{folder / 'shards'}"
    print(f"  one library: {run('--library', str(alone), 'index', str(corpus)):.1f} s", flush=True)
    began = time.monotonic()
    built = build(uri, [str(corpus)], replace(options, shard_bytes=int(size / shards)))
    print(f"  {len(built.version.shards)} shards: {time.monotonic() - began:.1f} s")
    print(f"  pulled and joined: {run('library', 'pull', uri, '--to', str(pulled)):.1f} s")
    expected = answers(alone, queries, folder / "alone.jsonl")
    found = answers(pulled, queries, folder / "pulled.jsonl")
    same, ordered, furthest = 0, 0, 0.0
    for each, theirs in expected.items():
        ours, passages = found[each], {hit[:2] for hit in theirs}
        ordered += [hit[:2] for hit in ours] == [hit[:2] for hit in theirs]
        same += {hit[:2] for hit in ours} == passages
        others = [hit for hit in ours if hit[:2] not in passages]
        if others and theirs:
            gap = abs(max(hit[2] for hit in others) - theirs[-1][2])
            furthest = max(furthest, gap)
            print(f"    {each}: {len(others)} others, by {gap:.4f} of the last score")
    share = same / len(expected)
    print(f"  of {len(expected)} questions {same} ({share:.3f}) have the same first ten, {ordered} "
          f"in order; the others differ by scores of at most {furthest:.4f}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "parts", nargs="*", default=["workers", "warm", "cold", "xquad-mono", "evidence", "cuad"]
    )
    parser.add_argument("--model", default="lectern-minilm-late")
    parser.add_argument("--shards", type=float, default=4.5, help="at least, by size")
    parser.add_argument("--every", type=int, default=1, help="take every so many documents")
    parser.add_argument("--passages", type=int, default=cluster_parts.PASSAGES, help="synthetic")
    asked = parser.parse_args()
    if not BENCH.is_dir():
        sys.exit(f"the public sets are not here: {BENCH}")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name in ("DATA", "CONFIG", "STATE", "CACHE"):
            os.environ[f"XDG_{name}_HOME"] = str(home / name.lower())
        os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *sys.path[1:]])
        settings = home / "config" / "lectern" / "settings.json"
        settings.parent.mkdir(parents=True)
        settings.write_text(json.dumps({"model": asked.model, "precision": "int8", "threads": 1}))
        options = BuildOptions(
            PROGRAM, f"{asked.model} int8 1", workers=2, scratch=tempfile.gettempdir()
        )
        libraries: tuple[Path, list[Path]] | None = None
        for part in asked.parts:
            print(part, flush=True)
            if part == "workers":
                cluster_parts.workers(home, options, asked.every)
            elif part in {"warm", "cold"}:
                libraries = libraries or cluster_parts.synthetic(home, asked.passages)
                if part == "warm":
                    cluster_parts.warm(home, *libraries)
                else:
                    cluster_parts.cold(home, libraries[1][0])
            else:
                measure(part, home, options, asked.shards, asked.every)


if __name__ == "__main__":
    main()
