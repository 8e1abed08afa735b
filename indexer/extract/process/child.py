"""The extraction child: reads one document after the other for the engine, over stdin and stdout.

Owns the conversation and the behaviour of the process; documents are read by
``indexer.extract.document``, cut by ``indexer.text.passages``. Started by
``indexer.extract.process.sandbox``, killed by it without ceremony. Where the system allows it, each
document is read by a worker of its own that can read nothing else (``indexer.confine.worker``);
this process then only loads libraries and looks into no document. The conversation, in frames of
``indexer.api.protocol``::

    child   hello
    engine  extract {id, path, format, password, limits, skip, careful, recognised}
    child   progress {id, page, pages}, now and then; before every page if careful
    child   textless {id, pages}, of formats whose pages may be scans
    child   document {id, info, terms}
    engine  go {id} or skip {id}
    child   passages {id, passages}, repeated
    child   end {id}, or error {id, error} at any point

or, of one page (``indexer.extract.pdf.recognition``)::

    engine  recognise {id, path, password, limits, page, program, languages}
    child   progress {id, page, pages}, now and then
    child   page {id, lines}, or error {id, error}
"""

from __future__ import annotations

import base64
import contextlib
import importlib
import os
import sys
import time
import traceback
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from indexer.api.errors import InternalError, LecternError, WorldError
from indexer.api.phrases import reason_of
from indexer.api.protocol import Header, hello, read_frame, write_frame
from indexer.config import Limits
from indexer.confine import worker
from indexer.confine.process import Alarm, ChildOptions, confine, take_stdout
from indexer.confine.reader import deny_programs, deny_sockets
from indexer.extract.base import HasScannedPages, too_large
from indexer.extract.document import Document
from indexer.extract.process.spool import Spool
from indexer.extract.process.term_counts import TermCounts
from indexer.extract.process.wire import info_to_wire, passage_to_wire
from indexer.extract.registry import identify, opener, promised_format
from indexer.ocr.layer import pack
from indexer.ocr.recognised_pages import RecognisedPages
from indexer.ocr.tesseract import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from indexer.api.types import OutlineEntry
    from indexer.extract.base import Source

    Work = Callable[["Conversation", Header, "RecognisedPages | None"], None]

PASSAGES_A_FRAME = 64
_PROGRESS_INTERVAL_S = 0.5


class Conversation:
    """The child's side of the pipe. Every sign of life also winds the alarm clock."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO, alarm: Alarm) -> None:
        self._incoming = incoming
        self.outgoing = outgoing
        self._alarm = alarm
        self._last = 0.0
        self.id = 0
        self.pages = 0
        self.careful = False

    def receive(self) -> Header | None:
        """Wait for the engine, for as long as it takes."""
        self._alarm.stop()
        frame = read_frame(self._incoming)
        self._alarm.restart()
        return None if frame is None else frame[0]

    def send(self, kind: str, **values: Any) -> None:
        self._alarm.stop()  # a full pipe means that the engine is busy, not that we are stuck
        write_frame(self.outgoing, {"type": kind, "id": self.id, **values})
        self._alarm.restart()

    def progress(self, page: int) -> None:
        now = time.monotonic()
        if self.careful or now - self._last >= _PROGRESS_INTERVAL_S:
            self._last = now
            self.send("progress", page=min(page, self.pages), pages=self.pages)

    def reach(self, page: int, source: Source) -> None:
        """Tell which page comes next; of a mailbox, how many there are shows as it is read."""
        self.pages = source.page_count
        self.progress(page)

    def beat(self) -> None:
        """Show that a long step is done."""
        self.send("progress", page=self.pages, pages=self.pages)

    def is_wanted(self) -> bool:
        """Wait for the engine's decision about the document just announced."""
        answer = self.receive()
        if answer is None:
            raise EOFError
        return answer.get("type") == "go" and answer.get("id") == self.id


def main() -> int:
    """Serve until the engine closes the pipe."""
    outgoing = take_stdout()
    started = confine(sys.argv[1:])
    conversation = Conversation(sys.stdin.buffer, outgoing, started.alarm)
    try:
        write_frame(outgoing, hello("extract", pid=os.getpid()))
        while (request := conversation.receive()) is not None:
            if (work := _WORK.get(str(request.get("type")))) is not None:
                _serve_apart(conversation, request, work, started)
    except (EOFError, BrokenPipeError):
        return 0
    finally:
        started.alarm.stop()
    return 0


def _serve_apart(
    conversation: Conversation, request: Header, work: Work, started: ChildOptions
) -> None:
    """Serve a request in a worker that can read its document only, where there can be one."""
    recognised = _recognised(request)
    if not worker.is_available():
        _serve(conversation, request, lambda: work(conversation, request, recognised))
        return
    _load_libraries(request)
    started.alarm.stop()  # its thread would not be there after the fork

    def serve() -> None:
        started.alarm.restart()
        _serve(conversation, request, lambda: work(conversation, request, recognised))

    document = Path(str(request["path"]))
    keep, programs = (conversation.outgoing.fileno(),), _programs(request)
    with _swept(programs):
        worker.Worker(serve, document, started, keep, programs).wait()
    worker.empty(started.scratch)


