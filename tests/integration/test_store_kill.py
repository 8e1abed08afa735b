"""Killed at any moment, a store opens again with whole documents and nothing twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from indexer import faults
from indexer.store.store import Store
from indexer.store.values import Term
from tests.integration.store_victim import PASSAGES, SPACE

ROOT = Path(__file__).resolve().parents[2]


def kill_after(path: Path, first: int, documents: int, delay: float) -> list[int]:
    """Let the victim commit some documents, kill it a moment later; tell what it had said."""
    command = [sys.executable, "-m", "tests.integration.store_victim", str(path), str(first)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as victim:
        assert victim.stdout is not None
        said: list[int] = []
        try:
            assert victim.stdout.readline() == "ready\n"
            while len(said) < documents:
                said.append(int(victim.stdout.readline()))
            with pytest.raises(subprocess.TimeoutExpired):
                victim.wait(delay)
        finally:
            victim.kill()
        said += [int(line) for line in victim.stdout if line.endswith("\n")]
    return said


@pytest.mark.timeout(600)
def test_kills_at_many_moments_leave_whole_documents(tmp_path: Path) -> None:
    """Between and within commits: the delays are spread over them."""
    moments = np.random.default_rng(4).uniform(0.0, 0.25, 8)
    path, first = tmp_path / "index", 0
    committed: set[int] = set()
    for documents, delay in zip((1, 2, 3, 7, 3, 8, 1, 7), moments, strict=True):
        committed |= set(kill_after(path, first, documents, float(delay)))
        store = Store.open(path, threads=1)
        assert store.verify() == []
        known = store.known_docs().tolist()
        assert committed <= set(known)
        counts = store.texts.counts(known)
        assert set(counts.values()) == {PASSAGES}
        # The one document whose passages, but not its vectors, were written.
        partial = [d for d in known if not len(store.keys_with_vectors(SPACE, d))]
        assert len(partial) <= 1
        store.delete_docs(partial)
        found = store.match([Term("fox")], 10**6).keys
        assert len(found) == len(set(found.tolist())) == PASSAGES * (len(known) - len(partial))
        store.maintain(idle=True)
        first = max(known) + 1
        store.close()


@pytest.mark.parametrize("point", ["texts-committed", "words-of-passages", "words-of-documents"])
@pytest.mark.parametrize("times", [1, 3])
def test_words_catch_up_after_a_kill_between_the_commits(
    tmp_path: Path, point: str, times: int
) -> None:
    store = opened_after_kill(tmp_path / "index", f"{point}:{times}")
    docs = store.known_docs().tolist()
    assert len(docs) == times
    every = store.texts.keys().tolist()
    assert sorted(store.match([Term("fox")], 10**6).keys.tolist()) == every
    words = store.words.documents()
    counted, found = words.counts("fox")
    assert sorted(counted.tolist()) == docs
    assert set(found.tolist()) == {PASSAGES}
    assert words.lengths[docs].tolist() == [4 * PASSAGES] * len(docs)
    assert store.words.verify() == []
    store.close()


def opened_after_kill(path: Path, point: str) -> Store:
    """The store of a victim that was killed at a point."""
    command = [sys.executable, "-m", "tests.integration.store_victim", str(path), "0"]
    environment = {**os.environ, faults.VARIABLE: point}
    victim = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    assert victim.returncode == -signal.SIGKILL, victim.stderr
    return Store.open(path, threads=1)
