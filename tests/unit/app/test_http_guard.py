"""The guard of ``lectern serve``: hosts, origins, the token, sizes and rates."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.doors import http_guard, users
from app.doors.http_guard import BURST, LOOPBACK, MAX_BODY, Guard, read_token
from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from pathlib import Path

HOST = (b"host", b"127.0.0.1:7777")
TOKEN = (b"authorization", b"Bearer secret")
ORIGINS = tuple(f"http://{name}:7777" for name in LOOPBACK)


def ask(
    guard: Guard, *headers: tuple[bytes, bytes], path: str = "/api/search", body: bytes = b""
) -> int:
    """Send a request to a guard in front of an application that reads it, and return the status."""
    sent: list[Any] = []
    parts = [body[at : at + 65_536] for at in range(0, len(body), 65_536)] or [b""]

    async def receive() -> Any:
        part = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "path": path, "headers": list(headers), "method": "GET"}
    anyio.run(guard, scope, receive, send)
    names = {name for name, _ in sent[0]["headers"]}
    assert b"content-security-policy" in names
    assert b"access-control-allow-origin" not in names
    return int(sent[0]["status"])


async def application(_scope: Any, receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def guard() -> Guard:
    return made_guard()


def made_guard() -> Guard:
    return Guard(application, ORIGINS, "secret")


def test_only_the_token_opens_what_is_private(guard: Guard) -> None:
    assert ask(guard, HOST, TOKEN) == 200
    assert ask(guard, HOST) == 401
    for value in (b"Bearer wrong", b"Bearer ", b"secret", b"Basic secret", b"Bearer secret\xff"):
        assert ask(guard, HOST, (b"authorization", value)) == 401
    assert ask(guard, HOST, TOKEN, TOKEN) == 401
    assert ask(guard, HOST, path="/v1/embeddings") == 401
    assert ask(guard, HOST, path="/") == 200


@pytest.mark.parametrize(
    "host", [b"evil.example:7777", b"127.0.0.1", b"127.0.0.1:80", b"localhost.evil:7777", b""]
)
def test_a_name_that_points_here_is_refused(guard: Guard, host: bytes) -> None:
    assert ask(guard, (b"host", host), TOKEN) == 421
    assert ask(guard, TOKEN) == ask(guard, HOST, (b"host", host), TOKEN) == 421


@pytest.mark.parametrize(
    "origin", [b"http://evil.example", b"null", b"https://127.0.0.1:7777", b"http://127.0.0.1"]
)
def test_a_page_of_another_site_is_refused(guard: Guard, origin: bytes) -> None:
    assert ask(guard, HOST, TOKEN, (b"origin", origin)) == 403
    assert ask(guard, HOST, TOKEN, (b"origin", b"http://127.0.0.1:7777")) == 200
    assert ask(guard, HOST, TOKEN, (b"sec-fetch-site", b"cross-site")) == 403


def test_a_body_is_limited_whatever_it_says_of_itself(guard: Guard) -> None:
    long = b"x" * (MAX_BODY + 1)
    assert ask(guard, HOST, TOKEN, body=long) == 413
    assert ask(guard, HOST, TOKEN, (b"content-length", b"5"), body=long) == 413
    for length in (str(MAX_BODY + 1).encode(), b"-1", b"1e3", b"9" * 5_000, b"\xb2"):
        assert ask(guard, HOST, TOKEN, (b"content-length", length)) == 413
    assert ask(guard, HOST, TOKEN, body=long[:MAX_BODY]) == 200


def test_requests_are_limited_in_number(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1.0]
    monkeypatch.setattr("app.doors.http_guard.time.monotonic", lambda: now[0])
    said = [guard._within_rate("") for _ in range(int(BURST) + 10)]
    assert said == [True] * int(BURST) + [False] * 10
    assert guard._within_rate("anna")  # each user has requests of their own
    now[0] += 0.5
    assert sum(guard._within_rate("") for _ in range(100)) == 25


@given(
    headers=st.lists(st.tuples(st.sampled_from([
        b"host", b"origin", b"authorization", b"content-length", b"sec-fetch-site", b"x",
    ]), st.binary(max_size=60)), max_size=6),
    path=st.text(max_size=30).map(lambda text: f"/api/{text}"),
)  # fmt: skip
def test_nothing_opens_without_the_token(headers: list[tuple[bytes, bytes]], path: str) -> None:
    guard = made_guard()
    assert ask(guard, *headers, path=path) in {401, 403, 413, 421}


def test_the_token_is_for_its_owner_and_can_be_renewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.paths.data_folder", lambda: tmp_path / "data")
    token = read_token()
    file = http_guard.token_file()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert read_token() == token
    assert len(token) > 40
    assert read_token(new=True) == read_token() != token
    file.chmod(0o644)
    with pytest.raises(WorldError) as caught:
        read_token()
    assert caught.value.code == "path_denied"


def test_a_user_is_known_by_the_token_until_it_is_taken_back(
    guard: Guard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.paths.data_folder", lambda: tmp_path / "data")
    token = users.allow_user("anna", ["Contracts"])
    header = (b"authorization", f"Bearer {token}".encode())
    assert ask(guard, HOST, header) == 200
    assert users.allow_user("anna", ["Leases"]) == ""
    owner = guard._users.owner(token.encode())
    assert owner is not None
    assert owner.access is not None
    assert (owner.name, owner.access.allowed) == ("anna", ("Contracts", "Leases"))
    file = users.users_file()
    assert token not in file.read_text("utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    users.deny_user("anna", ["contracts"])
    assert users.read_users()["anna"].collections == ("Leases",)
    users.deny_user("anna", [])
    assert ask(guard, HOST, header) == 401


@pytest.mark.parametrize("content", ["", "[]", "[" * 100_000, '{"anna": {}}', '{"anna": 3}'])
def test_users_that_cannot_be_read_are_nobody_and_are_kept(
    guard: Guard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    monkeypatch.setattr("app.paths.data_folder", lambda: tmp_path)
    users.users_file().write_text(content, "utf-8")
    assert ask(guard, HOST, (b"authorization", b"Bearer x")) == 401
    assert ask(guard, HOST, TOKEN) == 200
    with pytest.raises(WorldError) as caught:
        users.allow_user("berta", ["Contracts"])
    assert caught.value.code == "path_denied"
    assert users.users_file().read_text("utf-8") == content


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 61])
def test_the_name_of_a_user_is_printable_and_short(name: str) -> None:
    with pytest.raises(WorldError) as caught:
        users.allow_user(name, ["Contracts"])
    assert caught.value.code == "bad_usage"
