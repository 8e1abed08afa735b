"""A second start hands over to the first, unless the first has crashed."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QProcess, QProcessEnvironment
from PySide6.QtNetwork import QLocalSocket

from indexer.api.endpoint import window_address
from tests.ui.engines import search_path
from ui import application
from ui.application import Single, Start, hand_over

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

SECOND = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from ui.application import Start, hand_over
app = QCoreApplication([])
query = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
sys.exit(0 if hand_over(Path(sys.argv[1]), Start(query)) else 3)
"""
CRASH = """
import os, sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from ui.application import Single
app = QCoreApplication([])
single = Single(Path(sys.argv[1]))
os._exit(0)
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return tmp_path / "library"


@pytest.fixture
def first(library: Path, qtbot: QtBot) -> Iterator[Single]:
    first = Single(library)
    yield first
    first.close()


def start_second(library: Path, query: str) -> QProcess:
    """Start a process that hands over a query, read from its input as command lines are short."""
    process = QProcess()
    environment = QProcessEnvironment.systemEnvironment()
    environment.insert("PYTHONPATH", search_path())
    process.setProcessEnvironment(environment)
    process.start(sys.executable, ["-c", SECOND, str(library)])
    process.write(query.encode("utf-8", "surrogatepass"))
    process.closeWriteChannel()
    return process


def finish(process: QProcess, qtbot: QtBot) -> bool:
    """Wait for a second start; return whether it handed over."""
    with qtbot.waitSignal(process.finished):
        pass
    assert process.exitCode() in {0, 3}, process.readAllStandardError()
    return process.exitCode() == 0


def test_a_second_start_hands_over(first: Single, library: Path, qtbot: QtBot) -> None:
    heard: list[str] = []
    first.handed_over.connect(lambda start: heard.append(start.query))
    process = start_second(library, "wer zahlt für das Dach?")
    with qtbot.waitSignal(process.finished):
        pass
    assert process.exitCode() == 0, process.readAllStandardError()
    assert heard == ["wer zahlt für das Dach?"]


def test_a_long_query_is_handed_over_too(first: Single, library: Path, qtbot: QtBot) -> None:
    heard: list[str] = []
    first.handed_over.connect(lambda start: heard.append(start.query))
    query = "who pays? \udc80" * 10_000
    process = start_second(library, query)
    assert finish(process, qtbot)
    assert [len(each) for each in heard] == [len(query)]


def test_another_library_has_a_window_of_its_own(
    first: Single, tmp_path: Path, qtbot: QtBot
) -> None:
    assert not hand_over(tmp_path / "other", Start())


def test_without_a_first_window_nothing_is_handed_over(library: Path, qtbot: QtBot) -> None:
    assert not hand_over(library, Start())


def test_a_copy_has_a_window_of_its_own(library: Path, tmp_path: Path, qtbot: QtBot) -> None:
    library.mkdir()
    (library / "catalog.sqlite").touch()
    first = Single(library)
    shutil.copytree(library, tmp_path / "copy")
    (tmp_path / "link").symlink_to(library, target_is_directory=True)
    heard: list[str] = []
    first.handed_over.connect(lambda start: heard.append(start.query))
    assert not finish(start_second(tmp_path / "copy", "copy"), qtbot)
    if (tmp_path / "link").is_dir():  # Wine does not follow links
        assert finish(start_second(tmp_path / "link", "link"), qtbot)
        assert heard == ["link"]
    first.close()


def test_a_library_in_the_place_of_another_is_not_handed_to_its_window(
    library: Path, tmp_path: Path, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    library.mkdir()
    first = Single(library)
    heard: list[str] = []
    first.handed_over.connect(lambda start: heard.append(start.query))
    shutil.copytree(library, tmp_path / "backup")
    library.rename(tmp_path / "moved")
    (tmp_path / "backup").rename(library)
    assert not finish(start_second(library, "backup"), qtbot)
    assert heard == []
    # Its window does not take the first one's address.
    second = Single(library)
    assert "no second start can hand over" in caplog.text
    second.close()
    (tmp_path / "moved").rename(tmp_path / "again")
    shutil.rmtree(library)
    (tmp_path / "again").rename(library)
    assert finish(start_second(library, "original"), qtbot)
    assert heard == ["original"]
    first.close()


def test_a_window_that_was_there_before_its_library_is_found(
    first: Single, library: Path, qtbot: QtBot
) -> None:
    assert finish(start_second(library, "before"), qtbot)
    library.mkdir()
    assert finish(start_second(library, "after"), qtbot)


def test_the_socket_of_a_crashed_window_is_replaced(
    library: Path, runtime_folder: Path, qtbot: QtBot
) -> None:
    subprocess.run([sys.executable, "-c", CRASH, str(library)], env=_environment(), check=True)
    # A pipe of Windows ends with its process.
    assert bool(list(runtime_folder.glob("*.win"))) == (sys.platform != "win32")
    assert not hand_over(library, Start())
    first = Single(library)
    process = start_second(library, "")
    with qtbot.waitSignal(first.handed_over):
        pass
    with qtbot.waitSignal(process.finished):
        pass
    first.close()


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": search_path()}


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe has no mode")
def test_only_the_owner_can_open_it(first: Single, library: Path) -> None:
    assert stat.S_IMODE(Path(window_address(library)).stat().st_mode) & 0o077 == 0


def test_an_invalid_message_closes_the_connection(
    first: Single, library: Path, qtbot: QtBot
) -> None:
    heard: list[object] = []
    first.handed_over.connect(heard.append)
    for said in (
        b"nonsense\n",
        b"[1]\n",
        b"[" * 50_000 + b"\n",
        b"x" * (application.MAX_BYTES + 10),
    ):
        socket = QLocalSocket()
        socket.connectToServer(window_address(library))
        socket.write(said)
        qtbot.waitUntil(partial(_is_done, socket))
        socket.abort()
    assert heard == []


def _is_done(socket: QLocalSocket) -> bool:
    closed = socket.state() is QLocalSocket.LocalSocketState.UnconnectedState
    return closed or bool(bytes(socket.readAll().data()))


def test_existing_absolute_paths_are_opened(tmp_path: Path) -> None:
    file = tmp_path / "a lease & more.pdf"
    file.touch()
    assert Start.from_arguments([str(file), file.as_uri(), f"{tmp_path}/"], "token") == Start(
        "", "token", (str(file), str(file), str(tmp_path))
    )


def test_everything_else_is_a_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes").mkdir()
    monkeypatch.chdir(tmp_path)
    words = ["who", "pays", "notes", "/no/such/file", "lectern://passage?text=a", "/a\0b"]
    assert Start.from_arguments(words) == Start(" ".join(words))


@pytest.mark.parametrize(
    "address", ["file://other-host/etc/passwd", "file:", "file://[", "file:/%00"]
)
def test_addresses_that_name_no_local_file_open_nothing(address: str) -> None:
    assert Start.from_arguments([address]) == Start(address)
