"""Who may ask over HTTP, and how much: hosts, origins, a token, sizes and rates.

A page of another site can make a browser on this machine send requests to the loopback, and a name
of its own can point there; so hosts and origins are lists, and everything private needs the token.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
import time
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse

from app import paths
from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY = 1 << 20
RATE, BURST = 50.0, 200.0  # requests a second, and at once
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
    """Return the token of the person's programs; it is made if there is none, or a ``new`` one.

    Raises:
        WorldError: ``path_denied``, if others may read the file or it cannot be written.
    """
    file = token_file()
    try:
        if not new and file.exists():
            if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
                raise WorldError("path_denied", path=str(file))
            if token := file.read_text("ascii").strip():
                return token
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        token = secrets.token_urlsafe(32)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as opened:
            opened.write(token + "\n")
    except (OSError, ValueError) as error:
        raise WorldError("path_denied", path=str(file)) from error
    return token


class Guard:
    """An ASGI application in front of another one, which gets only what may be asked.

    Args:
        app: The application.
        port: Where it listens on the loopback.
        token: What private requests must carry.
    """

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self._app = app
        self._token = token.encode()
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self._origins = {f"http://{host}" for host in self._hosts}
        self._left, self._counted = BURST, time.monotonic()

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
            if origin.decode("latin-1") not in self._origins:
                return _error(403, "wrong_origin")
        if any(value == b"cross-site" for value in headers.get(b"sec-fetch-site", [])) and (
            scope["path"].startswith(_PRIVATE)
        ):
            return _error(403, "wrong_origin")
        if not self._within_rate():
            return _error(429, "too_many", {"Retry-After": "1"})
        if scope["path"].startswith(_PRIVATE) and not self._knows_token(headers):
            return _error(401, "no_token", {"WWW-Authenticate": "Bearer"})
        length = headers.get(b"content-length", [b"0"])[0]
        if not length.isdigit() or len(length) > 12 or int(length) > MAX_BODY:
            return _error(413, "too_large")
        return None

    def _knows_token(self, headers: dict[bytes, list[bytes]]) -> bool:
        values = headers.get(b"authorization", [])
        if len(values) != 1 or values[0][:7].lower() != b"bearer ":
            return False
        return hmac.compare_digest(values[0][7:].strip(), self._token)

    def _within_rate(self) -> bool:
        now = time.monotonic()
        self._left = min(BURST, self._left + RATE * (now - self._counted))
        self._counted = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


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
