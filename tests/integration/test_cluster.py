"""Libraries of many shards: built by real workers, committed, joined; and their accidents."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from msgspec.structs import replace

from indexer.api.errors import Cancelled, WorldError
from indexer.api.requests import Index, Search, Verify
from indexer.pipeline.parts import BatchSizes
from indexer.shards import exchange
from indexer.shards.build import BuildOptions, Built, ShardJob, build, build_shard, forget_old
from indexer.shards.exchange import latest_version, pull
from indexer.shards.object_store import ObjectStore
from indexer.shards.sources import LeftOut, SourceFile, listed, planned
from tests.integration.many_shards import (
    QUESTIONS,
    READER,
    make_documents,
    make_options,
    new_uri,
    text,
)
from tests.integration.world import World
from tests.object_storage import Link, environment
from tests.tiny_model import TINY
from tests.waiting import WAIT_S, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.mounting import Mounter

pytest.importorskip("obstore", reason="it comes with lectern[cluster]")
pytestmark = pytest.mark.timeout(1200)  # a build starts a process for each shard


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    return make_documents(tmp_path / "documents")


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BuildOptions:
    return make_options(tmp_path, monkeypatch)


@pytest.fixture
def uri(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    return new_uri(request, monkeypatch, tmp_path)


@pytest.fixture
def link(uri: str, s3: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Link]:
    """The way of all clients to the server of S3."""
    with contextlib.closing(Link(s3)) as link:
        monkeypatch.setenv("AWS_ENDPOINT", environment(link.port)["AWS_ENDPOINT"])
        yield link


def answers(world: World) -> list[list[tuple[str, str, float]]]:
    with world.engine(batches=BatchSizes()) as engine:
        engine.call(Index(scan=False))
        assert engine.call(Verify()).problems == ()
        return [
            [
                (hit.file, hit.text, round(hit.score, 3))
                for hit in engine.call(Search(question, 10)).hits
            ]
            for question in QUESTIONS
        ]


def joined(uri: str, tmp_path: Path, models: Path, name: str = "joined") -> World:
    library = pull(uri, tmp_path / name)
    return World(tmp_path / "documents", library, models)


def notes(uri: str) -> dict[str, int]:
    return ObjectStore(uri).sizes("built")


def is_left(scratch: str) -> list[str]:
    return [path.name for path in Path(scratch).glob("*")]


def test_it_answers_as_one_library_does(
    documents: Path, options: BuildOptions, uri: str, tmp_path: Path, tiny_models_dir: Path
) -> None:
    built = build(uri, [str(documents)], options)
    assert len(built.version.shards) >= 3
    assert built.kept == 0
    failed = [each for shard in built.version.shards for each in shard.failed]
    assert [Path(each.path).name for each in failed] == ["broken.pdf"]
    assert is_left(options.scratch) == []
    alone = World(documents, tmp_path / "alone", tiny_models_dir)
    with alone.engine(batches=BatchSizes()) as engine:  # as many commits as workers make
        alone.index(engine)
    many = joined(uri, tmp_path, tiny_models_dir)
    expected, found = answers(alone), answers(many)
    for question, ours, theirs in zip(QUESTIONS, found, expected, strict=True):
        # Of equal scores the order is that of the documents' numbers, which differ.
        assert sorted(each[:2] for each in ours) == sorted(each[:2] for each in theirs), question
        # Probably since each shard has an entry of its vocabulary, which is much for a dozen files.
        scores = {each[:2]: each[2] for each in theirs}
        assert {each[:2]: each[2] for each in ours} == pytest.approx(scores, abs=0.03), question
    with many.engine() as engine, alone.engine() as other:
        assert engine.store.words.verify() == []
        assert engine.catalog.files.counts() == other.catalog.files.counts()
        assert engine.catalog.spaces.totals() == other.catalog.spaces.totals()
        # Files that are where they were are known again, and none is embedded again.
        assert many.index(engine).summary.passages == 0


def test_texts_of_other_bytes_are_as_many_as_in_one_library(
    documents: Path, options: BuildOptions, uri: str, tmp_path: Path, tiny_models_dir: Path
) -> None:
    few = tmp_path / "few"
    few.mkdir()
    for name, start in {"a/one.txt": b"", "b/one.txt": b"\xef\xbb\xbf"}.items():
        (few / name).parent.mkdir()
        (few / name).write_bytes(start + text(4).encode())  # of other bytes: of another shard
    build(uri, [str(few)], replace(options, shard_bytes=1))
    many = joined(uri, tmp_path, tiny_models_dir)
    alone = World(few, tmp_path / "alone", tiny_models_dir)
    with alone.engine() as engine:
        alone.index(engine)
        texts = len(engine.catalog.docs.expected())
    answers(many)
    with many.engine() as engine:
        assert texts == len(engine.catalog.docs.expected())
        assert engine.store.known_docs().tolist() == sorted(engine.catalog.docs.expected())
        assert sum(engine.catalog.files.counts().values()) == 2


def test_a_repeated_run_builds_nothing_and_a_new_file_its_shard(
    documents: Path, options: BuildOptions, uri: str
) -> None:
    first = build(uri, [str(documents)], options)
    again = build(uri, [str(documents)], options)
    assert again == Built(first.version, len(first.version.shards))
    (documents / "new.txt").write_text(text(40))
    after = build(uri, [str(documents)], options)
    assert after.version.number == 2
    assert after.kept >= len(first.version.shards) - 1


def test_a_killed_worker_is_replaced(
    documents: Path, options: BuildOptions, uri: str, tmp_path: Path, tiny_models_dir: Path
) -> None:
    done: list[Built] = []
    thread = threading.Thread(target=lambda: done.append(build(uri, [str(documents)], options)))
    thread.start()
    workers: list[psutil.Process] = []

    def found() -> bool:
        workers[:] = [
            each
            for each in psutil.Process().children()
            if each.is_running() and "shard" in each.cmdline()
        ]
        return bool(workers)

    wait_for(found)
    workers[0].send_signal(signal.SIGKILL)
    thread.join(2 * WAIT_S)
    assert len(done) == 1
    assert joined(uri, tmp_path, tiny_models_dir).library.exists()
    assert is_left(options.scratch) == []


def test_a_worker_that_is_always_killed_is_said(
    documents: Path, options: BuildOptions, uri: str
) -> None:
    script = "import os; os.kill(os.getpid(), 9)"
    with pytest.raises(WorldError, match="ended with status -9"):
        build(uri, [str(documents)], replace(options, command=(sys.executable, "-c", script)))
    assert latest_version(ObjectStore(uri)) is None
    assert is_left(options.scratch) == []


def test_a_killed_coordinator_is_repeated(
    documents: Path, options: BuildOptions, uri: str, tmp_path: Path, tiny_models_dir: Path
) -> None:
    command = [sys.executable, "-m", "app", "cluster", "build", str(documents / "below"), "--to"]
    command += [uri, "--model", TINY, "--shard-mb", "0", "--scratch", options.scratch]
    with subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL) as process:
        try:
            wait_for(lambda: bool(notes(uri)))
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    assert latest_version(ObjectStore(uri)) is None
    kept = len(notes(uri))
    done = subprocess.run(
        [*command, "--workers", "2", "--json"],
        stdout=subprocess.PIPE,
        check=True,
        timeout=2 * WAIT_S,
    )
    assert f'"kept": {kept}'.encode() in done.stdout
    assert joined(uri, tmp_path, tiny_models_dir).library.exists()


def test_of_two_coordinators_the_library_is_whole(
    documents: Path, options: BuildOptions, uri: str, tmp_path: Path, tiny_models_dir: Path
) -> None:
    outcomes: list[str] = []

    def run() -> None:
        try:
            outcomes.append(str(build(uri, [str(documents)], options).version.number))
        except WorldError as error:
            outcomes.append(error.code)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "1" in outcomes
    assert set(outcomes) <= {"1", "2", "store_failed"}
    assert joined(uri, tmp_path, tiny_models_dir).library.exists()


def test_half_a_shard_is_built_again(
    documents: Path, options: BuildOptions, uri: str, tmp_path: Path, tiny_models_dir: Path
) -> None:
    with pytest.raises(Cancelled):
        build(uri, [str(documents)], options, lambda: bool(ObjectStore(uri).sizes("shards")))
    assert not latest_version(ObjectStore(uri))
    assert ObjectStore(uri).sizes("shards")
    build(uri, [str(documents)], options)
    assert joined(uri, tmp_path, tiny_models_dir).library.exists()
    assert is_left(options.scratch) == []


def test_a_source_that_changes_costs_the_document_until_the_next_run(
    documents: Path, options: BuildOptions, uri: str
) -> None:
    found, _ = listed([str(documents)])
    shard = planned(found, READER, options.shard_bytes)[0]
    changed = documents / shard.documents[0].path
    changed.write_text("A text that came after the plan.")
    made = build_shard(ShardJob(uri, shard, options))
    assert LeftOut(str(changed), "changed") in made.failed
    assert made.documents < len(shard.documents)
    assert notes(uri) == {}
    version = build(uri, [str(documents)], options).version
    assert not any(each.code == "changed" for one in version.shards for each in one.failed)


def test_a_full_scratch_disk_is_said(documents: Path, options: BuildOptions, uri: str) -> None:
    large = SourceFile(str(documents), "large.txt", 1 << 60, "mark")
    (shard,) = planned([large], READER)
    with pytest.raises(WorldError) as raised:
        build_shard(ShardJob(uri, shard, options))
    assert raised.value.code == "disk_full"
    settings = Path(os.environ["XDG_CONFIG_HOME"], "lectern", "settings.json")
    settings.write_text('{"min_free_gb": 1000}')
    with pytest.raises(WorldError) as raised:
        build(uri, [str(documents)], options)
    assert raised.value.code in {"disk_full", "bad_setting"}
    assert latest_version(ObjectStore(uri)) is None
    assert is_left(options.scratch) == []


def test_a_scratch_disk_that_fills_is_said(
    documents: Path, options: BuildOptions, uri: str, tmp_path: Path, mounter: Mounter
) -> None:
    (tmp_path / "scratch").mkdir()
    mounter.memory(1, tmp_path / "scratch")  # room for the documents, not for a library
    with pytest.raises(WorldError) as raised:
        build(uri, [str(documents)], options)
    assert raised.value.code == "disk_full"
    assert latest_version(ObjectStore(uri)) is None
    assert is_left(options.scratch) == []
    mounter.unmount(tmp_path / "scratch")
    assert build(uri, [str(documents)], options).version.number == 1


def test_a_lost_network_is_said_and_a_repeated_run_goes_on(
    documents: Path, options: BuildOptions, uri: str, tmp_path: Path, link: Link
) -> None:
    link.cut_at(b"/archive/built/")
    with pytest.raises(WorldError) as raised:
        build(uri, [str(documents)], options)
    assert link.is_cut
    assert raised.value.code == "store_failed"
    assert is_left(options.scratch) == []
    link.mend()
    assert latest_version(ObjectStore(uri)) is None
    link.lose_answer_to(b"/archive/versions/0000000001 HTTP")  # which was written, all the same
    assert build(uri, [str(documents)], options).version.number == 1
    link.cut_at(b"texts.sqlite HTTP")
    with pytest.raises(WorldError) as raised:
        pull(uri, tmp_path / "pulled")
    assert link.is_cut
    assert raised.value.code == "store_failed"
    assert not list(tmp_path.glob("pulled*"))
    link.mend()
    assert pull(uri, tmp_path / "pulled").is_dir()


def test_what_killed_workers_left_goes_in_the_end(
    documents: Path, options: BuildOptions, uri: str
) -> None:
    old, new = (Path(options.scratch, f"lectern-shard-{name}") for name in ("old", "new"))
    for left in (old, new):
        left.mkdir(parents=True)
    os.utime(old, (0, 0))
    build(uri, [str(documents / "below")], replace(options, shard_bytes=1 << 20))
    assert is_left(options.scratch) == [new.name]


class Expired(BaseHTTPRequestHandler):
    """Refuses every request as S3 does once a token has expired."""

    def _refuse(self) -> None:
        body = b"<Error><Code>ExpiredToken</Code><Message>The token has expired.</Message></Error>"
        self.send_response(403)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = do_HEAD = do_POST = _refuse  # noqa: N815  # as the server calls them

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def expired(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Expired)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    for name, value in environment(server.server_port).items():
        monkeypatch.setenv(name, value)
    yield "s3://firm/archive"
    server.shutdown()
    thread.join()
    server.server_close()


def test_expired_credentials_are_said(documents: Path, options: BuildOptions, expired: str) -> None:
    with pytest.raises(WorldError) as raised:
        build(expired, [str(documents)], options)
    assert raised.value.code == "store_failed"
    assert is_left(options.scratch) == []


def test_a_flipped_byte_in_a_shard_is_found(
    documents: Path, options: BuildOptions, uri: str, tmp_path: Path
) -> None:
    build(uri, [str(documents)], options)
    store = ObjectStore(uri)
    name, size = max(store.sizes("shards").items(), key=lambda each: each[1])
    content = bytearray(b"".join(store.read(f"shards/{name}", size)))
    content[size // 2] ^= 1
    store.write(f"shards/{name}", bytes(content))
    with pytest.raises(WorldError, match="damaged"):
        pull(uri, tmp_path / "pulled")
    assert not (tmp_path / "pulled").exists()
    assert not list(tmp_path.glob("*.part"))


def test_old_shards_go_after_the_grace_period_and_not_before(
    documents: Path, options: BuildOptions, uri: str, tmp_path: Path
) -> None:
    first = build(uri, [str(documents)], options).version
    (documents / "new.txt").write_text(text(41))
    second = build(uri, [str(documents)], options).version
    store = ObjectStore(uri)
    gone = {shard.name for shard in first.shards} - {shard.name for shard in second.shards}
    assert gone
    there = {name.split("/")[0] for name in store.sizes("shards")}
    assert gone < there  # whoever reads the first version goes on
    assert forget_old(store, options.grace_s) == 0
    assert forget_old(store, options.grace_s, time.time() + options.grace_s + 60) > 0
    there = {name.split("/")[0] for name in store.sizes("shards")}
    assert there == {shard.name for shard in second.shards}
    assert list(store.sizes("versions")) == ["0000000002"]
    pull(uri, tmp_path / "pulled")


def test_shards_are_kept_within_a_size(
    documents: Path,
    options: BuildOptions,
    uri: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cache = tmp_path / "cache"
    first = build(uri, [str(documents)], options).version
    one = pull(uri, cache, by_name=True)
    (documents / "new.txt").write_text(text(42))
    second = build(uri, [str(documents)], options).version
    assert pull(uri, cache, by_name=True) != one
    used = {shard.name[:32] for shard in second.shards}
    assert {path.name for path in (cache / "shards").iterdir()} > used
    monkeypatch.setattr(exchange, "CACHE_BYTES", 0)
    (documents / "new.txt").unlink()
    build(uri, [str(documents)], options)
    (cache / first.name[:32]).rename(tmp_path / "elsewhere")
    pull(uri, cache, by_name=True)
    kept = {path.name for path in (cache / "shards").iterdir()}
    assert kept == {shard.name[:32] for shard in first.shards}


def test_ray_builds_it_too_and_replaces_a_killed_worker(
    documents: Path, options: BuildOptions, uri: str, tmp_path: Path, tiny_models_dir: Path
) -> None:
    pytest.importorskip("ray", reason="it comes with lectern[cluster]")
    # What Ray prints and warns of is its own, so it gets a process.
    command = [sys.executable, "-m", "app", "cluster", "build", str(documents / "below"), "--to"]
    command += [uri, "--model", TINY, "--shard-mb", "0", "--scratch", options.scratch]
    killed: set[int] = set()

    def kill_one() -> bool:
        for each in psutil.Process(process.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if each.name().startswith("ray::build_told") and not killed:
                    each.kill()
                    killed.add(each.pid)
        return bool(killed) or process.poll() is not None

    with subprocess.Popen([*command, "--ray", "local", "--workers", "2"]) as process:
        try:
            wait_for(kill_one, 3 * WAIT_S)
            assert process.wait(3 * WAIT_S) == 0
        finally:
            process.kill()
    assert killed
    assert len(notes(uri)) == 6
    assert joined(uri, tmp_path, tiny_models_dir).library.exists()
