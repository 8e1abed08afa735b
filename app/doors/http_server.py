"""``lectern serve``: a library over HTTP on the loopback, for scripts and for a page in a browser.

``ROUTES`` declares every call with its parameters; checks and the OpenAPI description are made from
it. Calls run in threads, and what the library refuses is an error with its code.
"""

from __future__ import annotations

import base64
import json
import struct
from dataclasses import dataclass, field
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from pydantic import TypeAdapter
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.doors import answers
from app.doors.http_guard import OWNER, Guard
from app.doors.library import (
    MOST_BYTES,
    MOST_DOCUMENTS,
    MOST_HITS,
    MOST_STATEMENTS,
    DoorCaller,
    QueryFilters,
    TextRange,
)
from indexer.api.codec import encode
from indexer.api.document_requests import MOST_TEXTS
from indexer.api.errors import Cancelled, LecternError, WorldError, bad_usage

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from starlette.requests import Request

    from app.doors.library import DoorLibrary
    from app.doors.page_images import PageRenderer
    from app.doors.users import TokenOwner

_STATUS = {"door_closed": 403, "unknown_collection": 404, "not_a_root": 404, "not_indexed": 404,
           "bad_query": 400, "bad_request": 400, "busy": 503, "engine_gone": 503}  # fmt: skip
