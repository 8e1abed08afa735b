"""``lectern serve``: a library over HTTP on the loopback, for scripts and for a page in a browser.

``ROUTES`` are the calls of every door; checks and the OpenAPI description are made from them. Calls
run in threads; an error of the library becomes a response with its code.
"""

from __future__ import annotations

import base64
import json
import struct
from dataclasses import dataclass
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from pydantic import TypeAdapter, ValidationError
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.doors.calls import CALLS, DoorCall
from app.doors.http_guard import OWNER, Guard
from app.doors.library import DoorCaller, DoorLibrary
from indexer.api.codec import encode
from indexer.api.errors import Cancelled, LecternError, WorldError, bad_usage
from indexer.api.requests import MOST_TEXTS

if TYPE_CHECKING:
    import inspect
    import socket
    from collections.abc import Callable
    from pathlib import Path

    from starlette.requests import Request

    from app.doors.users import TokenOwner

_STATUS = {"door_closed": 403, "unknown_collection": 404, "not_a_root": 404, "not_indexed": 404,
           "bad_query": 400, "bad_request": 400, "busy": 503, "engine_gone": 503}  # fmt: skip
_MOST_CHARACTERS = 20_000
_MOST_VALUES = 50
# Parameters that have another name here than for assistants; a list repeats its parameter.
_NAMES = {"query": "q", "collections": "collection", "types": "type"}
_STATIC = {
    "/": ("doors/page.html", "text/html"),
    "/page.js": ("doors/page.js", "text/javascript"),
    "/page.css": ("doors/page.css", "text/css"),
    "/icon.svg": ("icons/lectern.svg", "image/svg+xml"),
}


ROUTES = (*CALLS, DoorCall.of(DoorLibrary.page))
_IMAGE = DoorCall.of(DoorLibrary.image)


def _read(parameter: inspect.Parameter, request: Request) -> Any:
    """Return the value of a parameter in a request. Raises ``bad_request``."""
    name = _NAMES.get(parameter.name, parameter.name)
    given = request.query_params.getlist(name)
    many = isinstance(parameter.default, tuple)
    required = parameter.default is parameter.empty
    if required and not any(given):
        raise WorldError("bad_request", reason=f"{name} is missing")
    if len(given) > (_MOST_VALUES if many else 1) or any(
        len(value) > _MOST_CHARACTERS for value in given
    ):
        raise WorldError("bad_request", reason=f"{name} is too long")
    if not given:
        return parameter.default
    try:
        return TypeAdapter(parameter.annotation).validate_python(given if many else given[0])
    except ValidationError as error:
        raise WorldError("bad_request", reason=f"{name}: {error.errors()[0]['msg']}") from error


def _described(parameter: inspect.Parameter) -> dict[str, Any]:
    """Describe a parameter for OpenAPI."""
    schema = TypeAdapter(parameter.annotation).json_schema()
    required = parameter.default is parameter.empty
    if not required:
        schema["default"] = parameter.default
    return {
        "name": _NAMES.get(parameter.name, parameter.name), "in": "query",
        "description": schema.pop("description", ""), "required": required, "schema": schema,
    }  # fmt: skip


@dataclass(slots=True)
class LibraryHttp:
    """The application: routes to a library, without any guard."""

    library: DoorLibrary
    address: str

    def application(self) -> Starlette:
        """Return the ASGI application."""
        routes = [
            Route(f"/api/{one.name}", partial(self._answer, one), methods=["GET"]) for one in ROUTES
        ]
        routes += [Route(path, self._file, methods=["GET"]) for path in _STATIC]
        routes += [
            Route("/api/page.png", self._image, methods=["GET"]),
            Route("/v1/embeddings", self._embeddings, methods=["POST"]),
            Route("/openapi.json", self._openapi, methods=["GET"]),
            Route("/opensearch.xml", self._opensearch, methods=["GET"]),
        ]
        return Starlette(routes=routes)

    async def _answer(self, call: DoorCall, request: Request) -> Response:
        return await _run(lambda: JSONResponse(encode(self._made(call, request))))

    async def _image(self, request: Request) -> Response:
        return await _run(lambda: Response(self._made(_IMAGE, request), media_type="image/png"))

    def _made(self, call: DoorCall, request: Request) -> Any:
        values = {each.name: _read(each, request) for each in call.parameters}
        return call.answered(self.library, _caller(request), values)

    async def _embeddings(self, request: Request) -> Response:
        """Embed texts in the convention of ``/v1/embeddings``; ``input_type`` may be query."""
        body = await request.body()

        def work() -> Response:
            texts, options = _embedding_request(body)
            passages = options.get("input_type") != "query"
            vectors = self.library.embed(_caller(request), texts, passages=passages)
            encode = _packed if options.get("encoding_format") == "base64" else list
            data = [
                {"object": "embedding", "index": index, "embedding": encode(vector)}
                for index, vector in enumerate(vectors)
            ]
            words = sum(len(text.split()) for text in texts)
            usage = {"prompt_tokens": words, "total_tokens": words}
            return JSONResponse(
                {"object": "list", "data": data, "model": "lectern", "usage": usage}
            )

        return await _run(work)

    async def _file(self, request: Request) -> Response:
        name, kind = _STATIC[request.url.path]
        return Response((resources.files("resources") / name).read_bytes(), media_type=kind)

    async def _openapi(self, _request: Request) -> Response:
        return JSONResponse(description())

    async def _opensearch(self, _request: Request) -> Response:
        text = (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">'
            "<ShortName>Lectern</ShortName><Description>Passages in your documents</Description>"
            f'<Url type="text/html" template="{self.address}/?q={{searchTerms}}"/>'
            "</OpenSearchDescription>\n"
        )
        return Response(text, media_type="application/opensearchdescription+xml")


