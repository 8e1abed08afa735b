"""The process of the render child: requests on stdin, answers on stdout, one at a time.

Owns the frames and the limits of the process; ``indexer.render.requests`` has the handlers. It has
the priority of the window and ends with it: when the pipe is closed, and on Linux even if the
window is killed. The window orders the requests, so there is no queue here. Where the system
supports it, each document is opened by a confined worker that can read nothing else
(``indexer.render.workers``).
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from indexer.api.codec import encode
from indexer.api.errors import InternalError, LecternError, WorldError
from indexer.api.pages import DocumentRequest, PageRequest
from indexer.api.protocol import Hello, hello, read_frame, write_frame
from indexer.confine import worker
from indexer.confine.process import confine, take_stdout
from indexer.extract.process.child import file_error
from indexer.render.open_documents import OpenDocuments, RecognitionLookup
from indexer.render.requests import answer
from indexer.render.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.api.protocol import Header

_OBJECTS = 200_000


def main() -> int:
    """Serve until the window closes the pipe."""
    outgoing = take_stdout()
    library, rest = library_of(sys.argv[1:])
    started = confine(rest, background=False)
    # The characters of a page are thousands of objects without cycles; with the default threshold
    # the garbage collector takes longer than reading the page.
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
        while (frame := read_frame(sys.stdin.buffer)) is not None:
            serve(frame[0])
    except (EOFError, BrokenPipeError):
        return 0
    finally:
        started.alarm.stop()
    return 0


def library_of(arguments: Sequence[str]) -> tuple[Path | None, list[str]]:
    """Take ``--library FOLDER`` out of a command line."""
    parser = argparse.ArgumentParser(prog="lectern child", allow_abbrev=False)
    parser.add_argument("--library", type=Path)
    options, rest = parser.parse_known_args(arguments)
    return options.library, rest


def _serve(documents: OpenDocuments, header: Header, outgoing: BinaryIO) -> None:
    request: PageRequest[Any] | None = None
    try:
        request = PageRequest.read(header)
        found, data = answer(documents, request)
    except MemoryError:
        reply, data = _failure(WorldError("out_of_memory", limit="a preview may take"))
    except LecternError as error:
        reply, data = _failure(error)
    except OSError as error:
        path = request.source.path if isinstance(request, DocumentRequest) else ""
        reply, data = _failure(file_error(error, str(path)))
    except Exception as error:  # noqa: BLE001  # an error on one page must not end the preview
        traceback.print_exc()
        reply, data = _failure(InternalError("internal", reason=f"{type(error).__name__}: {error}"))
    else:
        reply = {"type": "reply", "answer": encode(found)}
    write_frame(outgoing, {**reply, "id": header.get("id")}, data)


def _failure(error: LecternError) -> tuple[Header, bytes]:
    return {"type": "error", "error": encode(error.failure())}, b""
