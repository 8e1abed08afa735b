"""``lectern serve``: the calls, the pages, the guard around them, and hostile requests."""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import socket
import ssl
import threading
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import TYPE_CHECKING

import pymupdf
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from app.doors.access import Door
from app.doors.call_log import read_calls
from app.doors.http_server import ROUTES, description
from indexer.api.requests import Index
from tests.integration.doors import CONTRACTS, LEASE, PRIVATE, OpenDoors, open_doors
from tests.integration.serving_http import HttpServer, http_server
from tests.waiting import WAIT_S

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
    assert {f"/api/{one.name}" for one in ROUTES} < set(told["paths"])
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


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def test_behind_a_proxy_each_user_sees_their_collections(doors: OpenDoors) -> None:
    said = doors.run("doors", "allow", "serve", PRIVATE, "--user", "anna")
    token = said.stderr.split()[-1]
    port = free_port()
    anna = {"Host": "archive.example.org", "Authorization": f"Bearer {token}"}
    with http_server(doors, port, "--behind-proxy", "--host", "archive.example.org") as server:
        assert server.address.startswith("https://archive.example.org/#token=")
        status, body = server.ask("/api/status", headers=anna)
        assert status == 200
        assert [one["collection"] for one in json.loads(body)["collections"]] == [PRIVATE]
        status, body = server.ask("/api/search", {"q": "the roof"}, headers=anna)
        (outcome,) = json.loads(body)["collections"]
        assert {one["path"] for one in outcome["passages"]} == {doors.path("private/diary.txt")}
        lease = {"document": doors.path("contracts/lease.txt")}
        assert server.ask("/api/read", lease, headers=anna)[0] == 404
        assert server.ask("/api/page.png", lease, headers=anna)[0] == 404
        assert read_calls(20)[-1]["door"] == Door.SERVE
        assert any(call["who"].startswith("anna, by ") for call in read_calls(20))
        origin = {**anna, "Origin": "https://archive.example.org"}
        assert server.ask("/api/status", headers=origin)[0] == 200
        origin["Origin"] = "http://archive.example.org"
        assert server.ask("/api/status", headers=origin)[0] == 403
        assert server.ask("/api/status", headers={**anna, "Host": "evil.example"})[0] == 421
        doors.run("doors", "deny", "serve", "--user", "anna")
        assert server.ask("/api/status", headers=anna)[0] == 401


def test_with_a_certificate_what_passes_is_encrypted(doors: OpenDoors, tmp_path: Path) -> None:
    certificate, key = certificate_of("127.0.0.1", tmp_path)
    trusted = ssl.create_default_context(cafile=str(certificate))
    named = ("--certificate", str(certificate), "--key", str(key))
    with http_server(doors, 0, *named, trusted=trusted) as server:
        assert server.address.startswith("https://127.0.0.1:")
        assert server.json("/api/status")["collections"]
        plain = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)
        with contextlib.closing(plain):
            plain.request("GET", "/")
            with pytest.raises((http.client.HTTPException, OSError)):
                plain.getresponse()
    key.write_text("no key")
    said = doors.run("serve", "--port", "0", *named, status=2)
    assert "the certificate or its key" in said.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--listen", "0.0.0.0"],  # noqa: S104  # which is what is refused
        ["--listen", "::"],
        ["--listen", "10.0.0.5"],
        ["--host", "archive.example.org"],
        ["--behind-proxy"],
        ["--listen", "localhost"],
        ["--behind-proxy", "--host", "a b"],
        ["--certificate", "cert.pem"],
        ["--certificate", "cert.pem", "--key", "key.pem", "--behind-proxy", "--host", "a.example"],
    ],
)
def test_it_is_not_reached_by_others_unencrypted(doors: OpenDoors, options: list[str]) -> None:
    said = doors.run("serve", "--port", "0", *options, status=2)
    assert "Serving" not in said.stderr


def certificate_of(address: str, folder: Path) -> tuple[Path, Path]:
    """Write a certificate of an address that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, address)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address(address))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = folder / "certificate.pem", folder / "key.pem"
    files[0].write_bytes(certificate.public_bytes(Encoding.PEM))
    files[1].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return files
