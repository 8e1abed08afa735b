"""The costs of a library of many shards: workers, warm questions, and the first one over a link.

It has three parts of ``tests.benchmarks.cluster``. *workers* builds real texts with one worker on
one core and with two on two cores, in turns; each worker embeds with one thread. *warm* asks, in
turns, a library joined from four synthetic shards and one of the same documents. *cold* pulls one
of the shards over a link of 20 ms each way, opens it and asks; the bandwidth is that of this
machine's loopback.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from app.paths import models_folder
from indexer.api.requests import Index, Search
from indexer.catalog.catalog import Catalog
from indexer.config import EngineConfig
from indexer.engine.engine import Engine
from indexer.library.library import CATALOG_NAME
from indexer.shards.build import BuildOptions, build
from indexer.shards.exchange import publish, pull
from indexer.shards.join import join
from indexer.shards.sources import NUMBERS
from tests.benchmarks import sets
from tests.benchmarks.latency import SYNTHETIC_QUERIES, ask
from tests.object_storage import Link, environment, new_bucket, s3_server

if TYPE_CHECKING:
    from collections.abc import Callable

LINK_S = 0.020  # each way
SHARDS, PASSAGES = 4, 100_000
TURNS = 3
_TEXTS = "evidence"


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def load() -> str:
    return f"load {os.getloadavg()[0]:.1f}"


def workers(home: Path, options: BuildOptions, every: int) -> None:
    """Build a share of a set with one worker and with two."""
    corpus = home / "share"
    corpus.mkdir()
    for file in sorted(sets.find(_TEXTS).corpus.iterdir())[::every]:
        shutil.copy(file, corpus)
    size = sum(file.stat().st_size for file in corpus.iterdir())
    cores = sorted(os.sched_getaffinity(0))[:2]
    spent: dict[int, list[float]] = {1: [], 2: []}
    for turn in range(TURNS):
        for count in (1, 2):
            os.sched_setaffinity(0, cores[:count])  # of all that is started here, too
            uri = f"file://{home / f'turn-{turn}-{count}'}"
            chosen = replace(options, workers=count, shard_bytes=size // 10)
            began = time.perf_counter()
            version = build(uri, [str(corpus)], chosen).version
            seconds = time.perf_counter() - began
            passages = sum(shard.passages for shard in version.shards)
            spent[count].append(seconds)
            print(f"  {count} worker(s): {len(version.shards)} shards, {passages} passages of "
                  f"{size / 1e6:.1f} MB in {seconds:.1f} s, {passages / seconds:.1f}/s, {load()}",
                  flush=True)  # fmt: skip
    os.sched_setaffinity(0, cores)
    ratios = [one / two for one, two in zip(spent[1], spent[2], strict=True)]
    each = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    print(f"  two workers: {np.median(ratios):.2f} times one ({each})")


def synthetic(home: Path, passages: int) -> tuple[Path, list[Path]]:
    """Make a library of synthetic documents, and shards of the same."""
    texts = home / "texts" / "corpus"
    _run("synthetic_texts", "--passages", str(passages), "--folder", str(texts))
    alone = home / "alone"
    _run("synthetic_engine", "--texts", str(texts), "--library", str(alone))
    shards = []
    files = sorted(path for path in texts.rglob("*") if path.is_file())
    for number in range(SHARDS):
        own = home / f"texts-{number}" / "corpus"
        for file in files[number::SHARDS]:
            place = own / file.relative_to(texts)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.hardlink_to(file)
        shard = home / f"shard-{number}"
        shard.mkdir()
        with closing(Catalog(shard / CATALOG_NAME)) as catalog:
            catalog.set_meta("docs_reserved", str((SHARDS + number) * NUMBERS + 1))
        _run("synthetic_engine", "--texts", str(own), "--library", str(shard))
        shards.append(shard)
    return alone, shards


def _run(module: str, *arguments: str) -> None:
    command = [sys.executable, "-m", f"{__package__}.{module}", *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def warm(home: Path, alone: Path, shards: list[Path]) -> None:
    """Ask the library and the joined shards in turns."""
    joined = home / "joined"
    joined.mkdir()
    print(f"  joined in {timed(lambda: join(shards, joined)):.1f} s, {load()}")
    queries = [query.text for query in sets.find(SYNTHETIC_QUERIES).queries()]
    with contextlib.ExitStack() as stack:
        engines = {
            name: stack.enter_context(closing(Engine.open(_config(library))))
            for name, library in {"one library": alone, "joined": joined}.items()
        }
        for name, engine in engines.items():  # what is measured of a library costs each question
            print(f"  {name}: measured in {timed(partial(engine.call, Index(scan=False))):.1f} s")
        medians: dict[str, list[float]] = {name: [] for name in engines}
        for _ in range(TURNS):
            for name, engine in engines.items():
                spent = ask(engine, queries)
                medians[name].append(float(np.median(spent.milliseconds)))
                worked = spent.worked / len(spent.milliseconds)
                print(f"  {name}: p50 {medians[name][-1]:.1f} ms, processor {worked:.1f}, {load()}")
    one, many = (np.median(medians[name]) for name in engines)
    print(f"  joined: {many / one:.2f} times one library")


def _config(library: Path) -> EngineConfig:
    return EngineConfig(library=library, models=models_folder(), offline=True)


def cold(home: Path, shard: Path) -> None:
    """Publish a shard, and answer the first question on a machine that has no part of it."""
    with closing(sqlite3.connect(shard / CATALOG_NAME)) as database:
        (passages,) = database.execute("SELECT sum(passages) FROM docs").fetchone()
    with s3_server() as port:
        os.environ |= environment(port)
        uri = f"s3://{new_bucket(port)}/archive"
        print(f"  {passages} passages uploaded in {timed(lambda: publish(shard, uri)):.1f} s")
        with closing(Link(port, LINK_S)) as link:
            os.environ |= environment(link.port)
            for turn in range(TURNS):
                command = [sys.executable, "-m", __name__, uri, str(home / f"pulled-{turn}")]
                subprocess.run(command, check=True)


def first_answer(uri: str, folder: Path) -> None:
    """Pull a library, open it and ask; print the seconds of each."""
    began = time.perf_counter()
    library = pull(uri, folder)
    pulled = time.perf_counter() - began
    with closing(Engine.open(_config(library))) as engine:
        opened = time.perf_counter() - began
        hits = engine.call(Search("who may end the agreement", 10)).hits
        answered = time.perf_counter() - began
    size = sum(file.stat().st_size for file in library.rglob("*") if file.is_file())
    print(f"  first answer ({len(hits)} hits) after {answered:.2f} s: pulled {size / 1e6:.0f} MB "
          f"in {pulled:.2f}, opened in {opened - pulled:.2f}, asked in {answered - opened:.2f}; "
          f"{load()}", flush=True)  # fmt: skip


if __name__ == "__main__":
    first_answer(sys.argv[1], Path(sys.argv[2]))
