"""Many clients that ask one engine at once, over its socket, while it indexes without end.

``size`` of an extent counts queries. The clients are processes (``crowd_client``) that know which
document answers what they ask; meanwhile this one adds and edits other documents. Latencies are
printed; the engine's memory may not keep growing.
"""

from __future__ import annotations

import contextlib
import json
import random
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

import psutil

from tests.e2e.conftest import ROOT
from tests.integration import corpus
from tests.soak import troubles
from tests.soak.account import make_account, run
from tests.soak.patience import STANDSTILL_S, communicate

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Lectern
    from tests.soak.extent import Extent

CLIENTS = 8
DOCUMENTS = 60  # with a needle each
CHANGES_S = 0.25  # between two changes of the documents
# Between the second and the last quarter of a run. What a shorter run adds is what is loaded for
# the first time: the model, the words, the buffers of the first documents.
GROWTH_SHARE, GROWTH_BYTES = 0.15, 64 << 20
LOOK_S, WARM_S = 0.5, 60.0


def soak(folder: Path, extent: Extent) -> list[str]:
    """Let clients ask while documents change, and say which answers were wrong."""
    lectern = make_account(folder)
    troubles.use(sys.executable)
    library, documents = folder / "library", folder / "documents"
    documents.mkdir()
    for number in range(DOCUMENTS):
        text = f"{corpus.text(number, 150)}\n\n{needle(number).capitalize()} was found."
        (documents / f"kept {number}.txt").write_text(text)
    run(lectern, "--library", library, "index", "--quiet", documents)
    engine = troubles.Engine(lectern, library, folder / "log")
    with contextlib.ExitStack() as stack:
        stack.callback(engine.end, signal.SIGKILL)
        engine.start()
        engine.reach().close()
        assert engine.process is not None
        stop = threading.Event()
        memory = Memory(psutil.Process(engine.process.pid))
        workers = [
            threading.Thread(target=_change, args=(documents, stop, extent.seed)),
            threading.Thread(target=memory.watch, args=(stop,)),
        ]
        stack.callback(stop.set)
        for worker in workers:
            worker.start()
        told = _ask(lectern, library, documents, extent)
        stop.set()
        for worker in workers:
            worker.join()
        log = (folder / "log").read_text(errors="replace")
    return [*_judge(told), *memory.grown(), *_complaints(log)]


def needle(number: int) -> str:
    """Words that one document holds and no other."""
    return f"ocelot{number} gramophone{number * 7}"


@dataclass(slots=True)
class Memory:
    """The resident memory of a process, looked at every ``LOOK_S`` seconds."""

    process: psutil.Process
    sizes: list[int] = field(default_factory=list)

    def watch(self, stop: threading.Event) -> None:
        while not stop.wait(LOOK_S):
            with contextlib.suppress(psutil.Error):
                self.sizes.append(self.process.memory_info().rss)

    def grown(self) -> list[str]:
        """Say whether it kept growing, of a run that lasted ``WARM_S`` seconds at least."""
        quarter = len(self.sizes) // 4
        if len(self.sizes) * LOOK_S < WARM_S:
            return []
        early, late = (median(self.sizes[at * quarter :][:quarter]) for at in (1, 3))
        print(f"memory {early / 1e6:.0f} MB, {late / 1e6:.0f} MB in the end")
        if late > early * (1 + GROWTH_SHARE) + GROWTH_BYTES:
            return [f"the engine grew from {early / 1e6:.0f} to {late / 1e6:.0f} MB"]
        return []


def _change(documents: Path, stop: threading.Event, seed: int) -> None:
    """Add, edit and delete documents that no query is about, until told to stop."""
    chance = random.Random(seed)
    others = documents / "others"
    others.mkdir()
    while not stop.wait(CHANGES_S):
        path = others / f"other {chance.randrange(400)}.txt"
        if path.exists() and chance.random() < 0.2:
            path.unlink()
        else:
            path.write_text(corpus.text(chance.randrange(2**31), chance.randrange(50, 1500)))


def _ask(lectern: Lectern, library: Path, documents: Path, extent: Extent) -> list[dict[str, Any]]:
    share = -(-extent.size // CLIENTS)
    clients = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.soak.crowd_client", str(library), str(documents),
             str(extent.seed + number), str(share), str(extent.seconds)],
            cwd=ROOT,
            env=lectern.environment,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for number in range(CLIENTS)
    ]  # fmt: skip
    try:
        # A client that waits for its answers uses no processor; it ends by itself in time.
        patience = extent.seconds + STANDSTILL_S
        return [json.loads(communicate(client, patience)[0]) for client in clients]
    finally:
        for client in clients:
            with client:
                client.kill()


def _judge(told: list[dict[str, Any]]) -> list[str]:
    seconds = [each for client in told for each in client["seconds"]]
    wrong = [each for client in told for each in client["wrong"]]
    refused = sum(client["refused"] for client in told)
    percentiles = quantiles(seconds, n=100)
    p50, p95, p99 = (percentiles[at - 1] * 1000 for at in (50, 95, 99))
    print(
        f"{len(seconds):,} answers to {len(told)} clients, {refused} refused as they should be: "
        f"p50 {p50:.0f} ms, p95 {p95:.0f} ms, p99 {p99:.0f} ms, longest {max(seconds):.1f} s"
    )
    return wrong


def _complaints(log: str) -> list[str]:
    return [line for line in log.splitlines() if "Traceback" in line or "Error:" in line]
