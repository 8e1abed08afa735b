"""What lies below a URI is wrong, or its server refuses: it is said, and nothing is made."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from indexer.api.codec import encode
from indexer.api.errors import WorldError
from indexer.catalog.catalog import Catalog
from indexer.library.library import CATALOG_NAME
from indexer.shards import exchange
from indexer.shards.build import BuildOptions, build, forget_old
from indexer.shards.exchange import Shard, ShardFile, publish, pull
from indexer.shards.object_store import ObjectStore, checked
from indexer.shards.sources import listed, normal, planned

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("obstore", reason="it comes with lectern[cluster]")
KEY, SECRET = "AKIAFIRMOFTHEKEY", "wJalrXUtnFEMIsecret"


@pytest.fixture
def store(tmp_path: Path) -> ObjectStore:
    return ObjectStore(f"file://{tmp_path / 'published'}")


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    folder.mkdir()
    Catalog(folder / CATALOG_NAME).close()
    return folder


def refused(uri: str, folder: Path) -> str:
    with pytest.raises(WorldError) as raised:
        pull(uri, folder / "pulled")
    assert raised.value.code == "store_failed"
    assert not (folder / "pulled").exists()
    assert not list(folder.glob("*.part"))
    return raised.value.message


def test_a_half_written_manifest_is_no_version(
    store: ObjectStore, library: Path, tmp_path: Path
) -> None:
    publish(library, store.uri)
    (size,) = store.sizes("versions").values()
    whole = b"".join(store.read("versions/0000000001", size))
    store.write("versions/0000000002", whole[: size // 2])
    assert "0000000002 is damaged" in refused(store.uri, tmp_path)


def test_what_else_is_among_the_manifests_is_no_version(
    store: ObjectStore, library: Path, tmp_path: Path
) -> None:
    publish(library, store.uri)
    for name in ("README", "0000000002.part", "00000000022", "a/0000000003"):
        store.write(f"versions/{name}", b"something else")
    assert forget_old(store, 0.0, now=0.0) == 0
    assert pull(store.uri, tmp_path / "pulled").exists()


def test_a_shard_with_the_bytes_of_another_is_found(
    store: ObjectStore, library: Path, tmp_path: Path
) -> None:
    (library / "choices.json").write_text('{"a": 1}')
    first = publish(library, store.uri).shards[0].name
    (library / "choices.json").write_text('{"b": 2}')
    second = publish(library, store.uri).shards[0].name
    for name, size in store.sizes(f"shards/{first}").items():
        content = b"".join(store.read(f"shards/{first}/{name}", size))
        store.write(f"shards/{second}/{name}", content)
    assert "damaged" in refused(store.uri, tmp_path)


def test_an_object_that_is_shorter_than_was_published_is_said(
    store: ObjectStore, library: Path, tmp_path: Path
) -> None:
    name = publish(library, store.uri).shards[0].name
    store.write(f"shards/{name}/{CATALOG_NAME}", b"short")
    refused(store.uri, tmp_path)


@pytest.fixture
def noted(store: ObjectStore, tmp_path: Path) -> tuple[list[str], str, BuildOptions]:
    """A source whose shards are all noted as built, so that no worker is needed."""
    source = tmp_path / "documents"
    source.mkdir()
    for number in range(8):
        (source / f"{number}.txt").write_text(f"Document {number}. " * 20)
    options = BuildOptions(("false",), "tiny fp32 1", shard_bytes=1_000)
    found, _ = listed([str(source)])
    names = []
    for number, each in enumerate(planned(found, options.reader, options.shard_bytes)):
        shard = Shard(f"{number:064x}", (ShardFile(CATALOG_NAME, 1, "0" * 64),), 1, 1)
        store.write(f"built/{each.name}", json.dumps(encode(shard)).encode())
        names.append(each.name)
    assert len(names) > 1
    return names, str(source), options


def test_notes_that_are_as_they_were_are_committed(
    store: ObjectStore, noted: tuple[list[str], str, BuildOptions]
) -> None:
    names, source, options = noted
    assert build(store.uri, [source], options).kept == len(names)


@pytest.mark.parametrize(
    ("note", "said"),
    [
        (b"", "delete it"),
        (b'{"name": "', "delete it"),
        (b"[]", "delete it"),
        (json.dumps(encode(Shard("../../other", ()))).encode(), "delete it"),
        (
            json.dumps(encode(Shard("0" * 64, (ShardFile("../out", 1, "0" * 64),)))).encode(),
            "delete it",
        ),
        (None, "two of the notes"),
    ],
)
def test_a_note_that_is_wrong_is_never_committed(
    store: ObjectStore,
    noted: tuple[list[str], str, BuildOptions],
    note: bytes | None,
    said: str,
) -> None:
    names, source, options = noted
    if note is None:  # the note of another shard, whose documents would be missing
        size = store.sizes("built")[names[0]]
        note = b"".join(store.read(f"built/{names[0]}", size))
    store.write(f"built/{names[1]}", note)
    with pytest.raises(WorldError, match=said):
        build(store.uri, [source], options)
    assert exchange.latest_version(store) is None


class Refusing(BaseHTTPRequestHandler):
    """Refuses every request, and repeats the credentials as some servers do."""

    def do_GET(self) -> None:
        body = f"<Error><Code>InvalidAccessKeyId</Code><Id>{KEY}</Id>{SECRET}</Error>".encode()
        self.send_response(403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def refusing() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def test_wrong_credentials_are_said_and_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with refusing() as port:
        monkeypatch.setenv("AWS_ENDPOINT", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
        monkeypatch.setenv("AWS_REGION", "us-east-1")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        said = refused("s3://firm/archive", tmp_path)
    assert "403" in said or "InvalidAccessKeyId" in said or "denied" in said.lower(), said
    assert KEY not in said
    assert SECRET not in said


@pytest.mark.parametrize("name", ["a shelf", "100% full", "ü", "a%20b"])
def test_a_place_may_have_spaces_and_signs(library: Path, tmp_path: Path, name: str) -> None:
    uri = f"file://{tmp_path}/{name.replace('%20', '%2520')}"
    publish(library, f"{uri}//")
    assert pull(f"{uri}/", tmp_path / "pulled").exists()
    assert (tmp_path / name / "versions").is_dir()
    assert normal(f"{uri}/") == str(tmp_path / name)


def test_a_uri_is_named_without_its_last_slash() -> None:
    assert checked("s3://firm/archive//") == "s3://firm/archive"
    assert checked("s3://firm") == checked("s3://firm/")
