"""The extraction child as a process: every way it can end, and what that costs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from indexer.api.errors import Cancelled, WorldError
from indexer.config import Limits
from indexer.confine.worker import TOO_LARGE_STATUS
from indexer.extract.process.messages import DocumentRead, Ended, Extract, FromChild, Skip
from indexer.extract.process.process import ChildProcess
from indexer.extract.process.sandbox import ExtractionChild
from indexer.ocr.tesseract import Tesseract
from tests.integration.extraction import Seen, code_of, read, reader_of
from tests.unit.extract.pdfs import endless_page
from tests.waiting import wait_for

if TYPE_CHECKING:
    from indexer.api.types import DocumentInfo

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def test_a_page_that_never_ends_costs_that_page(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(endless_page(pages=5, endless=3))
    harmless = tmp_path / "b.pdf"
    harmless.write_bytes(endless_page(pages=1, endless=0))
    with ExtractionChild(Limits(silence_s=8.0)) as child:
        read(child, harmless)  # imports the libraries, which may take seconds of the limit
        info, passages = read(child, path)
    assert info.bad_pages == (3,)
    assert "Page 4 has words" in " ".join(p.view for p in passages)


@linux_only
def test_memory_does_not_grow_with_the_pages(tmp_path: Path) -> None:
    few, many = (_peak_megabytes(tmp_path / f"{pages}.pdf", pages) for pages in (50, 3_000))
    assert many < few + 40


def _peak_megabytes(path: Path, pages: int) -> int:
    """The most memory that the reader of a document took for its pages."""
    path.write_bytes(endless_page(pages=pages, endless=0))
    status = ""

    def decide(info: DocumentInfo) -> bool:
        nonlocal status
        assert info.pages == pages
        status = Path(f"/proc/{reader_of(reading).pid}/status").read_text(encoding="ascii")
        return True

    with ExtractionChild() as reading:
        assert list(reading.extract(path, "", None, decide))
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


@posix_only
def test_a_child_that_falls_silent_is_killed(tmp_path: Path, tale: Path) -> None:
    with ExtractionChild(Limits(silence_s=4.0)) as child:
        read(child, tale)
        pid = child.pid
        assert pid is not None

        def freeze(info: DocumentInfo) -> bool:
            reader_of(child).suspend()
            return True

        with pytest.raises(WorldError) as caught:
            list(child.extract(tale, "", None, freeze))
        assert caught.value.code == "out_of_time"
        assert not psutil.pid_exists(pid)
        assert read(child, tale)[1]  # by a fresh one


def test_an_error_names_the_time_that_a_careful_reader_had() -> None:
    child = ChildProcess(Limits())
    try:
        child.silence_s = 15.0  # of a second attempt, which ``Limits`` does not know
        assert "15 seconds" in str(child.failure("silent"))
    finally:
        child.close()


# Takes a processor for seconds of its time, and ends.
BUSY = """
import os, resource, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
resource.setrlimit(resource.RLIMIT_CPU, (4, 4))
print(flush=True)
while True:
    pass
