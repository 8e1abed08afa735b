"""What a reader of documents may do: a document that runs code tries each forbidden thing."""

from __future__ import annotations

import errno
import json
import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.confine import landlock, reader, seccomp, worker
from indexer.extract.office.libreoffice import find_program
from indexer.extract.process import process
from indexer.extract.process.sandbox import ExtractionChild
from tests.integration import rights
from tests.integration.extraction import Seen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.skipif(not worker.is_available(), reason="documents have workers on Linux only"),
    pytest.mark.skipif(not seccomp.is_available(), reason="no filters for this processor"),
    pytest.mark.skipif(landlock.abi() < 6, reason="this kernel's Landlock is older"),
]

# An extraction child in which the reader of texts runs code of a document. What it finds out is the
# reason of the error that the engine is told.
_TAKEN_OVER = """
import json, os, signal, socket, subprocess, sys
from pathlib import Path
from indexer.api.errors import WorldError
from indexer.extract.process import child
from indexer.extract.plain import text

def attempts(document, own):
    secret, library, port = map(str, OWN)
    engine = os.getppid()
    yield "read the document", lambda: Path(document).read_bytes()
    yield "write its scratch", lambda: Path(tempfile.gettempdir(), "x").write_text("x")
    yield "read another file", lambda: Path(secret).read_bytes()
    yield "list a folder", lambda: os.listdir(Path(secret).parent)
    yield "change the document", lambda: Path(document).write_text("x")
    yield "append to another", lambda: open(secret, "ab").close()
    yield "delete a file", lambda: os.unlink(secret)
    yield "make a file", lambda: Path(library, "new").write_text("x")
    yield "write the temporary folder", lambda: Path("/tmp/lectern-escaped").write_text("x")
    yield "rename the library", lambda: os.rename(library, library + ".gone")
    yield "link it into the scratch", lambda: os.link(secret, Path(tempfile.gettempdir(), "l"))
    yield "connect", lambda: socket.create_connection(("127.0.0.1", int(port)))
    yield "look a name up", lambda: socket.getaddrinfo("example.org", 80)
    yield "send a datagram", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    yield "use a local socket", lambda: socket.socket(socket.AF_UNIX)
    yield "start a program", lambda: subprocess.run(["/bin/true"])
    yield "fork", os.fork
    yield "kill the engine", lambda: os.kill(engine, signal.SIGKILL)
    yield "read its environment", lambda: Path(f"/proc/{engine}/environ").read_bytes()
    yield "read its memory", lambda: open(f"/proc/{engine}/mem", "rb").close()
    yield "take its descriptors", lambda: os.readlink(f"/proc/{engine}/fd/0")
    yield "write a huge file", lambda: Path(tempfile.gettempdir(), "h").open("wb").truncate(2 << 30)

import tempfile

def tried(action):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "done"

def open_source(path, password, limits):
    found = {name: tried(action) for name, action in attempts(path, None)}
    found["environment"] = ",".join(sorted(os.environ))
    raise WorldError("read_error", reason=json.dumps(found))

text.open_source = open_source
sys.exit(child.main())
"""

