"""The process of the render child, which reads requests from stdin and answers on stdout.

It has the priority of the window and ends with it: when the pipe is closed, and on Linux even if
the window is killed. The window orders the requests, so there is no queue here. If the system
supports it, each document is opened by a confined worker that can read nothing else. A changed
file, another password or newly recognised pages require a new worker.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec import Struct

from indexer.api.codec import (
    LENGTH_BYTES,
    MAX_MESSAGE_BYTES,
    Hello,
    check_values,
    decode,
    frame,
    hello,
    read_frame,
    unpack,
    write_frame,
)
from indexer.api.errors import Failure, LecternError, WorldError
from indexer.api.lru_cache import LruCache
from indexer.api.pages import DocumentRequest, PageRequest
from indexer.catalog.states import Stamp
from indexer.confine import worker
from indexer.confine.process import confine, take_stdout
from indexer.confine.worker import DocumentWorker
from indexer.extract.process.border import broken, checked_failure
from indexer.extract.process.child import error_on_document, programs_of, swept
from indexer.extract.registry import promised_format
from indexer.render.border import fits
from indexer.render.requests import (
    DRAWS,
    MAX_OPEN,
    NOTHING,
    OpenDocuments,
    RecognitionLookup,
    answer,
)
from indexer.text import language

if TYPE_CHECKING:
    from indexer.api.codec import Header
    from indexer.api.pages import DocumentSource
    from indexer.confine.process import ChildOptions

    Serve = Callable[[OpenDocuments, Header, BinaryIO], None]


class _RunningWorker(Struct, frozen=True):
    """A worker, and the state of its document. A changed document needs a new worker."""

    worker: DocumentWorker
    identity: tuple[object, ...]


class Workers:
    """Passes requests to the workers of their documents, and keeps the last ``MAX_OPEN`` workers.

    ``serve`` answers a request on ``outgoing``, perhaps with an error; it does not raise.
    """

    def __init__(
        self, known: RecognitionLookup, started: ChildOptions, outgoing: BinaryIO, serve: Serve
    ) -> None:
        self._known = known
        self._started = started
        self._outgoing = outgoing
        self._serve = serve
        self._readers: LruCache[Path, _RunningWorker] = LruCache(
            MAX_OPEN, evicted=lambda reader: reader.worker.end()
        )

    def serve(self, header: Header) -> None:
        """Pass a request to its worker. A crash of the worker also ends this process."""
        request: PageRequest[Any] | None = None
        with suppress(WorldError):
            request = PageRequest.from_header(header)
        if not isinstance(request, DocumentRequest):
            self._readers.clear()
            self._serve(OpenDocuments(), header, self._outgoing)
            return
        programs = programs_of(promised_format(request.source.path, request.source.format))
        reader = self._reader(request.source, programs).worker
        # The time is measured here, as a hostile document could stop an alarm in its reader.
        limit_s, failure = self._started.alarm.seconds, broken()
        answer: bytes | None = b""
        with swept(programs):
            try:
                answer = reader.ask_worker(frame(header), MAX_MESSAGE_BYTES, limit_s)
            except TimeoutError:
                failure = WorldError("out_of_time", limit=f"{limit_s:g} seconds")
        checked = _checked(answer, header, request) if answer else None
        if checked is None:
            self._readers.pop(request.source.path)
            if answer is None:
                reader.finish()  # a crash of it ends this process
            else:
                reader.end()
            reply, data = _failure(failure)
            checked = frame({**reply, "id": header.get("id")}, data)
        self._outgoing.flush()
        reader.deliver(self._outgoing.fileno(), checked)

    def _reader(self, source: DocumentSource, programs: list[Path]) -> _RunningWorker:
        """Return the worker of a document's current file, started if necessary."""
        path = source.path
        recognised = NOTHING
        stamp: Stamp | None = None
        with suppress(OSError, ValueError):
            stamp = Stamp.from_status(path.stat())
            recognised = self._known.pages(path, stamp)
        identity = (stamp, source.password, recognised)
        reader = self._readers.get(path)
        if reader is not None and reader.identity != identity:
            self._readers.discard(path)
            reader = None
        if reader is None:
            _load_libraries(source)
            if recognised.pages:
                # The number decides whether recognised text replaces that of the page.
                language.classifier()

            def work(requests: BinaryIO, answers: BinaryIO) -> None:
                documents = OpenDocuments(recognised=lambda _path, _stamp: recognised)
                while (asked := read_frame(requests)) is not None:
                    self._serve(documents, asked[0], answers)

            worker = DocumentWorker(work, path, self._started, programs)
            reader = _RunningWorker(worker, identity)
            self._readers.put(path, reader)
        return reader


