"""``lectern serve``: the calls, the pages, the guard around them, and hostile requests."""

from __future__ import annotations

import http.client
import json
import random
import socket
import threading
from typing import TYPE_CHECKING

import pymupdf
import pytest

from app.doors.access import Door
from app.doors.call_log import read_calls
from app.doors.http_server import ROUTES, description
from indexer.api.requests import Index
from tests.integration.doors import CONTRACTS, LEASE, PRIVATE, OpenDoors, open_doors
from tests.integration.serving_http import HttpServer, http_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory, tiny_models_dir: Path) -> Iterator[OpenDoors]:
    with open_doors(tmp_path_factory.mktemp("h"), tiny_models_dir) as opened:
        file = opened.world.documents / "contracts" / "plan.pdf"
        with pymupdf.open() as document:
            for number in range(3):
                page = document.new_page()
                page.insert_text((72, 100), f"The plan says on page {number + 1} what is built.")
            document.save(file)
        opened.engine.call(Index((file,)))
        yield opened


@pytest.fixture(scope="module")
def server(doors: OpenDoors) -> Iterator[HttpServer]:
    doors.allow("serve", CONTRACTS)
    with http_server(doors) as running:
        yield running


def test_scripts_search_read_and_compare(doors: OpenDoors, server: HttpServer) -> None:
    found = server.json("/api/search", {"q": "who mends the roof", "limit": 5})
    (outcome,) = found["collections"]
    hit = next(one for one in outcome["passages"] if one["path"].endswith("lease.txt"))
    assert hit["text"] == LEASE
    asked = {"document": hit["document"], "start": hit["start"], "end": hit["end"]}
    read = server.json("/api/read", {**asked, "hash": hit["hash"]})
    assert read["verified"] is True
    documents = server.json("/api/documents", {"type": ["txt", "md"]})["collections"][0]
    assert documents["total"] == 3
    first, second = (doors.path(f"contracts/{name}.txt") for name in ("lease", "order"))
    assert server.json("/api/compare", {"first": first, "second": second})["only_first"]
    assert server.json("/api/similar", {"document": first})["collections"]
    assert server.json("/api/status")["collections"][0]["collection"] == CONTRACTS
    assert read_calls(1)[0]["door"] == Door.SERVE


def test_a_page_is_an_image_with_the_places_of_the_passage(
    doors: OpenDoors, server: HttpServer
) -> None:
    plan = doors.path("contracts/plan.pdf")
    (outcome,) = server.json("/api/search", {"q": '"on page 2 what is built"'})["collections"]
    hit = next(one for one in outcome["passages"] if one["path"] == plan)
    asked = {"document": hit["document"], "page": 2, "start": hit["start"], "end": hit["end"]}
    place = server.json("/api/page", asked)
    assert (place["count"], place["page"]) == (3, 2)
    assert place["boxes"]
    for box in place["boxes"]:
        assert 0 <= box["left"] <= box["left"] + box["width"] <= 1
        assert 0 <= box["top"] <= box["top"] + box["height"] <= 1
    wanted = {"document": hit["document"], "page": 2, "width": 300}
    status, image = server.ask("/api/page.png", wanted)
    assert status == 200
    shown = pymupdf.Pixmap(image)
    assert shown.width == 300
    assert len(set(shown.samples)) > 2
    text = server.json("/api/page", {"document": doors.path("contracts/lease.txt")})
    assert text["count"] == 0


def test_texts_are_embedded_in_the_common_convention(server: HttpServer) -> None:
    status, body = server.ask("/v1/embeddings", body=json.dumps({"input": ["a roof", "a boat"]}))
    assert status == 200
    data = json.loads(body)["data"]
    assert [one["index"] for one in data] == [0, 1]
    assert len(data[0]["embedding"]) == len(data[1]["embedding"]) > 0
    packed = {"input": "a roof", "encoding_format": "base64", "input_type": "query"}
    status, body = server.ask("/v1/embeddings", body=json.dumps(packed))
    assert status == 200
    assert isinstance(json.loads(body)["data"][0]["embedding"], str)