_ALLOWED = {"read the document", "write its scratch"}


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def test_a_document_that_runs_code_reaches_nothing(
    tmp_path: Path, listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, secret = tmp_path / "library", tmp_path / "others" / "secret.txt"
    library.mkdir()
    secret.parent.mkdir()
    secret.write_text("secret")
    document = tmp_path / "document.txt"
    document.write_text("A document.")
    own = [str(secret), str(library), str(listener.getsockname()[1])]
    code = f"OWN = {own!r}\n{_TAKEN_OVER}"

    def command(_limits: object, scratch: str) -> list[str]:
        return [sys.executable, "-P", "-c", code, f"--scratch={scratch}"]

    monkeypatch.setattr(process, "command", command)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a secret of the person")
    with ExtractionChild() as child, pytest.raises(WorldError) as caught:
        list(child.extract(document, "text", None, Seen()))
    found: dict[str, str] = json.loads(caught.value.detail["reason"])
    environment = found.pop("environment").split(",")
    assert {name for name, outcome in found.items() if outcome == "done"} == _ALLOWED
    assert "AWS_SECRET_ACCESS_KEY" not in environment
    assert document.read_text() == "A document."
    assert secret.read_text() == "secret"
    assert library.is_dir()
    assert not list(library.iterdir())


def test_a_worker_sees_nothing_of_the_one_before(tmp_path: Path) -> None:
    """Neither its memory, which is another process's, nor what it left in the scratch folder."""
    code = """
import os, sys
from pathlib import Path
from indexer.confine import worker
from indexer.confine.process import Alarm, ChildOptions
scratch, document = map(Path, sys.argv[1:])
started = ChildOptions(Alarm(0), scratch, 0)
def leave():
    (scratch / "folder").mkdir()
    (scratch / "folder" / "file").write_text("left behind")
    print("left", flush=True)
def look():
    print(*os.listdir(scratch), flush=True)
worker.DocumentWorker(leave, document, started).wait()
worker.empty(scratch)
worker.DocumentWorker(look, document, started).wait()
"""
    scratch, document = tmp_path / "scratch", tmp_path / "document"
    scratch.mkdir()
    document.write_text("text")
    done = subprocess.run(
        [sys.executable, "-c", code, str(scratch), str(document)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["left"], done.stderr


def test_a_reader_that_may_start_programs_talks_to_none_that_run(tmp_path: Path) -> None:
    """Behind the sockets of a desktop are programs that start others, free of any confinement."""
    code = """
import socket, subprocess, sys
from pathlib import Path
from indexer.confine import reader
reader.confine_to_document(None, Path(sys.argv[1]))
with socket.socket(socket.AF_UNIX) as talking:
    print(talking.connect_ex(sys.argv[2]))
print(subprocess.run(["/bin/true"]).returncode)
"""
    place = tmp_path / "bus"
    with socket.socket(socket.AF_UNIX) as bus:
        bus.bind(str(place))
        bus.listen()
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path), str(place)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    assert done.stdout.split() == [str(errno.ECONNREFUSED), "0"], done.stderr


def test_a_reader_that_may_start_programs_starts_no_end_of_them(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    code = """
import os, sys, time
from pathlib import Path
from indexer.confine import reader
reader.confine_to_document(None, Path(sys.argv[1]))
reader.limit_processes()
waiting, ending = os.pipe()
for started in range(2000):
    try:
        if os.fork() == 0:
            os.close(ending)
            os.read(waiting, 1)
            os._exit(0)
    except BlockingIOError:
        break
print(started)
"""
    done = subprocess.run(
        [*rights.as_somebody_else(), sys.executable, "-c", code, str(tmp_path)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert 0 < int(done.stdout) <= reader.PROCESSES, done.stderr


@pytest.mark.skipif(not find_program(), reason="LibreOffice is not installed")
def test_libreoffice_reads_an_old_document_under_the_same(tmp_path: Path) -> None:
    text, profile = tmp_path / "a.txt", f"-env:UserInstallation={(tmp_path / 'home').as_uri()}"
    text.write_text("The ship sank in November. The crew camped on the ice.")
    converting = ["--headless", "--convert-to", "doc:MS Word 97", "--outdir", str(tmp_path)]
    command = [str(find_program()), profile, *converting, str(text)]
    subprocess.run(command, check=True, capture_output=True)
    with ExtractionChild() as child:
        (passages,) = child.extract(tmp_path / "a.doc", "", None, Seen())
    assert [passage.text for passage in passages] == [text.read_text()]


def test_a_worker_that_grows_too_large_is_killed_by_its_child(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from indexer.confine import worker
from indexer.confine.process import Alarm, ChildOptions
started = ChildOptions(Alarm(0), Path(sys.argv[1]), 100 << 20)
def grow():
    held = bytearray(b"x") * (400 << 20)
    sys.stdin.read()
worker.DocumentWorker(grow, Path(sys.argv[1]), started).wait()
"""
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)], check=False, stdin=reading
        )
    finally:
        os.close(reading)
        os.close(writing)
    assert done.returncode == worker.TOO_LARGE_STATUS