def _checked(answer: bytes, asked: Header, request: PageRequest[Any]) -> bytes | None:
    """Return a worker's answer in the form that is passed on; None if it is not valid.

    Texts of failures come only from the tables.
    """
    with suppress(WorldError):
        header, data = unpack(answer[LENGTH_BYTES:])
        check_values(header, "strict")
        if header.get("id") != asked.get("id"):
            return None
        if header.get("type") == "reply":
            found = decode(request.answer, header.get("answer"))
            return answer if fits(request, found, data) else None
        if header.get("type") == "error":
            failure = checked_failure(decode(Failure, header.get("error")))
            return frame({**_failure(failure)[0], "id": header["id"]}, data)
    return None


def _load_libraries(source: DocumentSource) -> None:
    """Import the libraries for a document before the fork, so that later workers share them."""
    promised = promised_format(source.path, source.format)
    if promised is not None:
        with suppress(ImportError):
            importlib.import_module(DRAWS if promised.drawn else promised.module)


_OBJECTS = 200_000


def main() -> int:
    """Serve until the window closes the pipe."""
    outgoing = take_stdout()
    library, rest = library_of(sys.argv[1:])
    started = confine(rest, background=False)
    # The characters of a page are thousands of objects without cycles. With the default threshold
    # the garbage collector would take longer than reading the page.
    gc.set_threshold(_OBJECTS, 50, 50)
    known = RecognitionLookup(library)
    serve: Callable[[Header], None]
    if worker.is_available():
        serve = Workers(known, started, outgoing, _serve).serve
    else:
        documents = OpenDocuments(recognised=known.pages)

        def serve(request: Header) -> None:
            started.alarm.restart()
            _serve(documents, request, outgoing)
            started.alarm.stop()

    try:
        write_frame(outgoing, hello(Hello("render", os.getpid())))
        while (asked := read_frame(sys.stdin.buffer)) is not None:
            serve(asked[0])
    except (EOFError, BrokenPipeError):
        return 0
    finally:
        started.alarm.stop()
        worker.end_all()
    return 0


def library_of(arguments: Sequence[str]) -> tuple[Path | None, list[str]]:
    """Remove ``--library FOLDER`` from a command line and return the folder."""
    parser = argparse.ArgumentParser(prog="lectern child", allow_abbrev=False)
    parser.add_argument("--library", type=Path)
    options, rest = parser.parse_known_args(arguments)
    return options.library, rest


def _serve(documents: OpenDocuments, header: Header, outgoing: BinaryIO) -> None:
    request: PageRequest[Any] | None = None
    try:
        request = PageRequest.from_header(header)
        found, data = answer(documents, request)
    except Exception as error:  # noqa: BLE001  # an error on one page must not end the preview
        path = request.source.path if isinstance(request, DocumentRequest) else ""
        reply, data = _failure(error_on_document(error, str(path), "a preview may take"))
    else:
        reply = {"type": "reply", "answer": found}
    write_frame(outgoing, {**reply, "id": header.get("id")}, data)


def _failure(error: LecternError) -> tuple[Header, bytes]:
    return {"type": "error", "error": error.failure()}, b""


if __name__ == "__main__":
    sys.exit(main())
