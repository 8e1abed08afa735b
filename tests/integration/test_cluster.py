"""Libraries of many shards: built by real workers, committed, joined; and their accidents."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from indexer.api.errors import Cancelled, WorldError
from indexer.api.requests import Index, Search, Verify
from indexer.pipeline.parts import BatchSizes
from indexer.shards import exchange
from indexer.shards.build import BuildOptions, Built, ShardJob, build, build_shard, forget_old
from indexer.shards.exchange import latest_version, pull
from indexer.shards.object_store import ObjectStore
from indexer.shards.plan import planned
from indexer.shards.sources import LeftOut, SourceFile, listed
from tests.integration.world import World
from tests.tiny_model import TINY, install_tiny_model
from tests.waiting import WAIT_S, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("obstore", reason="it comes with lectern[cluster]")

ROOT = Path(__file__).resolve().parents[2]
READER = f"{TINY} fp32 1"
SUBJECTS = ("lease", "harbour", "engine", "orchard", "violin", "glacier", "market", "library")
QUESTIONS = (
    "who mends the roof of the harbour",
    "the engine of the orchard",
    '"number 3"',
    "violin market ext:txt",
    "glacier -lease",
    "when is the libary open",
)


def text(number: int) -> str:
    first, second = SUBJECTS[number % 8], SUBJECTS[number // 2 % 8]
    return "\n\n".join(
        f"This is number {number} on the {first}, part {part}. The keeper of the {second} mends "
        f"the roof on day {number * part}. Nobody but the {first} knows of the {second}."
        for part in range(1, 6)
    )


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    (folder / "below").mkdir(parents=True)
    for number in range(12):
        name = f"{'below/' * (number % 2)}{SUBJECTS[number % 8]}-{number}"
        (folder / f"{name}.txt").write_text(text(number))
    (folder / "copy.txt").write_text(text(3))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    return folder


@pytest.fixture
def options(tmp_path: Path, tiny_models_dir: Path, monkeypatch: pytest.MonkeyPatch) -> BuildOptions:
    for name in ("DATA", "CONFIG", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.delenv("LECTERN_LIBRARY", raising=False)
    install_tiny_model(tmp_path / "data" / "lectern" / "models")
    (tmp_path / "config" / "lectern").mkdir(parents=True)
    (tmp_path / "config" / "lectern" / "settings.json").write_text('{"min_free_gb": 0}')
    command = (sys.executable, "-m", "app", "--offline")
    scratch = str(tmp_path / "scratch")
    return BuildOptions(command, READER, workers=2, scratch=scratch, shard_bytes=3_000)


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return f"file://{tmp_path / 'published'}"


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
    made = build_shard(ShardJob(uri, shard, options.command, READER, options.scratch))
    assert LeftOut(str(changed), "changed") in made.failed
    assert made.documents < len(shard.documents)
    assert notes(uri) == {}
    version = build(uri, [str(documents)], options).version
    assert not any(each.code == "changed" for one in version.shards for each in one.failed)


def test_a_full_scratch_disk_is_said(documents: Path, options: BuildOptions, uri: str) -> None:
    large = SourceFile(str(documents), "large.txt", 1 << 60, "mark")
    (shard,) = planned([large], READER)
    with pytest.raises(WorldError) as raised:
        build_shard(ShardJob(uri, shard, options.command, READER, options.scratch))
    assert raised.value.code == "disk_full"
    settings = Path(os.environ["XDG_CONFIG_HOME"], "lectern", "settings.json")
    settings.write_text('{"min_free_gb": 1000}')
    with pytest.raises(WorldError) as raised:
        build(uri, [str(documents)], options)
    assert raised.value.code in {"disk_full", "bad_setting"}
    assert latest_version(ObjectStore(uri)) is None
    assert is_left(options.scratch) == []


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
    for name, value in {
        "AWS_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
    }.items():
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


def test_ray_builds_it_too(
    documents: Path, options: BuildOptions, uri: str, tmp_path: Path, tiny_models_dir: Path
) -> None:
    pytest.importorskip("ray", reason="it comes with lectern[cluster]")
    # What Ray prints and warns of is its own, so it gets a process.
    command = [sys.executable, "-m", "app", "cluster", "build", str(documents / "below"), "--to"]
    command += [uri, "--model", TINY, "--shard-mb", "0", "--scratch", options.scratch]
    subprocess.run([*command, "--ray", "local", "--workers", "2"], check=True, timeout=WAIT_S * 3)
    assert len(notes(uri)) == 6
    assert joined(uri, tmp_path, tiny_models_dir).library.exists()