def description() -> dict[str, Any]:
    """Describe the calls by OpenAPI."""
    schemas: dict[str, Any] = {}
    paths: dict[str, Any] = {}
    for one in ROUTES:
        schema = TypeAdapter(one.answer).json_schema(ref_template="#/components/schemas/{model}")
        schemas |= schema.pop("$defs", {})
        schemas[one.answer.__name__] = schema
        content = {"schema": {"$ref": f"#/components/schemas/{one.answer.__name__}"}}
        paths[f"/api/{one.name}"] = {"get": {
            "summary": one.help.partition("\n")[0],
            "parameters": [*map(_described, one.parameters)],
            "responses": {"200": {"description": "The answer",
                                  "content": {"application/json": content}}},
        }}  # fmt: skip
    paths["/api/page.png"] = {"get": {
        "summary": "A page as an image", "parameters": [*map(_described, _IMAGE.parameters)],
        "responses": {"200": {"description": "The image", "content": {"image/png": {}}}},
    }}  # fmt: skip
    paths["/v1/embeddings"] = {"post": {
        "summary": "Vectors of texts, by the library's model",
        "requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}},
        "responses": {"200": {"description": "The vectors"}},
    }}  # fmt: skip
    return {
        "openapi": "3.1.0",
        "info": {"title": "Lectern", "version": "1"},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


async def _run(work: Callable[[], Response]) -> Response:
    """Run a call in a thread; an error of the library becomes a response."""
    try:
        return await anyio.to_thread.run_sync(work)
    except Cancelled:
        return JSONResponse({"error": {"code": "cancelled"}}, 503)
    except LecternError as error:
        told = {"code": error.code, "message": error.message.encode("utf-8", "replace").decode()}
        return JSONResponse({"error": told}, _STATUS.get(error.code, 500))


def _caller(request: Request) -> DoorCaller:
    owner: TokenOwner = request.scope[OWNER]
    program = request.headers.get("user-agent", "unnamed")[:100]
    return DoorCaller(f"{owner.name}, by {program}" if owner.name else program,
                      access=owner.access)  # fmt: skip


def _embedding_request(body: bytes) -> tuple[tuple[str, ...], dict[str, Any]]:
    try:
        options = json.loads(body)
        texts = options["input"]
        texts = (texts,) if isinstance(texts, str) else tuple(texts)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise WorldError("bad_request", reason="it has no input") from error
    if not 1 <= len(texts) <= MOST_TEXTS or not all(isinstance(text, str) for text in texts):
        raise WorldError("bad_request", reason=f"input is 1 to {MOST_TEXTS} texts")
    return texts, options


def _packed(vector: tuple[float, ...]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


@dataclass(frozen=True, slots=True)
class ServedAddress:
    """Where a server listens, and the addresses by which clients reach it, first the one shown.

    ``certificate`` and ``key`` are PEM files for TLS.
    """

    listener: socket.socket
    origins: tuple[str, ...]
    certificate: Path | None = None
    key: Path | None = None


def serve_http(library: DoorLibrary, served: ServedAddress, token: str) -> None:
    """Serve until a signal ends the process.

    Raises ``bad_usage``, if the certificate or the key is not valid.
    """
    import ssl

    import uvicorn

    application = LibraryHttp(library, served.origins[0]).application()
    config = uvicorn.Config(
        Guard(application, served.origins, token),
        ssl_certfile=served.certificate,
        ssl_keyfile=served.key,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="off",
        ws="none",
        http="h11",
        loop="asyncio",
        limit_concurrency=64,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=5,
    )
    try:
        config.load()
    except (OSError, ssl.SSLError, ValueError) as error:
        raise bad_usage("serve", f"the certificate or its key: {error}") from error
    uvicorn.Server(config).run(sockets=[served.listener])
