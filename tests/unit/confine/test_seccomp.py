"""The filters, tried in processes of their own: what is forbidden fails, what is needed works."""

from __future__ import annotations

import pytest

from indexer.confine import kernel
from tests.unit.confine.apart import TOLD, run

pytestmark = pytest.mark.skipif(not kernel.has_seccomp(), reason="Linux on x86-64 or Arm only")

_START = f"""{TOLD}
import threading, ctypes
from indexer.confine import kernel
libc = ctypes.CDLL(None, use_errno=True)

def raw(number, *arguments):
    def call():
        if libc.syscall(number, *arguments) < 0:
            raise OSError(ctypes.get_errno(), "")
    return call
"""


def _run(code: str) -> list[str]:
    return run(_START + code).split()


def test_no_socket_but_local_ones_after_the_network_is_denied() -> None:
    assert _run("""
assert kernel.deny_network()
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET):
    print(told(lambda: socket.socket(family, socket.SOCK_DGRAM)))
print(told(lambda: socket.socket(socket.AF_UNIX)))
""") == ["EAFNOSUPPORT"] * 4 + ["done"]


def test_threads_that_run_already_are_denied_too() -> None:
    assert _run("""
go, found = threading.Event(), []
def later():
    go.wait()
    found.append(told(lambda: socket.socket(socket.AF_INET)))
thread = threading.Thread(target=later)
thread.start()
assert kernel.deny_network()
go.set()
thread.join()
print(*found)
""") == ["EAFNOSUPPORT"]


def test_what_a_confined_process_starts_is_confined() -> None:
    assert _run("""
import subprocess
assert kernel.deny_network()
code = "import socket\\ntry:\\n socket.socket(socket.AF_INET)\\nexcept OSError as e: print(e.errno)"
print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
print(errno.EAFNOSUPPORT)
""") == ["97", "97"]


def test_ways_round_are_closed() -> None:
    assert _run("""
import platform
assert kernel.deny_network()
column = {"x86_64": 0, "aarch64": 1}[platform.machine()]
for name in ("io_uring_setup", "ptrace", "pidfd_getfd", "process_vm_readv"):
    print(told(raw(kernel._NUMBERS[name][column], 0, 0, 0, 0, 0, 0)))
if column == 0:
    print(told(raw(0x40000000 + 41, 2, 1, 0)))
else:
    print("ENOSYS")
""") == ["ENOSYS", "EPERM", "EPERM", "EPERM", "ENOSYS"]


def test_a_reader_may_start_threads_and_nothing_else() -> None:
    assert _run("""
assert kernel.deny_unneeded()
thread = threading.Thread(target=lambda: print("thread"))
thread.start()
thread.join()
print(told(os.fork), told(lambda: os.execv(sys.executable, [sys.executable, "--version"])))
print(told(lambda: os.posix_spawn(sys.executable, [sys.executable], {})))
print(told(lambda: socket.socket(socket.AF_UNIX)))
mount = (165, 40)[os.uname().machine != "x86_64"]
print(told(raw(mount, 0, 0, 0, 0, 0)))
""") == ["thread", "EPERM", "EPERM", "EPERM", "EAFNOSUPPORT", "EPERM"]


def test_a_reader_that_may_start_programs_still_has_no_network() -> None:
    assert _run("""
import subprocess
assert kernel.deny_unneeded(programs=True)
code = "import socket\\ntry:\\n socket.socket(socket.AF_INET)\\nexcept OSError as e: print(e.errno)"
print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
""") == ["97"]


@pytest.mark.parametrize("reads", [False, True])
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_programs_are_whole_instructions_that_jump_inside(machine: str, *, reads: bool) -> None:
    reading = (*kernel._reading_rules(), *kernel._program_rules(), *kernel._ERRORS)
    code = kernel.assemble_filter(reading if reads else tuple(kernel._network_rules()), machine)
    assert len(code) % 8 == 0
    instructions = len(code) // 8
    for at in range(instructions):
        kind, if_true, if_false = (
            code[at * 8] | code[at * 8 + 1] << 8,
            code[at * 8 + 2],
            code[at * 8 + 3],
        )
        if kind & 0x07 == 0x05:
            assert at + 1 + max(if_true, if_false) < instructions
