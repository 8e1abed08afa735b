"""Whatever stands in a request, the real engine answers it, without a fault of its own."""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import struct
from typing import TYPE_CHECKING, Any

import pytest

from indexer.api.contract import Request
from indexer.api.requests import SetPace, Watch
from indexer.api.status import Speed
from indexer.engine.engine import Engine
from indexer.server.service import Host, Service
from tests.integration.speaking import attached, greeted, receive
from tests.integration.world import PACE, World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.api.codec import Header
    from indexer.api.endpoint import MessageStream

# Every field there is, with something that makes sense.
FIELDS: dict[str, dict[str, Any]] = {
    "search": {
        "text": "zephyr", "limit": 5, "explain": False, "full_text": True, "within": "",
    },
    "list_documents": {"filters": "", "within": "", "paths": [], "offset": 0, "limit": 5},
    "read_passages": {"path": "/nowhere", "start": 0, "end": 0, "page": 0, "most": 9},
    "embed_texts": {"texts": ["zephyr"], "passages": False},
    "index": {"paths": [], "rescan": False, "scan": False, "patterns": None, "kept": False},
    "remove": {"paths": ["/nowhere"]},
    "list_files": {
        "state": None,
        "root": None,
        "offset": 0,
        "limit": 5,
        "order": "path",
        "text": "",
    },
    "estimate_index": {"paths": ["/nowhere"], "patterns": None},
    "retry": {"paths": ["/nowhere"]},
    "unlock": {"path": "/nowhere", "password": "sesame"},
    "set_patterns": {"root": "/nowhere", "patterns": None},
    "watch": {"on": None},
    "set_pace": {"speed": None, "paused": None, "typing": None},
    "get_document": {"path": "/nowhere"},
    "explain": {"text": "zephyr", "path": "/nowhere", "start": 0},
    "compare": {"first": "/nowhere", "second": "/nowhere", "limit": 0},
    "bench_model": {"model": "nowhere", "precision": "int8"},
    "reindex": {"model": None, "precision": None},
    "estimate_reindex": {"model": None, "precision": None},
}  # fmt: skip
# Surrogates that stand for bytes of names, and ones that stand for nothing; long names; lists of
# everything; what Python's paths and SQLite do not take.
TEXTS = [
    "", "\0", "a\0b", "/a\0b", "\ud800", "/\ud800", "/\udcff", "\udcff", "x" * 20_000,
    "/" + "x" * 5_000, "/" + "x/" * 5_000, '"', "'", "%", "(" * 5_000, "NEAR(a b", "in:", "-",
    "like:/nowhere", "page:99999999999999999999", "date:99999", "\u202e\uffff\U0010ffff", "\r\n",
    "before:0000-00-00", "larger:99999999999999999999gb", '"\ud800"', "like:\ud800", "in:/\0",
]  # fmt: skip
VALUES: list[Any] = [
    *TEXTS, *([text] for text in TEXTS), [[]], [{}], {}, {"a": 1}, True, None, -1, 1.5, 10**300,
    ["/nowhere"] * 20_000,
]  # fmt: skip


@pytest.fixture(scope="module")
def served(indexed: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A copy of the common library, behind a real service over the real engine."""
    folder = tmp_path_factory.mktemp("s")
    world = indexed.copy(folder / "library")
    (folder / "run").mkdir(mode=0o700)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_RUNTIME_DIR", str(folder / "run"))
        engine = Engine.open(world.config, batches=PACE)
        with contextlib.closing(Host(engine, Service(engine, world.library))):
            yield world


def answer(connection: MessageStream) -> Header:
    while (header := receive(connection))["type"] == "progress":
        pass
    return header


@pytest.mark.parametrize("kind", [kind for kind in Request.kinds if kind != "shutdown"])
def test_every_request_is_answered_whatever_stands_in_it(
    kind: str, served: World, caplog: pytest.LogCaptureFixture
) -> None:
    faults: list[str] = []
    with contextlib.closing(greeted(served.library)) as connection:
        fields = FIELDS.get(kind, {"": None})
        for number, (name, value) in enumerate(itertools.product(fields, VALUES)):
            request = {"type": kind, "id": number, **FIELDS.get(kind, {}), name: value}
            header = json.dumps(request).encode()
            connection.send_bytes(struct.pack(">I", len(header)) + header)
            said = answer(connection)
            assert said["id"] == number
            if said["type"] == "error" and said["error"]["code"] == "internal":
                faults.append(f"{name}={value!r:.60}: {said['error']['message']}")
    faults += [each.getMessage() for each in caplog.records if each.levelno >= logging.ERROR]
    assert not faults
    with contextlib.closing(attached(served.library)) as client:
        client.call(SetPace(Speed.NORMAL, paused=False))
        client.call(Watch(on=False))
