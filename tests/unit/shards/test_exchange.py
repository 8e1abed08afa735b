"""Libraries published below a URI and pulled from there, in a folder and on moto's S3 server."""

from __future__ import annotations

import sqlite3
import threading
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import Cancelled, WorldError
from indexer.api.private_files import LibraryLock
from indexer.catalog.catalog import Catalog
from indexer.library.library import CATALOG_NAME
from indexer.shards import exchange
from indexer.shards.exchange import carry, latest_version, publish, pull
from indexer.shards.object_store import ObjectStore, is_uri
from indexer.store.texts import TEXTS_NAME
from tests.object_storage import environment, new_bucket

if TYPE_CHECKING:
    from pathlib import Path

obstore = pytest.importorskip("obstore", reason="it comes with lectern[cluster]")


# moto is there in `make test-slow` alone.
@pytest.fixture(params=["folder", pytest.param("s3", marks=pytest.mark.slow)])
def uri(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "folder":
        return f"file://{tmp_path / 'published'}"
    port: int = request.getfixturevalue("s3")
    for name, value in environment(port).items():
        monkeypatch.setenv(name, value)
    return f"s3://{new_bucket(port)}/archive"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    folder.mkdir()
    (tmp_path / "documents").mkdir()
    catalog = Catalog(folder / CATALOG_NAME)
    catalog.roots.add_root(tmp_path / "documents")
    catalog.close()
    (folder / "index" / "words").mkdir(parents=True)
    (folder / "index" / "words" / "segment.idx").write_bytes(bytes(range(256)) * 300)
    (folder / "index" / "words" / ".managed.json").write_text("[]")  # as tantivy names one
    (folder / "mine.txt").write_text("not of the library")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith("lock")
    }


def objects(uri: str) -> dict[str, int]:
    return ObjectStore(uri).sizes("shards") | ObjectStore(uri).sizes("versions")


def test_what_is_pulled_is_what_was_published(uri: str, library: Path, tmp_path: Path) -> None:
    assert publish(library, uri).number == 1
    pulled = pull(uri, tmp_path / "pulled")
    published = {name: part for name, part in contents(library).items() if name != "mine.txt"}
    assert contents(pulled) == published
    with pytest.raises(WorldError, match="not empty"):
        pull(uri, pulled)


def test_a_library_is_published_once_and_a_changed_one_beside_it(uri: str, library: Path) -> None:
    publish(library, uri)
    before = objects(uri)
    assert publish(library, uri).number == 1
    assert objects(uri) == before
    (library / "choices.json").write_text("{}")
    assert publish(library, uri).number == 2
    assert objects(uri).items() > before.items()


def test_what_sqlite_has_beside_its_file_is_published(
    uri: str, library: Path, tmp_path: Path
) -> None:
    with sqlite3.connect(library / TEXTS_NAME) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE rows (text TEXT)")
        writer.execute("INSERT INTO rows VALUES ('in the log')")
    assert (library / f"{TEXTS_NAME}-wal").stat().st_size
    publish(library, uri)
    writer.close()
    read = sqlite3.connect(pull(uri, tmp_path / "pulled") / TEXTS_NAME)
    assert read.execute("SELECT text FROM rows").fetchall() == [("in the log",)]
    read.close()


def test_a_killed_upload_is_repeated_and_nobody_sees_half(
    uri: str, library: Path, tmp_path: Path
) -> None:
    answers = iter([False, True])
    with pytest.raises(Cancelled):
        publish(library, uri, lambda: next(answers))
    assert ObjectStore(uri).sizes("shards")
    with pytest.raises(WorldError) as raised:
        pull(uri, tmp_path / "pulled")
    assert raised.value.code == "path_missing"
    assert publish(library, uri).number == 1
    assert pull(uri, tmp_path / "pulled").exists()