def test_the_calls_describe_themselves(server: HttpServer) -> None:
    told = server.json("/openapi.json")
    assert {one.path for one in ROUTES} < set(told["paths"])
    assert told == json.loads(json.dumps(description()))
    text = json.dumps(told)
    for name in told["components"]["schemas"]:
        assert f"#/components/schemas/{name}" in text
    status, body = server.ask("/opensearch.xml", headers={"Authorization": ""})
    assert status == 200
    assert f"http://127.0.0.1:{server.port}/?q={{searchTerms}}".encode() in body


def test_what_is_hidden_is_not_found(doors: OpenDoors, server: HttpServer) -> None:
    diary = doors.path("private/diary.txt")
    for path in ("/api/read", "/api/page", "/api/page.png", "/api/similar"):
        told = [server.ask(path, {"document": name})[0] for name in (diary, "/etc/passwd")]
        assert told == [404, 404]
    (outcome,) = server.json("/api/search", {"q": "zephyr", "collection": PRIVATE})["collections"]
    assert outcome["error"] == "unknown_collection"
    doors.allow("serve")
    try:
        assert server.ask("/api/search", {"q": "roof"})[0] == 403
        assert server.ask("/v1/embeddings", body='{"input": "roof"}')[0] == 403
    finally:
        doors.allow("serve", CONTRACTS)


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("/api/search", {}),
        ("/api/search", {"q": ["a", "b"]}),
        ("/api/search", {"q": "x" * 3_000}),
        ("/api/search", {"q": "roof", "limit": "9" * 5_000}),
        ("/api/search", {"q": "roof", "limit": "-1"}),
        ("/api/search", {"q": "roof", "limit": "\u0663"}),
        ("/api/search", {"q": "roof", "collection": ["x"] * 60}),
        ("/api/page.png", {"document": "x", "width": 10**9}),
        ("/api/read", {"document": "/x", "start": "0x10"}),
    ],
)
def test_wrong_values_are_refused(server: HttpServer, path: str, values: dict[str, object]) -> None:
    assert server.ask(path, values)[0] in {400, 404}


@pytest.mark.parametrize("body", ["", "{", "[]", "{}", '{"input": 5}', '{"input": [1]}',
                                  '{"input": []}', '{"input": " "}', "[" * 100_000])  # fmt: skip
def test_wrong_bodies_are_refused(server: HttpServer, body: str) -> None:
    assert server.ask("/v1/embeddings", body=body)[0] == 400


def test_garbage_on_the_socket_ends_nothing(server: HttpServer) -> None:
    chance = random.Random(7)
    whole = (
        f"GET /api/search?q=roof HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        f"Authorization: Bearer {server.token}\r\nConnection: close\r\n\r\n"
    ).encode()
    for _ in range(60):
        spoilt = bytearray(whole)
        for _ in range(chance.randint(1, 8)):
            spoilt[chance.randrange(len(spoilt))] = chance.randrange(256)
        with socket.create_connection(("127.0.0.1", server.port), 10) as sending:
            sending.sendall(bytes(spoilt[: chance.randint(1, len(spoilt))]))
            sending.shutdown(socket.SHUT_WR)
    long = b"GET /" + b"x" * 200_000 + b" HTTP/1.1\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), 10) as sending:
        sending.sendall(long[:60_000])
    assert server.ask("/openapi.json")[0] in {200, 429}


def test_a_server_that_is_killed_loses_no_answer_that_was_given(doors: OpenDoors) -> None:
    doors.allow("serve", CONTRACTS)
    answered: list[int] = []
    with http_server(doors) as first:
        port, token = first.port, first.token

        def load() -> None:
            try:
                while True:
                    status, body = first.ask("/api/search", {"q": "roof"})
                    json.loads(body)
                    answered.append(status)
            except (OSError, http.client.HTTPException):
                return  # the kill cut this answer, which was not given

        threads = [threading.Thread(target=load) for _ in range(4)]
        for thread in threads:
            thread.start()
        first.ask("/api/search", {"q": "the landlord"})
        first.process.kill()
        for thread in threads:
            thread.join()
    assert set(answered) <= {200, 429}
    with http_server(doors, port) as second:
        assert second.token == token
        assert second.ask("/api/search", {"q": "roof"})[0] == 200