def _swept(programs: list[Path]) -> contextlib.AbstractContextManager[None]:
    """Remove what LibreOffice leaves, where a program may be started."""
    if not programs:
        return contextlib.nullcontext()
    from indexer.extract.office.libreoffice import leftover_sockets_removed

    return leftover_sockets_removed()


def _programs(request: Header) -> list[Path]:
    """Name the commands that a request may need."""
    if program := request.get("program"):
        return [Path(Program.from_wire(program).path)]
    promised = promised_format(Path(str(request["path"])), str(request.get("format") or ""))
    if promised is None or not promised.needs_program:
        return []
    from indexer.extract.office.libreoffice import find_program

    return [Path(found)] if (found := find_program()) else []


def _load_libraries(request: Header) -> None:
    """Load what reading the document will need, once for all workers that are still to come."""
    from indexer.text import language, terms

    promised = promised_format(Path(str(request["path"])), str(request.get("format") or ""))
    if promised is not None:
        with contextlib.suppress(ImportError):
            opener(promised)
    language.load()
    terms.stems("loaded", "en")
    importlib.import_module("indexer.text.passages")


def _serve(conversation: Conversation, request: Header, work: Callable[[], None]) -> None:
    conversation.id = int(request["id"])
    conversation.careful = bool(request.get("careful"))
    try:
        work()
    except LecternError as error:
        conversation.send("error", error=error.to_wire())
    except MemoryError:
        limit = f"{_limits(request).resident_bytes // 1024**2} MB"
        conversation.send("error", error=WorldError("out_of_memory", limit=limit).to_wire())
    except (EOFError, BrokenPipeError):
        raise
    except OSError as error:
        conversation.send("error", error=file_error(error, str(request["path"])).to_wire())
    except Exception as error:  # noqa: BLE001  # one document must not cost the child
        traceback.print_exc()
        reason = f"{type(error).__name__}: {error}"
        conversation.send("error", error=InternalError("internal", reason=reason).to_wire())


def _extract(
    conversation: Conversation, request: Header, recognised: RecognisedPages | None
) -> None:
    from indexer.text import language, terms

    path = Path(str(request["path"]))
    limits = _limits(request)
    before = _stamp(path)
    if before[0] > limits.largest_bytes:
        raise too_large(limits.largest_bytes)
    known = identify(path, str(request.get("format") or ""))
    if worker.is_available() and not known.needs_program:
        deny_programs()
    source = opener(known)(path, request.get("password"), limits)
    if isinstance(source, HasScannedPages):
        source.recognised = recognised
    with Spool() as spool:
        try:
            conversation.pages = source.page_count
            document = Document(spool, TermCounts(terms.words))
            skip = frozenset(request.get("skip") or ())
            try:
                document.read(source, lambda page: conversation.reach(page, source), skip)
            finally:
                if isinstance(source, HasScannedPages):
                    conversation.send("textless", pages=source.textless)
            conversation.beat()
            info = document.info(source, known.name, language.detect)
            outline = source.outline
        finally:
            source.close()
        if _stamp(path) != before:
            raise WorldError("changed_while_read")
        conversation.send("document", info=info_to_wire(info), terms=document.terms.counts())
        if conversation.is_wanted():
            _send_passages(conversation, document, outline, info.language)
    conversation.send("end")


def _recognised(request: Header) -> RecognisedPages | None:
    """Return what the library knows of the document's scanned pages."""
    match request.get("recognised"):
        case {"library": str(library), "content": str(content)}:
            with contextlib.suppress(OSError):
                size = Path(str(request["path"])).stat().st_size
                return RecognisedPages.load(Path(library), size, lambda: content)
    return None


def _recognise(
    conversation: Conversation, request: Header, _recognised: RecognisedPages | None
) -> None:
    if worker.is_available():
        deny_sockets()
    from indexer.extract.pdf.recognition import recognise_page

    lines = recognise_page(
        Path(str(request["path"])),
        request.get("password"),
        _limits(request),
        int(request["page"]),
        Program.from_wire(request["program"]),
        [str(language) for language in request["languages"]],
        lambda: conversation.progress(0),
    )
    conversation.send("page", lines=base64.b64encode(pack(lines)).decode("ascii"))


def _send_passages(
    conversation: Conversation,
    document: Document,
    outline: tuple[OutlineEntry, ...],
    spoken: str,
) -> None:
    from indexer.text.passages import cut
    from indexer.text.terms import stems

    passages = cut(document.pages(), outline, spoken, stem=stems)
    while group := [passage_to_wire(passage) for passage in islice(passages, PASSAGES_A_FRAME)]:
        conversation.send("passages", passages=group)


def file_error(error: OSError, path: str) -> WorldError:
    """Say in our words what the operating system said about a file."""
    if isinstance(error, FileNotFoundError):
        return WorldError("vanished")
    if isinstance(error, PermissionError):
        return WorldError("path_denied", path=path)
    return WorldError("read_error", reason=reason_of(error))


def _stamp(path: Path) -> tuple[int, int, int]:
    """Return what changes when a file does: size, time of change in ns, identity."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def _limits(request: Mapping[str, Any]) -> Limits:
    given = request.get("limits") or {}
    return Limits(
        **{field.name: given[field.name] for field in fields(Limits) if field.name in given}
    )


_WORK = {"extract": _extract, "recognise": _recognise}

if __name__ == "__main__":
    sys.exit(main())
