"""A large library killed while it is tidied, compacted and indexed; then it is verified whole.

``size`` of an extent counts passages. Every round edits some documents and indexes them with so
little patience that the tables are tidied all the time, and kills the process at a point of that or
at a random moment. ``store/maintenance`` says which points there are.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from indexer import faults
from indexer.api.requests import Verify
from indexer.pipeline.parts import BatchSizes
from tests.benchmarks.synthetic_texts import Texts, vocabulary
from tests.e2e.conftest import ROOT
from tests.integration import corpus
from tests.integration.world import World
from tests.soak import compare
from tests.soak.patience import communicate
from tests.tiny_model import install_tiny_model

if TYPE_CHECKING:
    from tests.soak.extent import Extent

POINTS = (
    "vectors-indexing", "vectors-indexed", "compacting",
    "compacted", "orphans-deleted", "passages-committed", "vectors-committed", "vectors-marked",
    "derived-making", "derived-written", "derived-merging", "derived-stamped",
)  # fmt: skip
# As many rows wait for upkeep as come in one commit, so every commit is followed by all of it.
IMPATIENT = BatchSizes(
    passages=64,
    vectors=64,
    unit=64,
    ann_from=32,
)
PATIENT = BatchSizes(ann_from=10**9)  # so that the index of vectors is built by a victim
EDITED = 8  # documents of a round
VERIFIED_EVERY = 5  # rounds
LEAST = 3  # rounds


def soak(folder: Path, extent: Extent) -> list[str]:
    """Kill again and again, verify now and then, and compare with a fresh library in the end."""
    install_tiny_model(folder / "models")
    world = World(folder / "documents", folder / "library", folder / "models")
    files = _make(folder, world.documents, extent)
    chance = random.Random(extent.seed)
    _index(world)
    found: list[str] = []
    killed: Counter[str] = Counter()
    began = time.monotonic()
    slow = 0.0
    while killed.total() < LEAST or time.monotonic() - began < extent.seconds:
        for path in chance.sample(files, min(EDITED, len(files))):
            with path.open("a") as file:
                file.write("\n\n" + corpus.text(chance.randrange(2**31), 150))
        point = chance.choice([*POINTS, *[""] * 5])
        killed[_kill(world, point, chance.uniform(1.0, 15.0))] += 1
        if killed.total() % VERIFIED_EVERY == 0:
            seconds, wrong = _verify(world)
            slow = max(slow, seconds)
            found += [f"after {killed.total()} kills: {each}" for each in wrong]
    _index(world)
    seconds, wrong = _verify(world)
    found += wrong
    fresh = World(world.documents, folder / "fresh", world.models)
    _index(fresh)
    one, other = compare.read(world.library), compare.read(fresh.library)
    found += compare.differences(one, other)
    print(
        f"{killed.total() - killed['ended']} kills ({_told(killed)}), {len(one.docs):,} documents "
        f"and {len(one.passages):,} passages in the end; verified in {max(slow, seconds):.1f} s"
    )
    return found


def _make(folder: Path, documents: Path, extent: Extent) -> list[Path]:
    """Write documents of so many passages, with words as often as in a made-up language."""
    samples = folder / "samples"
    samples.mkdir()
    for number in range(10):
        (samples / f"{number}.txt").write_text(corpus.prose(number, 5000))
    Texts(vocabulary(samples), extent.size).write(documents)
    return sorted(path for path in documents.rglob("*.md"))


def _start(world: World, pace: str, fault: str = "") -> subprocess.Popen[str]:
    places = map(str, (world.documents, world.library, world.models))
    return subprocess.Popen(
        [sys.executable, "-m", "tests.soak.kills", *places, pace],
        cwd=ROOT,
        env={**os.environ, faults.VARIABLE: fault},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def _index(world: World) -> None:
    with _start(world, "patient") as process:
        _, complaints = communicate(process)
    assert process.returncode == 0, complaints


def _kill(world: World, point: str, moment: float) -> str:
    """Index until a point or a moment, whichever comes first; say what ended it."""
    with _start(world, "impatient", f"{point}:1" if point else "") as process:
        try:
            _, complaints = communicate(process) if point else process.communicate(timeout=moment)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            assert not point, f"the run hangs before {point}"
            return "some moment"
    if process.returncode == 0:
        return "ended"
    assert process.returncode == -signal.SIGKILL, complaints
    return point


def _verify(world: World) -> tuple[float, list[str]]:
    """Open the library as the next start would; say how long that took and what is wrong."""
    with world.engine() as engine:
        began = time.monotonic()
        verified = engine.call(Verify())
        return time.monotonic() - began, [each.sentence for each in verified.problems]


def _told(killed: Counter[str]) -> str:
    return ", ".join(f"{count} at {what}" for what, count in killed.most_common())


def main() -> None:
    """Index one world to the end, with patience or without."""
    *places, pace = sys.argv[1:]
    documents, library, models = map(Path, places)
    world = World(documents, library, models)
    with world.engine(batches=IMPATIENT if pace == "impatient" else PATIENT) as engine:
        world.index(engine)


if __name__ == "__main__":
    main()
