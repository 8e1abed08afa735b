"""What tests of watching share: a library that is watched, and waiting for it to be up to date."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from indexer.api.requests import Watch
from indexer.watching.watcher import Watcher, WatchPace
from tests.integration.world import states
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.engine.engine import Engine
    from tests.integration.world import World

# Quick, but for scans: nothing but events may tell of changes.
PACE = WatchPace(settled_s=0.2, tick_s=0.05, check_s=0.1)


@contextlib.contextmanager
def watched(world: World, pace: WatchPace = PACE) -> Iterator[Engine]:
    """Open a library, index the documents and watch them."""
    with world.engine() as engine:
        world.index(engine)
        with watching(engine, pace):
            yield engine


@contextlib.contextmanager
def watching(engine: Engine, pace: WatchPace = PACE) -> Iterator[Watcher]:
    """Watch the roots of a library while the block runs; it is up to date when that begins."""
    engine.watcher = Watcher(engine.scanner, engine.watcher.read, pace)
    engine.call(Watch(on=True))
    try:
        wait_for(lambda: engine.call(Watch(None)).quiet)
        yield engine.watcher
    finally:
        engine.call(Watch(on=False))


def wait_for_states(engine: Engine, expected: dict[str, str]) -> None:
    """Wait until the library knows exactly these files, in these states, and rests."""
    try:
        wait_for(lambda: states(engine) == expected and engine.call(Watch(None)).quiet)
    except AssertionError:
        assert states(engine) == expected
        raise