_MOST = 2**31
_MOST_CHARACTERS = 20_000
_MOST_VALUES = 50
_STATIC = {
    "/": ("doors/page.html", "text/html"),
    "/page.js": ("doors/page.js", "text/javascript"),
    "/page.css": ("doors/page.css", "text/css"),
    "/icon.svg": ("icons/lectern.svg", "image/svg+xml"),
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a call: a number with bounds, a text, or (``many``) texts."""

    name: str
    help: str
    number: tuple[int, int, int] | None = None  # default, least, most
    many: bool = False
    required: bool = False

    def read(self, request: Request) -> Any:
        """Return its value in a request. Raises ``bad_request``."""
        values = request.query_params.getlist(self.name)
        if self.required and not any(values):
            raise WorldError("bad_request", reason=f"{self.name} is missing")
        if len(values) > (_MOST_VALUES if self.many else 1) or any(
            len(value) > _MOST_CHARACTERS for value in values
        ):
            raise WorldError("bad_request", reason=f"{self.name} is too long")
        if self.many:
            return tuple(values)
        if self.number is None:
            return values[0] if values else ""
        default, least, most = self.number
        if not values:
            return default
        text = values[0]
        if not (text.isascii() and text.isdigit()) or not least <= int(text[:12]) <= most:
            raise WorldError("bad_request", reason=f"{self.name} is not from {least} to {most}")
        return int(text)

    def schema(self) -> dict[str, Any]:
        """Describe it for OpenAPI."""
        kind: dict[str, Any] = {"type": "string"}
        if self.number is not None:
            default, least, most = self.number
            kind = {"type": "integer", "default": default, "minimum": least, "maximum": most}
        if self.many:
            kind = {"type": "array", "items": kind}
        return {"name": self.name, "in": "query", "description": self.help,
                "required": self.required, "schema": kind}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ApiCall:
    """A call: its path, its parameters, its answer, and what makes it from their values."""

    path: str
    summary: str
    parameters: tuple[Parameter, ...]
    answer: type[Any]
    call: Callable[[DoorLibrary, DoorCaller, Mapping[str, Any]], Any]


_COLLECTIONS = Parameter("collection", "A collection; several may be given.", many=True)
_DOCUMENT = Parameter("document", "The address or the path of a document.", required=True)
_FILTERS = (
    Parameter("type", "Such as pdf, docx or mail.", many=True),
    *(Parameter(name, f"Filter by {name}.")
      for name in ("folder", "title", "author", "language", "after", "before")),
)  # fmt: skip
_PAGE = Parameter("page", "A page; 0 for all.", (0, 0, _MOST))


def _limit(default: int, most: int) -> Parameter:
    return Parameter("limit", "The most to return.", (default, 1, most))


def _filters(values: Mapping[str, Any]) -> QueryFilters:
    names = ("folder", "title", "author", "language", "after", "before")
    return QueryFilters(values["type"], *(values[name] for name in names))


ROUTES = (
    ApiCall(
        "/api/search", "Find the passages that answer a question",
        (Parameter("q", "A question, or words.", required=True), _COLLECTIONS,
         _limit(10, MOST_HITS), *_FILTERS),
        answers.SearchAnswer,
        lambda library, who, of: library.search(
            who, of["q"], _filters(of), of["collection"], of["limit"]
        ),
    ),
    ApiCall(
        "/api/similar", "Find passages like a document or a page of it",
        (_DOCUMENT, _PAGE, _COLLECTIONS, _limit(10, MOST_HITS)),
        answers.SearchAnswer,
        lambda library, who, of: library.similar(
            who, of["document"], of["page"], of["collection"], of["limit"]
        ),
    ),
    ApiCall(
        "/api/read", "Read a page, a range or all of a document, in parts",
        (_DOCUMENT, _PAGE,
         Parameter("start", "The first character.", (0, 0, _MOST)),
         Parameter("end", "Where it ends; 0 for the end.", (0, 0, _MOST)),
         Parameter("around", "Characters on both sides.", (0, 0, 100_000)),
         Parameter("max_bytes", "The most bytes of text.", (32 << 10, 1, MOST_BYTES)),
         Parameter("hash", "Of a passage, to verify that it is there.")),
        answers.ReadAnswer,
        lambda library, who, of: library.read(
            who, of["document"],
            TextRange(of["page"], of["start"], of["end"], of["around"], of["max_bytes"]),
            of["hash"],
        ),
    ),
    ApiCall(
        "/api/compare", "What each of two documents says that the other does not",
        (Parameter("first", "A document.", required=True),
         Parameter("second", "Another one.", required=True), _limit(30, MOST_STATEMENTS)),
        answers.CompareAnswer,
        lambda library, who, of: library.compare(who, of["first"], of["second"], of["limit"]),
    ),
    ApiCall(
        "/api/documents", "List documents",
        (_COLLECTIONS, *_FILTERS, Parameter("offset", "How many to skip.", (0, 0, _MOST)),
         _limit(50, MOST_DOCUMENTS)),
        answers.DocumentsAnswer,
        lambda library, who, of: library.documents(
            who, _filters(of), of["collection"], of["offset"], of["limit"]
        ),
    ),
    ApiCall(
        "/api/status", "The collections that may be seen", (), answers.StatusAnswer,
        lambda library, who, _of: library.status(who),
    ),
    ApiCall(
        "/api/page", "The size of a page, and where a passage stands on it",
        (_DOCUMENT, Parameter("page", "The page.", (1, 1, _MOST)),
         Parameter("start", "Where the passage begins.", (0, 0, _MOST)),
         Parameter("end", "Where it ends.", (0, 0, _MOST))),
        answers.PageAnswer,
        lambda library, who, of: library.page(
            who, of["document"], of["page"], of["start"], of["end"]
        ),
    ),
)  # fmt: skip
_IMAGE = (
    _DOCUMENT,
    Parameter("page", "The page.", (1, 1, _MOST)),
    Parameter("width", "Its width in pixels.", (900, 100, 2_400)),
)


@dataclass(slots=True)
class LibraryHttp:
    """The application: routes to a library, without any guard."""

    library: DoorLibrary
    renderer: PageRenderer
    address: str
    model: str = "lectern"
    _static: dict[str, bytes] = field(default_factory=dict)

    def application(self) -> Starlette:
        """Return the ASGI application."""
        routes = [Route(one.path, partial(self._answer, one), methods=["GET"]) for one in ROUTES]
        routes += [Route(path, self._file, methods=["GET"]) for path in _STATIC]
        routes += [
            Route("/api/page.png", self._image, methods=["GET"]),
            Route("/v1/embeddings", self._embeddings, methods=["POST"]),
            Route("/openapi.json", self._openapi, methods=["GET"]),
            Route("/opensearch.xml", self._opensearch, methods=["GET"]),
        ]
        return Starlette(routes=routes)

    async def _answer(self, route: ApiCall, request: Request) -> Response:
        def work() -> Any:
            values = {each.name: each.read(request) for each in route.parameters}
            return route.call(self.library, _caller(request), values)

        return await _run(lambda: JSONResponse(encode(work())))

    async def _image(self, request: Request) -> Response:
        def work() -> Response:
            document, page, width = (each.read(request) for each in _IMAGE)
            path = self.library.visible(_caller(request), document)
            return Response(self.renderer.image(path, page, width), media_type="image/png")

        return await _run(work)

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
                {"object": "list", "data": data, "model": self.model, "usage": usage}
            )

        return await _run(work)

    async def _file(self, request: Request) -> Response:
        name, kind = _STATIC[request.url.path]
        if name not in self._static:
            self._static[name] = (resources.files("resources") / name).read_bytes()
        return Response(self._static[name], media_type=kind)

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
        paths[one.path] = {"get": {
            "summary": one.summary,
            "parameters": [each.schema() for each in one.parameters],
            "responses": {"200": {"description": "The answer",
                                  "content": {"application/json": content}}},
        }}  # fmt: skip
    paths["/api/page.png"] = {"get": {
        "summary": "A page as an image", "parameters": [each.schema() for each in _IMAGE],
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
    """Run a call in a thread; what the library refuses becomes an error."""
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
    """Where a server listens, and the addresses that clients reach it by, the first one shown.

    ``certificate`` and ``key`` are files in PEM, for TLS.
    """

    listener: socket.socket
    origins: tuple[str, ...]
    certificate: Path | None = None
    key: Path | None = None


def serve_http(
    library: DoorLibrary, renderer: PageRenderer, served: ServedAddress, token: str
) -> None:
    """Serve until a signal ends the process.

    Raises ``bad_usage``, for a certificate or a key that is none.
    """
    import ssl

    import uvicorn

    application = LibraryHttp(library, renderer, served.origins[0]).application()
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
