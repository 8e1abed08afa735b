"""Decides who may ask over HTTP, and how much: by hosts, origins, tokens, sizes and rates.

A page of another site can make a browser on this machine send requests to the loopback, and the
site's name can point there. So only listed hosts and origins may ask; private routes need a token.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse

from app import paths
from app.doors.users import TokenOwner, UserTokens
from indexer.api.errors import WorldError
from indexer.api.private_files import write_file

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY = 1 << 20
RATE, BURST = 50.0, 200.0  # requests a second, and the most at once
_MOST_COUNTED = 10_000  # the most users whose requests are counted
OWNER = "lectern.owner"  # the key of the ``TokenOwner`` in an ASGI scope
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_PRIVATE = ("/api/", "/v1/")
_HEADERS = {
    b"content-security-policy": b"default-src 'none'; script-src 'self'; style-src 'self'; "
    b"img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    b"frame-ancestors 'none'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"no-store",
    b"cross-origin-resource-policy": b"same-origin",
}


class BodyTooLargeError(Exception):
    """A body was longer than ``MAX_BODY``."""


def token_file() -> Path:
    return paths.data_folder() / "serve-token"


def read_token(*, new: bool = False) -> str:
    """Return the token of the person's programs; make it if it is missing, or anew if ``new``.

    Raises ``path_denied``, if others may read the file or it cannot be written.
    """
    file = token_file()
    try:
        if not new and file.exists():
            if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
                raise WorldError("path_denied", path=str(file))
            if token := file.read_text("ascii").strip():
                return token
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        token = secrets.token_urlsafe(32)
        write_file(file, f"{token}\n")
    except (OSError, ValueError) as error:
        raise WorldError("path_denied", path=str(file)) from error
    return token


class Guard:
    """An ASGI application that passes only permitted requests on to another application.

    ``OWNER`` of the scope says whose token a private request has. ``origins`` are the addresses by
    which clients may reach the server, such as ``http://127.0.0.1:7777``. ``token`` is the person's
    own; each user has another.
    """

    def __init__(self, app: ASGIApp, origins: Iterable[str], token: str) -> None:
        self._app = app
        self._token = token.encode()
        self._users = UserTokens()
        self._origins = {origin.lower() for origin in origins}
        self._hosts = {origin.partition("://")[2] for origin in self._origins}
        # For each user ("": the person, or nobody) the requests left, and when they were counted.
        self._left: dict[str, tuple[float, float]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        sent = False

        async def guarded(message: Message) -> None:
            nonlocal sent
            if message["type"] == "http.response.start":
                sent = True
                message["headers"] = [*message.get("headers", []), *_HEADERS.items()]
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        try:
            await self._app(scope, _limited(receive), guarded)
        except BodyTooLargeError:
            if not sent:
                await _error(413, "too_large")(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        hosts = headers.get(b"host", [])
        if len(hosts) != 1 or hosts[0].decode("latin-1").lower() not in self._hosts:
            return _error(421, "wrong_host")
        for origin in headers.get(b"origin", []):
            if origin.decode("latin-1").lower() not in self._origins:
                return _error(403, "wrong_origin")
        if any(value == b"cross-site" for value in headers.get(b"sec-fetch-site", [])) and (
            scope["path"].startswith(_PRIVATE)
        ):
            return _error(403, "wrong_origin")
        owner = self._owner(headers)
        if not self._within_rate(owner.name if owner else ""):
            return _error(429, "too_many", {"Retry-After": "1"})
        if scope["path"].startswith(_PRIVATE) and owner is None:
            return _error(401, "no_token", {"WWW-Authenticate": "Bearer"})
        scope[OWNER] = owner or TokenOwner()
        length = headers.get(b"content-length", [b"0"])[0]
        if not length.isdigit() or len(length) > 12 or int(length) > MAX_BODY:
            return _error(413, "too_large")
        return None

    def _owner(self, headers: dict[bytes, list[bytes]]) -> TokenOwner | None:
        values = headers.get(b"authorization", [])
        if len(values) != 1 or values[0][:7].lower() != b"bearer ":
            return None
        token = values[0][7:].strip()
        if hmac.compare_digest(token, self._token):
            return TokenOwner()
        return self._users.owner(token)

    def _within_rate(self, user: str) -> bool:
        now = time.monotonic()
        left, counted = self._left.get(user, (BURST, now))
        left = min(BURST, left + RATE * (now - counted))
        if len(self._left) >= _MOST_COUNTED:
            self._left.clear()
        self._left[user] = (left - (left >= 1), now)
        return left >= 1


def _limited(receive: Receive) -> Receive:
    read = 0

    async def limited() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > MAX_BODY:
            raise BodyTooLargeError
        return message

    return limited


def _error(status: int, code: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": {"code": code}}, status, headers)