"""


@linux_only
def test_a_child_that_waits_for_a_processor_is_not_killed(tale: Path) -> None:
    child = ChildProcess(Limits())
    try:
        assert document_read(child, tale, 1)  # has imported the libraries
        assert child.pid is not None
        processor = min(os.sched_getaffinity(child.pid))
        command = [sys.executable, "-c", BUSY, str(processor)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as busy:
            assert busy.stdout is not None
            busy.stdout.readline()
            os.sched_setaffinity(child.pid, {processor})
            os.sched_setscheduler(child.pid, os.SCHED_IDLE, os.sched_param(0))
            child.silence_s = 2.0
            assert document_read(child, tale, 2)
    finally:
        child.close()


def document_read(child: ChildProcess, path: Path, number: int) -> bool:
    """Have a document read, but not cut into passages; return whether the child did."""
    child.send(Extract(path, "", None, Limits()), number)
    read = False
    while (header := child.receive()) is not None and not isinstance(
        message := FromChild.from_header(header), Ended
    ):
        if isinstance(message, DocumentRead):
            read = True
            child.send(Skip(), number)
    return read and header is not None


@posix_only
def test_a_child_that_dies_costs_its_document_only(child: ExtractionChild, tale: Path) -> None:
    def shoot(info: DocumentInfo) -> bool:
        reader_of(child).send_signal(signal.SIGSEGV)
        return True

    with pytest.raises(WorldError) as caught:
        list(child.extract(tale, "", None, shoot))
    assert caught.value.code == "child_died"
    assert "SIGSEGV" in str(caught.value)
    assert read(child, tale)[1]


def test_a_child_that_grows_too_large_is_killed(tale: Path) -> None:
    with ExtractionChild(Limits(resident_bytes=30 * 1024**2)) as child:
        assert code_of(child, tale) == "out_of_memory"


def test_extraction_is_cancelled_from_another_thread(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(endless_page(pages=2, endless=1))
    with ExtractionChild() as child:

        def kill_once_it_reads() -> None:
            wait_for(lambda: child.pid is not None and reader_of(child).pid != child.pid)
            child.kill()

        killer = threading.Thread(target=kill_once_it_reads)
        killer.start()
        with pytest.raises(Cancelled):
            list(child.extract(path, "", None, Seen()))
        killer.join()


def test_a_consumer_that_stops_early_leaves_a_usable_child(
    child: ExtractionChild, tale: Path
) -> None:
    passages = child.extract(tale, "", None, Seen())
    next(passages)
    passages.close()  # type: ignore[attr-defined]  # a generator
    assert read(child, tale)[1]


def test_an_idle_child_that_is_killed_is_replaced(child: ExtractionChild, tale: Path) -> None:
    read(child, tale)
    pid = child.pid
    assert pid is not None
    psutil.Process(pid).kill()
    wait_for(lambda: not psutil.pid_exists(pid))
    assert read(child, tale)[1]
    assert child.pid != pid


def test_a_page_that_nobody_waits_for_any_longer_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(endless_page(pages=1, endless=1))
    program = Tesseract(str(tmp_path / "tesseract"), "5.3", ("eng",), detects_orientation=False)
    with ExtractionChild() as child, pytest.raises(Cancelled):
        child.recognise(path, 1, None, program, ("eng",), stopping=lambda: True)


@posix_only
@pytest.mark.parametrize(
    ("script", "code", "reason"),
    [
        ("exit 3", "child_died", "exit status 3"),
        (f"exit {TOO_LARGE_STATUS}", "out_of_memory", "350 MB"),
        ("kill -TERM $$", "child_died", "SIGTERM"),
        ("exec >&-; read never", "child_died", "stopped answering"),
    ],
)
def test_a_child_that_does_not_come_up_is_told(
    script: str, code: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    before = set(threading.enumerate())
    with pytest.raises(WorldError, match=reason) as caught:
        ChildProcess(Limits())
    assert caught.value.code == code
    assert set(threading.enumerate()) == before


def test_without_an_interpreter_no_child_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "gone"))
    with pytest.raises(WorldError) as caught:
        ChildProcess(Limits())
    assert caught.value.code == "child_died"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems end none for want of memory")
def test_readers_are_ended_before_the_engine_when_memory_runs_out(tale: Path) -> None:
    with ExtractionChild() as child:
        list(child.extract(tale, "", None, Seen()))
        score = Path(f"/proc/{child.pid}/oom_score_adj").read_text()
    assert int(score) > int(Path("/proc/self/oom_score_adj").read_text())


def test_closing_leaves_no_process_and_no_thread(tale: Path) -> None:
    before = set(threading.enumerate())
    child = ExtractionChild()
    read(child, tale)
    pid = child.pid
    child.close()
    assert pid is not None
    assert not psutil.pid_exists(pid)
    assert set(threading.enumerate()) == before


@posix_only
def test_the_child_is_polite(child: ExtractionChild, tale: Path) -> None:
    read(child, tale)
    process = psutil.Process(child.pid)
    assert process.nice() >= min(psutil.Process().nice() + 10, 19)
    assert os.getpgid(process.pid) != os.getpgid(0)


ENGINE = """
import os, sys
from pathlib import Path
from indexer.extract.process.sandbox import ExtractionChild

child = ExtractionChild()
def decide(info):
    print(child.pid, flush=True)
    return True
path, endless = map(Path, sys.argv[1:])
for _ in child.extract(path, "", None, decide):
    pass
for _ in child.extract(endless, "", None, decide):
    pass
"""


@linux_only
def test_no_process_survives_an_engine_that_is_killed(tmp_path: Path, tale: Path) -> None:
    endless = tmp_path / "endless.pdf"
    endless.write_bytes(endless_page(pages=2, endless=1))
    command = [sys.executable, "-c", ENGINE, str(tale), str(endless)]
    root = Path(__file__).resolve().parents[2]
    engine = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root)
    assert engine.stdout is not None
    orphan = psutil.Process(int(engine.stdout.readline()))
    engine.kill()
    engine.wait()
    engine.stdout.close()
    orphan.wait(timeout=60)


def test_one_child_serves_many_documents(
    child: ExtractionChild, tale: Path, tmp_path: Path
) -> None:
    read(child, tale)
    pid = child.pid
    bad = tmp_path / "bad.pdf"
    bad.write_bytes(b"%PDF-1.4 nothing")
    for _ in range(5):
        assert code_of(child, bad) == "unreadable"
        read(child, tale)
    assert child.pid == pid
