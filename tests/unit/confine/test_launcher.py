"""The launcher, forked by processes of their own: it does what it knows, and ends with them."""

from __future__ import annotations

import subprocess
import sys

import psutil
import pytest

from tests.unit.confine.apart import run
from tests.waiting import wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")

_START = """
import os, socket, subprocess, sys, time
from types import new_class
from typing import Any
from indexer.confine import launcher, network
from indexer.api.errors import LecternError, WorldError

def declared(name, *fields):
    kind = launcher.LauncherRequest[Any]
    return new_class(name, (kind,), {}, lambda body: body.update(__annotations__=dict(fields)))

Pid, Socket, Files, Fail, Break, Wait, Unknown = map(
    declared, ("Pid", "Socket", "Files", "Fail", "Break", "Wait", "Unknown"))
Echo = declared("Echo", ("value", Any))

def fail(request, gone):
    raise WorldError("model_missing", model="x", reason="offline")

def wait(request, gone):
    while not gone():
        time.sleep(0.01)

commands = {
    Pid: lambda request, gone: os.getpid(),
    Echo: lambda request, gone: request.value,
    Socket: lambda request, gone: socket.socket(socket.AF_INET).close(),
    Files: lambda request, gone: sorted(os.listdir("/dev/fd")),
    launcher.OpenInViewer: lambda request, gone: request.page == 7,
    Fail: fail, Break: lambda request, gone: 1 / 0, Wait: wait,
}
outside = launcher.fork(commands)

def told(request, **how):
    try:
        return outside.ask_launcher(request, **how)
    except LecternError as error:
        return error.code
"""


def _run(code: str) -> list[str]:
    return run(_START + code).splitlines()


def test_it_does_what_it_knows_and_nothing_else() -> None:
    assert _run("""
print(told(Echo([1, "\\udcff"])) == [1, "\\udcff"])
print(told(Unknown()), told(Fail()), told(Break()), told(Echo(2)))
""") == ["True", "bad_request model_missing internal 2"]


@pytest.mark.skipif(sys.platform != "linux", reason="the filter of Linux")
def test_it_is_free_when_its_process_is_cut_off() -> None:
    assert _run("""
network.deny()
print(network.is_reachable(), told(Socket()))
""") == ["False None"]


def test_it_holds_nothing_of_its_process() -> None:
    """A pipe that it held would never come to an end, and a file not be let go of."""
    assert _run("""
import tempfile
with tempfile.TemporaryFile() as file:
    another = launcher.fork(commands)
    held = [int(name) for name in another.ask_launcher(Files())]
    print(len(held) <= 5, file.fileno() in held)
""") == ["True False"]


def test_a_process_that_is_started_meanwhile_is_lent_it() -> None:
    child = (
        "from indexer.confine import launcher;"
        "import os; taken = launcher.inherited();"
        "said = taken.ask_launcher(launcher.OpenInViewer('echo', '/a', 7));"
        "print(said, launcher.VARIABLE in os.environ)"
    )
    assert _run(f"""
launcher.use(outside)
with launcher.shared_environment() as variables:
    done = subprocess.run([sys.executable, "-c", {child!r}], env=os.environ | variables,
                          close_fds=False, capture_output=True, text=True)
print(done.stdout, done.stderr, told(Echo(8)))
""") == ["True False", "  8"]


def test_it_is_gone_when_its_process_has_ended() -> None:
    (pid,) = _run("print(told(Pid()))")
    assert not psutil.pid_exists(int(pid))


def test_it_ends_with_the_last_that_can_ask_it() -> None:
    code = (
        _START
        + """
print(told(Pid()), flush=True)
other = launcher.Launcher(outside.share())
outside.close()
print(other.ask_launcher(Echo("still there")), flush=True)
sys.stdin.read()
"""
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        launcher = psutil.Process(int(process.stdout.readline()))
        assert process.stdout.readline() == "still there\n"
        assert launcher.is_running()
        process.kill()
    wait_for(lambda: not launcher.is_running() or launcher.status() == psutil.STATUS_ZOMBIE)


def test_a_command_hears_that_nobody_waits_any_more() -> None:
    code = (
        _START
        + """
print(told(Pid()), flush=True)
told(Wait())
"""
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        launcher = psutil.Process(int(process.stdout.readline()))
        process.kill()
    wait_for(lambda: not launcher.is_running() or launcher.status() == psutil.STATUS_ZOMBIE)


def test_without_an_answer_in_time_it_counts_as_gone() -> None:
    assert _run("""
print(told(Wait(), seconds=0.05), told(Echo(1)))
""") == ["internal internal"]
