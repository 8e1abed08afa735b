"""What Windows alone does, asked of Windows itself: no test of these runs elsewhere.

Wine does as Windows does, but for what is marked ``not_wine``.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import subprocess
import sys
import threading
import uuid
from typing import TYPE_CHECKING

import psutil
import pytest
from watchdog.observers import Observer

from indexer.api.endpoint import StreamListener, connect
from indexer.api.errors import WorldError
from indexer.api.system_keyring import SERVICE, store_password, system_keyring
from indexer.catalog.records import Root
from indexer.confine.job import WindowsJob
from indexer.files.excludes import EntryClassifier, Excludes
from indexer.files.walk import RootWalk, ScanRules, content_id
from indexer.watching.observer import ObserverSource
from indexer.watching.watched import Hints
from tests.waiting import WAIT_S, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "win32", reason="for Windows")

_OFFLINE = 0x1000
_LONGEST = 260  # of a path, for a program that asks for no more


def is_wine() -> bool:
    if sys.platform == "win32":
        return hasattr(ctypes.WinDLL("ntdll"), "wine_get_version")
    return False


not_wine = pytest.mark.skipif(is_wine(), reason="Wine does it in another way")


def walked(folder: Path) -> dict[str, str]:
    """The code of each entry of a folder, "" for what is read, by its name."""
    root = Root(1, os.fsencode(folder), b"")
    rules = ScanRules(Excludes(), EntryClassifier({".txt": "text"}))
    return {
        os.fsdecode(entry.name): entry.code or ""
        for listed in RootWalk(root, rules)
        for entry in listed.entries
    }


def test_passwords_are_kept_by_the_credential_manager() -> None:
    """It encrypts them by DPAPI, with the login of the person."""
    backend = system_keyring()
    assert backend is not None
    assert type(backend).__module__ == "keyring.backends.Windows"
    name = f"a test {uuid.uuid4()}"
    assert store_password(backend, name, "Grüße, 錠")
    backend.delete_password(SERVICE, name)
    assert backend.get_password(SERVICE, name) is None


def allows_long_paths() -> bool:
    """Whether the person who looks after this computer has lifted the limit."""
    if sys.platform == "win32":
        import winreg

        key = r"SYSTEM\CurrentControlSet\Control\FileSystem"
        with (
            contextlib.suppress(OSError),
            winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, key) as opened,
        ):
            return bool(winreg.QueryValueEx(opened, "LongPathsEnabled")[0])
    return is_wine()


@pytest.mark.skipif(not allows_long_paths(), reason="long paths are not enabled on this computer")
def test_files_at_long_paths_are_found_and_hashed(tmp_path: Path) -> None:
    folder = tmp_path.joinpath(*("folder of a long name " + "x" * 40 for _ in range(6)))
    folder.mkdir(parents=True)
    file = folder / "lease.txt"
    file.write_bytes(b"the tenant mends the roof")
    assert len(str(file)) > _LONGEST
    assert walked(tmp_path)["lease.txt"] == ""
    hashed = content_id(os.fsencode(file)).content_id
    assert hashed == hashlib.sha256(file.read_bytes()).hexdigest()


@not_wine
def test_changes_are_heard_by_one_handle_for_a_whole_tree(tmp_path: Path) -> None:
    """That is ReadDirectoryChangesW, of which watchdog has one a root."""
    assert "read_directory_changes" in Observer.__module__
    hints, heard = Hints(), set[bytes]()

    def hears(path: Path) -> bool:
        heard.update(hints.take_hints(0.05)[0])
        return os.fsencode(path) in heard

    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    with contextlib.closing(ObserverSource(hints)) as source:
        assert source.watch_folder(os.fsencode(tmp_path))
        assert source.watch_folder(os.fsencode(deep))
        assert source.folders == 1
        # Again and again, as nobody says from when on it listens.
        wait_for(lambda: (deep / "new.txt").write_text("x") and hears(deep / "new.txt"))
        (deep / "new.txt").rename(tmp_path / "moved.txt")
        wait_for(lambda: hears(tmp_path / "moved.txt"))
        heard.clear()
        (tmp_path / "moved.txt").unlink()
        wait_for(lambda: hears(tmp_path / "moved.txt"))


STARTER = """
import subprocess, sys
sys.stdin.readline()
inner = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(inner.pid, flush=True)
inner.wait()
"""
# Wants more than its job may have.
GREEDY = """
import sys
sys.stdin.readline()
try:
    kept = bytearray(1 << 30)
except MemoryError:
    print("refused", flush=True)
"""
# Makes a job of a process, and ends without a word to it.
OWNER = """
import os, sys
from indexer.confine.job import WindowsJob
job = WindowsJob(int(sys.argv[1]))
os._exit(0)
"""


@contextlib.contextmanager
def python(script: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", script, *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def begin(process: subprocess.Popen[str]) -> str:
    """Let a process begin, and return the first line that it writes."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("begin\n")
    process.stdin.flush()
    return process.stdout.readline().strip()


def test_what_a_reader_started_ends_with_it() -> None:
    with python(STARTER) as outer:
        job = WindowsJob(outer.pid)
        inner = psutil.Process(int(begin(outer)))
        job.end()
        assert outer.wait(WAIT_S) == 1
        inner.wait(WAIT_S)
        assert not inner.is_running()


def test_a_reader_ends_with_the_process_that_has_its_job() -> None:
    with python(STARTER) as reader:
        with python(OWNER, str(reader.pid)) as owner:
            assert owner.wait(WAIT_S) == 0
        reader.wait(WAIT_S)


@not_wine
def test_a_reader_gets_no_more_memory_than_its_job_has() -> None:
    with python(GREEDY) as reader:
        job = WindowsJob(reader.pid, 512 << 20)
        assert begin(reader) == "refused"
        job.end()


@pytest.fixture
def pipe() -> str:
    return rf"\\.\pipe\lectern-test-{uuid.uuid4()}"


def test_a_pipe_carries_messages_of_any_length(pipe: str) -> None:
    messages = [b"", b"short", os.urandom(3 << 20)]
    listener = StreamListener(pipe, 1)

    def echo() -> None:
        client = listener.accept()
        for _ in messages:
            client.send_bytes(client.recv_bytes())

    thread = threading.Thread(target=echo)
    thread.start()
    stream = connect(pipe)
    for message in messages:
        stream.send_bytes(message)
        assert stream.recv_bytes() == message
    thread.join(WAIT_S)
    stream.close()
    listener.close()


def test_a_pipe_without_a_listener_is_known_at_once(pipe: str) -> None:
    with pytest.raises(FileNotFoundError):
        connect(pipe)


@not_wine
def test_a_pipe_has_one_listener(pipe: str) -> None:
    with contextlib.closing(StreamListener(pipe, 1)), pytest.raises(PermissionError):
        StreamListener(pipe, 1)


@not_wine
def test_what_onedrive_keeps_in_the_cloud_is_not_fetched(tmp_path: Path) -> None:
    file = tmp_path / "lease.txt"
    file.write_text("the tenant mends the roof")
    if sys.platform == "win32":
        assert ctypes.windll.kernel32.SetFileAttributesW(str(file), _OFFLINE)
    assert walked(tmp_path) == {"lease.txt": "placeholder"}
    with pytest.raises(WorldError) as caught:
        content_id(os.fsencode(file))
    assert caught.value.code == "placeholder"
