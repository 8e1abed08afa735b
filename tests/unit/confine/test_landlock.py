"""Landlock, tried in processes of their own on real files and a real listener."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from indexer.confine import kernel
from tests.unit.confine.apart import TOLD, run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not kernel.landlock_version(), reason="this kernel has no Landlock")

_START = f"""{TOLD}
from pathlib import Path
from indexer.confine import kernel
from indexer.confine.kernel import CHANGE, READ, RUN, Scope
folder = Path(sys.argv[1])
"""


def _run(folder: Path, code: str, *, descriptor: int | None = None) -> list[str]:
    keep = () if descriptor is None else (descriptor,)
    return run(_START + code, folder, descriptor, keep=keep).split()


def test_only_what_is_allowed_can_be_read_and_written(tmp_path: Path) -> None:
    for name in ("mine", "scratch", "others"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    assert _run(tmp_path, """
assert kernel.restrict([(folder / "mine", READ), (folder / "scratch", CHANGE)])
print(told((folder / "mine" / "file").read_text), told((folder / "others" / "file").read_text))
print(told(lambda: (folder / "mine" / "file").write_text("")))
print(told(lambda: (folder / "others" / "new").write_text("")))
print(told(lambda: (folder / "scratch" / "new").write_text("")))
print(told(lambda: os.rename(folder / "scratch" / "new", folder / "others" / "new")))
print(told(lambda: (folder / "others" / "file").unlink()))
print(told(lambda: os.listdir(folder / "others")))
""") == ["done", "EACCES", "EACCES", "EACCES", "done", "EACCES", "EACCES", "EACCES"]  # fmt: skip
    assert (tmp_path / "others" / "file").read_text() == "others"


def test_a_descriptor_grants_the_very_file_it_names(tmp_path: Path) -> None:
    given, other = tmp_path / "given", tmp_path / "other"
    given.write_text("given")
    other.write_text("other")
    with given.open("rb") as file:
        assert _run(tmp_path, """
assert kernel.restrict([(int(sys.argv[2]), READ)])
print(told((folder / "given").read_text), told((folder / "other").read_text))
""", descriptor=file.fileno()) == ["done", "EACCES"]  # fmt: skip


@pytest.mark.skipif(kernel.landlock_version() < 4, reason="this kernel's Landlock knows no TCP")
def test_tcp_is_cut_off_and_files_are_not(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert _run(tmp_path, f"""
assert kernel.restrict()
print(told(lambda: socket.create_connection(("127.0.0.1", {port}))))
print(told(lambda: socket.create_server(("127.0.0.1", 0))))
print(told((folder / "file").read_text))
""") == ["EACCES", "EACCES", "done"]  # fmt: skip


@pytest.mark.skipif(kernel.landlock_version() < 6, reason="this kernel's Landlock knows no scopes")
def test_signals_reach_confined_processes_only(tmp_path: Path) -> None:
    assert _run(tmp_path, """
import subprocess
outside = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
assert kernel.restrict(scope=Scope.SIGNAL)
print(told(lambda: os.kill(outside.pid, 9)), told(lambda: os.kill(os.getpid(), 0)))
outside.communicate(b"\\n")
""") == ["EPERM", "done"]  # fmt: skip


def test_places_that_do_not_exist_are_passed_over(tmp_path: Path) -> None:
    assert _run(tmp_path, """
print(kernel.restrict([(folder / "nowhere", READ)]) > 0)
""") == ["True"]  # fmt: skip
