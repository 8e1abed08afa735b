"""When a watcher looks at everything, when at nothing, and how it stands back for a person."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from msgspec.structs import replace

from indexer.api.answers import WatchState
from indexer.api.errors import WorldError
from indexer.api.phrases import Note
from indexer.api.progress import CancelToken, Progress, Step
from indexer.api.requests import GetActivity, GetStatus, Index, Watch
from indexer.server.service import Host, Service
from indexer.server.work_queues import Priority
from indexer.watching.observer import ObserverSource
from indexer.watching.watcher import SLEPT_S, Clock, Watcher
from tests.integration.watching import PACE, wait_for_states, watched, watching
from tests.integration.world import World, indexed_texts, quoted, states
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from indexer.engine.engine import Engine
    from indexer.watching.watched import EventSource, Hints


@pytest.fixture(scope="module")
def tree(tiny_models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    texts = {"a/one.txt": "The zephyr clause stands here."}
    return indexed_texts(tmp_path_factory.mktemp("tree"), tiny_models_dir, texts)


@pytest.fixture
def world(tree: World, tmp_path: Path) -> World:
    return tree.move(tmp_path)


class Deaf:
    """A source that hears nothing, so that only scans find what changed."""

    def __init__(self, *, exhausted: bool) -> None:
        self.exhausted = exhausted
        self.folders = 0

    def watch_folder(self, path: bytes, *, whole: bool = True) -> bool:
        return not self.exhausted

    def unwatch_folder(self, path: bytes) -> None: ...

    def close(self) -> None: ...


@contextlib.contextmanager
def _watcher(engine: Engine, watcher: Watcher) -> Iterator[Watcher]:
    engine.watcher = watcher
    engine.call(Watch(on=True))
    try:
        wait_for(lambda: engine.call(Watch(None)).quiet)
        yield watcher
    finally:
        engine.call(Watch(on=False))


def _deaf(engine: Engine, *, exhausted: bool = False, **pace: float) -> Watcher:
    return Watcher(
        engine.scanner,
        engine.watcher.read,
        replace(PACE, **pace),
        source=lambda _hints: Deaf(exhausted=exhausted),
    )


def test_nothing_is_looked_at_while_nothing_is_heard(world: World, engine: Engine) -> None:
    with watching(engine) as watcher:
        assert (watcher.scans, watcher.partial_scans) == (1, 0)
        rounds = threading.Event()
        for _ in range(3):
            watcher.wake()
            rounds.wait(PACE.check_s)
        assert (watcher.scans, watcher.partial_scans) == (1, 0)
        # Reading a file is no change, and what the library writes is none of its business.
        (world.documents / "a" / "one.txt").read_text()
        engine.call(Index())
        wait_for(lambda: engine.call(Watch(None)).quiet)
        assert (watcher.scans, watcher.partial_scans) == (1, 0)


def test_a_library_inside_a_root_is_left_alone(world: World, tiny_models_dir: Path) -> None:
    inside = World(world.documents, world.documents / "library", tiny_models_dir)
    with watched(inside) as engine:
        (world.documents / "a" / "two.txt").write_text("A single xylophone plays.")
        wait_for(lambda: quoted(engine, "single xylophone") == ["a/two.txt"])
        wait_for(lambda: engine.call(Watch(None)).quiet)
        assert engine.watcher.partial_scans == 1


def test_everything_is_looked_at_every_few_hours(world: World, engine: Engine) -> None:
    with _watcher(engine, _deaf(engine, scan_s=0.3)):
        assert engine.call(Watch(None)).roots[0].how == "events"
        (world.documents / "late.txt").write_text("Nobody told of it.")
        wait_for(lambda: quoted(engine, "Nobody told") == ["late.txt"])


def test_where_no_watches_are_left_the_folders_are_polled(world: World, engine: Engine) -> None:
    with _watcher(engine, _deaf(engine, exhausted=True, poll_s=0.3)):
        (root,) = engine.call(Watch(None)).roots
        assert (root.how, root.why) == ("polling", "exhausted")
        (world.documents / "late.txt").write_text("Nobody told of it.")
        wait_for(lambda: quoted(engine, "Nobody told") == ["late.txt"])


def test_everything_is_looked_at_after_sleep(world: World, engine: Engine) -> None:
    offset = 0.0
    clock = Clock(lambda: time.time() + offset)
    watcher = Watcher(
        engine.scanner,
        engine.watcher.read,
        PACE,
        clock=clock,
        source=lambda _hints: Deaf(exhausted=False),
    )
    with _watcher(engine, watcher):
        (world.documents / "late.txt").write_text("Written while it slept.")
        offset = SLEPT_S + 10.0
        wait_for(lambda: quoted(engine, "while it slept") == ["late.txt"])
        assert watcher.scans == 2


def test_everything_is_looked_at_when_events_were_lost(world: World, engine: Engine) -> None:
    heard: list[Hints] = []

    def source(hints: Hints) -> EventSource:
        heard.append(hints)
        return Deaf(exhausted=False)

    watcher = Watcher(engine.scanner, engine.watcher.read, PACE, source=source)
    with _watcher(engine, watcher):
        (world.documents / "late.txt").write_text("Nobody told of it.")
        heard[0].lost("more changed than the system could tell")
        wait_for(lambda: quoted(engine, "Nobody told") == ["late.txt"])


# Watchdog meets a folder in a new folder twice, in the new one and by its own event.
@pytest.mark.filterwarnings("ignore:Callback with id .* already exists:RuntimeWarning")
def test_watchdogs_own_observer_serves_as_well(world: World, engine: Engine) -> None:
    """As on macOS and Windows, where the system watches whole trees, what is left out too."""
    (world.documents / "node_modules" / "deep").mkdir(parents=True)
    watcher = Watcher(engine.scanner, engine.watcher.read, PACE, source=ObserverSource)
    with _watcher(engine, watcher):
        (world.documents / "node_modules" / "deep" / "x.txt").write_text("Left out.")
        (world.documents / "new" / "er").mkdir(parents=True)
        (world.documents / "new" / "er" / "two.txt").write_text("A single xylophone plays.")
        expected = {"a/one.txt": "indexed", "node_modules": "excluded"}
        wait_for_states(engine, expected | {"new/er/two.txt": "indexed"})
        (world.documents / "new").rename(world.documents / "old")
        wait_for_states(engine, expected | {"old/er/two.txt": "indexed"})
        away = world.documents.with_name("away")
        world.documents.rename(away)
        wait_for(lambda: "offline" in {root.how for root in engine.call(Watch(None)).roots})
        away.rename(world.documents)
        wait_for_states(engine, expected | {"old/er/two.txt": "indexed"})
        (world.documents / "old" / "er" / "two.txt").unlink()
        wait_for_states(engine, expected)


def test_what_stops_it_is_told_until_it_goes_on(world: World, engine: Engine) -> None:
    """``GetStatus`` has the reason, which the library page and ``lectern status`` show."""
    real, broken = engine.watcher.read, threading.Event()

    def read(token: CancelToken, done: Callable[[Exception | None], None]) -> None:
        if broken.is_set():
            done(WorldError("disk_full", needed="1 GB", path="/"))
        else:
            real(token, done)

    watcher = Watcher(engine.scanner, read, replace(PACE, scan_s=0.2, retry_s=0.1))
    with _watcher(engine, watcher):
        assert engine.call(GetStatus()).watch_problem is None
        broken.set()
        (world.documents / "late.txt").write_text("Written when the disk was full.")
        wait_for(lambda: watcher.watch_state().problem is not None)
        assert watcher.watch_state().problem == Note("disk_full", {"needed": "1 GB", "path": "/"})
        broken.clear()
        wait_for(lambda: quoted(engine, "the disk was full") == ["late.txt"])
        wait_for(lambda: engine.call(GetStatus()).watch_problem is None)


def test_watching_can_end_and_begin_again(world: World, engine: Engine) -> None:
    with watching(engine):
        pass
    assert structs.replace(engine.call(Watch()), quiet=False) == WatchState(
        on=False, roots=(), folders=0, quiet=False, problem=None
    )
    (world.documents / "late.txt").write_text("Written meanwhile.")
    with watching(engine):
        assert states(engine)["late.txt"] == "indexed"


@pytest.mark.slow
def test_changes_are_taken_in_while_a_run_goes_on(world: World, engine: Engine) -> None:
    """What changes, moves or goes while it is read is as it is on disk in the end."""
    for number in range(40):
        (world.documents / "a" / f"{number}.txt").write_text(f"Text number {number}. " * 60)
    changed: list[int] = []

    def report(progress: Progress) -> None:
        if progress.step is Step.INDEX and not changed:
            changed.append(1)
            for number in range(0, 40, 4):
                (world.documents / "a" / f"{number}.txt").write_text(f"Changed to {number}.")
                (world.documents / "a" / f"{number + 1}.txt").unlink()
            (world.documents / "a").rename(world.documents / "b")

    with watching(engine):
        engine.call(Index(), report=report)
        expected = {f"b/{n}.txt": "indexed" for n in range(40) if n % 4 != 1}
        wait_for_states(engine, expected | {"b/one.txt": "indexed"})
        assert quoted(engine, "Changed to 36") == ["b/36.txt"]
        assert quoted(engine, "Text number 36") == []


def test_a_person_does_not_wait_for_the_watcher(world: World, engine: Engine) -> None:
    """What a person asks for comes first; what the watcher had begun is done all the same."""
    for number in range(20):
        (world.documents / "a" / f"{number}.txt").write_text(f"Text number {number}. " * 120)
    own = world.documents.with_name("own.txt")
    own.write_text("A celesta sounds.")
    service = Service(engine, world.library)
    with contextlib.closing(Host(engine, service)) as host:
        host.call(Watch(on=True))
        wait_for(lambda: host.call(GetActivity()).running)
        assert service.index_queue.running is not None
        assert service.index_queue.running.priority is Priority.FOUND
        assert not host.call(Index((own,))).cancelled
        wait_for(lambda: host.call(Watch(None)).quiet)
        assert set(states(engine).values()) == {"indexed"}
        assert len(states(engine)) == 22