def test_of_two_that_publish_at_once_one_wins(uri: str, library: Path) -> None:
    store = ObjectStore(uri)
    shard = exchange.described(library)
    ready = threading.Barrier(2)
    outcomes: list[str] = []

    def commit(who: str) -> None:
        ready.wait()
        try:
            outcomes.append(str(exchange.commit(store, None, (shard,), who).number))
        except WorldError as error:
            outcomes.append(error.code)

    threads = [threading.Thread(target=commit, args=(who,)) for who in ("anna", "bert")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["1", "store_failed"]


@pytest.mark.parametrize("part", ["shards", "versions"])
def test_one_flipped_byte_is_found(uri: str, library: Path, tmp_path: Path, part: str) -> None:
    publish(library, uri)
    store = ObjectStore(uri)
    name, size = max(store.sizes(part).items(), key=lambda item: item[1])
    content = bytearray(b"".join(store.read(f"{part}/{name}", size)))
    content[size // 2] ^= 1
    changed = tmp_path / "changed"
    changed.write_bytes(content)
    store.write(f"{part}/{name}", changed)
    with pytest.raises(WorldError, match="damaged"):
        pull(uri, tmp_path / "pulled")
    assert not (tmp_path / "pulled").exists()
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("name", ["../out", "/etc/out", "a/../../out", "a\\..\\out", ".ssh", ""])
def test_a_hostile_manifest_names_no_file_outside(library: Path, tmp_path: Path, name: str) -> None:
    uri = f"file://{tmp_path / 'published'}"
    shard = exchange.Shard("0" * 64, (exchange.ShardFile(name, 1, "0" * 64),))
    exchange.commit(ObjectStore(uri), None, (shard,))
    with pytest.raises(WorldError, match="not understood"):
        pull(uri, tmp_path / "pulled")


def test_a_library_in_use_is_not_published(library: Path, tmp_path: Path) -> None:
    with LibraryLock.acquire(library), pytest.raises(WorldError) as raised:
        publish(library, f"file://{tmp_path / 'published'}")
    assert raised.value.code == "library_locked"


def test_no_room_is_said_before_a_byte_is_copied(library: Path, tmp_path: Path) -> None:
    uri = f"file://{tmp_path / 'published'}"
    shard = exchange.Shard("0" * 64, (exchange.ShardFile("choices.json", 1 << 60, "0" * 64),))
    exchange.commit(ObjectStore(uri), None, (shard,))
    with pytest.raises(WorldError) as raised:
        pull(uri, tmp_path / "pulled")
    assert raised.value.code == "disk_full"
    assert not (tmp_path / "pulled").exists()


def test_folders_are_carried_to_where_they_are(library: Path, tmp_path: Path) -> None:
    there, here = str(tmp_path / "documents"), str(tmp_path / "elsewhere")
    carry(library, [(there, here)])
    catalog = Catalog(library / CATALOG_NAME)
    assert [root.path.decode() for root in catalog.roots.all()] == [here]
    catalog.close()
    with pytest.raises(WorldError) as raised:
        carry(library, [(there, here)])
    assert raised.value.code == "not_a_root"


def test_a_copy_named_by_its_content_is_made_once(uri: str, library: Path, tmp_path: Path) -> None:
    publish(library, uri)
    first = pull(uri, tmp_path / "cache", by_name=True)
    made = first.stat().st_ctime_ns
    assert pull(uri, tmp_path / "cache", by_name=True) == first
    assert first.stat().st_ctime_ns == made


def test_nothing_answers_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for uri in ("ftp://host/name", "s3://", f"file://{tmp_path / 'file' / 'below'}"):
        with pytest.raises(WorldError) as raised:
            latest_version(ObjectStore(uri))
        assert raised.value.code == "store_failed"


def test_a_uri_is_told_from_a_folder() -> None:
    assert is_uri("s3://firm/archive")
    assert not any(map(is_uri, ["/srv/s3", "C:\\s3", "s3", "file", "s3:/x"]))
