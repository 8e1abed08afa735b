"""What a reader of documents may do: a document that runs code tries each forbidden thing."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import psutil
import pytest

from indexer.api.errors import LecternError
from indexer.api.pages import DocumentSource, GetText
from indexer.config import Limits
from indexer.confine import cgroup, kernel, worker
from indexer.confine.process import kill_readers
from indexer.extract.office.libreoffice import find_program
from indexer.extract.process import process, sandbox
from indexer.extract.process.sandbox import ExtractionChild
from tests.integration import rights
from tests.integration.extraction import Seen
from tests.integration.rendering import render_child
from tests.integration.world import World, search
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.skipif(not worker.is_available(), reason="documents have workers on Linux only"),
    pytest.mark.skipif(not kernel.has_seccomp(), reason="no filters for this processor"),
    pytest.mark.skipif(kernel.landlock_version() < 6, reason="this kernel's Landlock is older"),
]

# An extraction child in which the reader of texts runs code of a document, up to where a test
# continues it. What that finds out becomes the text of the document.
_TAKEN_OVER = """
import ctypes, errno, json, mmap, os, signal, socket, struct, subprocess, sys, tempfile, time
from pathlib import Path
from indexer.extract.process import child
from indexer.extract.plain import text

libc = ctypes.CDLL(None, use_errno=True)
honest = text.open_source

def raw(number, *arguments):
    def call():
        given = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
        if libc.syscall(ctypes.c_long(number), *given) < 0:
            raise OSError(ctypes.get_errno(), "")
    return call

def tried(action):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        action()
    except Exception as error:
        return errno.errorcode.get(getattr(error, "errno", None), type(error).__name__)
    return "done"

def alone(action):
    # A process that the action started ends here.
    own = os.getpid()
    try:
        return tried(action)
    finally:
        if os.getpid() != own:
            os._exit(0)

def say(found):
    Path(tempfile.gettempdir(), "found.txt").write_text(json.dumps(found))
    return honest(Path(tempfile.gettempdir(), "found.txt"), None, Limits())

from indexer.config import Limits
"""

_ATTEMPTS = """
def attempts(document):
    secret, library, port, other, pipe = map(str, OWN)
    other = int(other)
    engine = os.getppid()
    a = secret.encode()
    scratch = tempfile.gettempdir()
    yield "read the document", lambda: Path(document).read_bytes()
    yield "write its scratch", lambda: Path(scratch, "x").write_text("x")
    yield "read another file", lambda: Path(secret).read_bytes()
    yield "list a folder", lambda: os.listdir(Path(secret).parent)
    yield "change the document", lambda: Path(document).write_text("x")
    yield "append to another", lambda: open(secret, "ab").close()
    yield "delete a file", lambda: os.unlink(secret)
    yield "make a file", lambda: Path(library, "new").write_text("x")
    yield "write the temporary folder", lambda: Path("/tmp/lectern-escaped").write_text("x")
    yield "write the child's folder", lambda: Path(scratch, "..", "x").write_text("x")
    yield "rename the library", lambda: os.rename(library, library + ".gone")
    yield "link it into the scratch", lambda: os.link(secret, Path(scratch, "l"))
    yield "leave a link in the scratch", lambda: os.symlink(secret, Path(scratch, "s"))
    yield "make a device", lambda: os.mkfifo(Path(scratch, "f"))
    yield "connect", lambda: socket.create_connection(("127.0.0.1", int(port)))
    yield "look a name up", lambda: socket.getaddrinfo("example.org", 80)
    yield "send a datagram", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    yield "use a local socket", lambda: socket.socket(socket.AF_UNIX)
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        yield f"a pair of sockets {kind}", lambda: socket.socketpair(socket.AF_UNIX, kind)
    yield "start a program", lambda: subprocess.run(["/bin/true"])
    yield "fork", os.fork
    for to, name in ((engine, "engine"), (other, "other")):
        yield f"kill the {name}", lambda: os.kill(to, signal.SIGKILL)
        yield f"signal the {name}", lambda: os.kill(to, 0)
        yield f"stop all of the {name}", lambda: os.killpg(to, signal.SIGSTOP)
        yield f"limit the {name}", lambda: resource.prlimit(to, resource.RLIMIT_CPU, (1, 1))
        yield f"read a limit of the {name}", lambda: resource.prlimit(to, resource.RLIMIT_CPU)
        yield f"slow the {name}", lambda: os.setpriority(os.PRIO_PROCESS, to, 19)
        yield f"bind the {name}", lambda: os.sched_setaffinity(to, {0})
        yield f"schedule the {name}", lambda: os.sched_setscheduler(
            to, os.SCHED_IDLE, os.sched_param(0))
        yield f"open the {name}", lambda: os.pidfd_open(to)
        yield f"read the environment of the {name}", Path(f"/proc/{to}/environ").read_bytes
        yield f"read the command of the {name}", Path(f"/proc/{to}/cmdline").read_bytes
        yield f"read the state of the {name}", Path(f"/proc/{to}/stat").read_bytes
        yield f"read the memory of the {name}", lambda: open(f"/proc/{to}/mem", "rb").close()
        yield f"take descriptors of the {name}", lambda: os.readlink(f"/proc/{to}/fd/0")
        yield f"open a pipe of the {name}", lambda: open(f"/proc/{to}/fd/0", "rb").close()
    yield "list processes", lambda: os.listdir("/proc")
    for name in ("net/tcp", "net/unix", "mountinfo", "cgroup", "environ", "auxv"):
        yield f"read {name}", Path("/proc/self", name).read_bytes
    yield "list its threads", lambda: os.listdir("/proc/self/task")
    yield "write a huge file", lambda: Path(scratch, "h").open("wb").truncate(2 << 30)
    for name, path in (("another", secret), ("the document", document), ("its scratch", scratch)):
        yield f"change the mode of {name}", lambda: os.chmod(path, 0o777)
        yield f"change the owner of {name}", lambda: os.chown(path, os.getuid(), os.getgid())
        yield f"change the time of {name}", lambda: os.utime(path, (0, 0))
        yield f"set an attribute of {name}", lambda: os.setxattr(path, "user.x", b"x")
        yield f"remove an attribute of {name}", lambda: os.removexattr(path, "user.x")
        yield f"lock {name}", lambda: fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_EX)
        yield f"watch {name}", raw(NR["inotify_add_watch"], 0, path.encode(), 0xFFF)
    held = os.open(document, os.O_RDONLY)
    yield "change the mode of what is open", lambda: os.fchmod(held, 0o777)
    yield "change the owner of what is open", lambda: os.fchown(held, 0, 0)
    yield "change the time of what is open", lambda: os.utime(held, (0, 0))
    yield "set an attribute of what is open", lambda: os.setxattr(held, "user.x", b"x")
    yield "lease what is open", lambda: fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    yield "lock what is open", lambda: fcntl.lockf(held, fcntl.LOCK_SH)
    yield "flags of what is open", lambda: fcntl.ioctl(held, 0x40086602, struct.pack("l", 0x10))
    own = os.getpid()
    for name, command, value in (
        ("own what is open", 8, engine), ("signal by what is open", 10, signal.SIGKILL),
        ("own by structure", 15, bytes(8)), ("notify of a folder", 1026, 1), ("seal", 1033, 1),
        ("enlarge a pipe", 1031, 1 << 20), ("hint", 1036, bytes(8)),
    ):
        yield name, lambda: fcntl.fcntl(held, command, value)
    for name, command in (
        ("push into a terminal", 0x5412), ("take a terminal", 0x540E), ("own by FIOSETOWN", 0x8901),
        ("signal by FIOASYNC", 0x5452), ("copy a file", 0x40049409), ("freeze", 0xC0045877),
    ):
        yield name, lambda: fcntl.ioctl(held, command, struct.pack("q", engine))
    for name, flags in (("user", 1 << 28), ("mounts", 1 << 17), ("network", 1 << 30)):
        yield f"a thread in new namespaces of {name}", raw(CLONE, flags | 0x10F00, 0, 0, 0, 0)
        yield f"a process in new namespaces of {name}", raw(CLONE, flags | 17, 0, 0, 0, 0)
    yield "a process by clone", raw(CLONE, 17, 0, 0, 0, 0)
    yield "a process by clone3", raw(435, bytes(88), 88)
    yield "write the memory of the engine", lambda: open(f"/proc/{engine}/mem", "wb").close()
    yield "be killed later than others", lambda: open("/proc/self/oom_score_adj", "w").write("-900")
    yield "write its own memory", lambda: open("/proc/self/mem", "wb").close()
    yield "abstract socket", lambda: socket.socket(socket.AF_UNIX).connect(chr(0) + "X0")
    yield "raise its limits", lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
    yield "limit another by prctl", raw(NR["prctl"], 22, 2, 0)
    yield "speak with the kernel", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)
    yield "hold memory in a file", lambda: os.memfd_create("x")
    yield "hold shared memory", lambda: mmap.mmap(-1, 4096)
    yield "outlive its parent", raw(NR["prctl"], 1, 0)
    yield "adopt processes", raw(NR["prctl"], 36, 1)
    yield "become undumpable", raw(NR["prctl"], 4, 0)
    yield "leave its group", lambda: os.setpgid(0, 0)
    yield "leave its session", os.setsid
    for name, number in NR.items():
        yield f"call {name}", raw(number, 0, 0, 0, 0, 0, 0)

def open_source(path, password, limits):
    found = {name: alone(action) for name, action in attempts(str(path))}
    found["environment"] = ",".join(sorted(os.environ))
    found["input"] = os.read(0, 100).decode()
    return say(found)

import fcntl, resource
text.open_source = open_source
sys.exit(child.main())
"""

# A reader that may start programs; vfork alone cannot be played by a call without assembly.
_STARTING = """
child._programs = lambda request, promised: [Path("/bin/true")]
NR.pop("vfork")
"""

# System calls by their numbers on x86-64 and 64-bit Arm, none of which a reader needs.
_CALLS = {
    "prctl": (157, 167), "inotify_add_watch": (254, 27), "inotify_init1": (294, 26),
    "fanotify_init": (300, 262), "keyctl": (250, 219), "add_key": (248, 217),
    "request_key": (249, 218), "bpf": (321, 280), "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425), "memfd_secret": (447, 447), "userfaultfd": (323, 282),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424), "kcmp": (312, 272), "migrate_pages": (256, 238),
    "move_pages": (279, 239), "sched_setattr": (314, 274), "sched_setparam": (142, 118),
    "ioprio_set": (251, 30), "ioprio_get": (252, 31), "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "fchmodat2": (452, 452),
    "utimensat": (280, 88), "setxattrat": (463, 463), "file_setattr": (469, 469),
    "lsetxattr": (189, 6), "lremovexattr": (198, 15), "fchownat": (260, 54),
    "sendmsg": (46, 211), "sendmmsg": (307, 269), "sendto": (44, 206), "recvmsg": (47, 212),
    "mount": (165, 40), "open_tree": (428, 428), "fsopen": (430, 430), "mount_setattr": (442, 442),
    "unshare": (272, 97), "setns": (308, 268), "chroot": (161, 51), "pivot_root": (155, 41),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "mq_open": (240, 180),
    "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186), "mknodat": (259, 33),
    "timer_create": (222, 107), "setrlimit": (160, 164), "splice": (275, 76), "tee": (276, 77),
    "vmsplice": (278, 75), "fallocate": (285, 47), "swapon": (167, 224), "quotactl": (179, 60),
    "kexec_load": (246, 104), "init_module": (175, 105), "reboot": (169, 142), "acct": (163, 89),
    "sethostname": (170, 161), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "personality": (135, 92), "seccomp": (317, 277), "landlock_create_ruleset": (444, 444),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "pidfd_open": (434, 434),
    "move_mount": (429, 429), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "umount2": (166, 39), "memfd_create": (319, 279), "shmat": (30, 196),
    "sched_setscheduler": (144, 119), "sched_setaffinity": (203, 122), "setns_again": (308, 268),
    "inotify_init": (253, -1), "fanotify_mark": (301, 263), "linkat": (265, 37),
    "symlinkat": (266, 36), "mkfifo": (133, -1), "tgkill_other": (234, 131), "kill": (62, 129),
    "set_mempolicy": (238, 237), "mbind": (237, 235), "remap_file_pages": (216, 234),
    "pkey_mprotect": (329, 288), "map_shadow_stack": (453, 453), "lookup_dcookie": (212, 18),
    "landlock_add_rule": (445, 445), "landlock_restrict_self": (446, 446), "setsid": (112, 157),
    "setpgid": (109, 154), "setuid": (105, 146), "setresuid": (117, 147), "capset": (126, 91),
    "statmount": (457, 457), "listmount": (458, 458), "mseal": (462, 462), "vfork": (58, -1),
    "execve": (59, 221), "execveat": (322, 281), "syslog": (103, 116), "vhangup": (153, 58),
    "iopl": (172, -1), "modify_ldt": (154, -1), "socket": (41, 198), "accept": (43, 202),
    "msgsnd": (69, 189), "semop": (65, 193), "mq_notify": (244, 184), "timerfd_create": (283, 85),
    "signalfd4": (289, 74), "eventfd2": (290, 19), "epoll_create1": (291, 20),
    "fsync": (74, 82), "sync": (162, 81), "mlockall": (151, 230), "mlock": (149, 228),
}  # fmt: skip
_ALLOWED = {"read the document", "write its scratch"}
_REFUSED = {"EPERM", "ENOSYS", "EAFNOSUPPORT"}
# What one may do besides that may start programs, and calls that its programs need.
_ALLOWED_TO_START = {
    "use a local socket", f"a pair of sockets {socket.SOCK_STREAM!s}", "start a program", "fork",
    "a process by clone", "hold shared memory", "lock the document", "lock its scratch",
    "lock what is open", "call kill", "call eventfd2", "call epoll_create1",
}  # fmt: skip
_CALLS_TO_START = {
    "execve", "kill", "tkill", "tgkill_other", "sendto", "setrlimit", "accept", "eventfd2",
    "epoll_create1", "fsync",
}  # fmt: skip


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


class Victim:
    """A library, another document, a process of the person, and a hostile document."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch
        self.library, self.secret = folder / "library", folder / "others" / "secret.txt"
        self.library.mkdir()
        self.secret.parent.mkdir()
        self.secret.write_text("secret")
        self.document = folder / "document.txt"
        self.document.write_text("A document.")

    def run(self, code: str, *own: object) -> str:
        """Have the children that are started from now on run some code in readers of texts.

        Returns:
            The code of a render child that does the same.
        """
        column = os.uname().machine != "x86_64"
        numbers = {name: number[column] for name, number in _CALLS.items()}
        given = [str(value) for value in (self.secret, self.library, *own)]
        clone = (56, 220)[column]
        numbered = f"OWN = {given!r}\nNR = {numbers!r}\nCLONE = {clone}\n"
        taken = f"{numbered}{_TAKEN_OVER}\n{code}"

        def command(_limits: object, scratch: str) -> list[str]:
            return [sys.executable, "-P", "-c", taken, f"--scratch={scratch}"]

        self._patch.setattr(process, "command", command)
        main = "from indexer.render.child import main; sys.exit(main())"
        return taken.replace("sys.exit(child.main())", main)


@pytest.fixture
def victim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Victim:
    return Victim(tmp_path, monkeypatch)


@pytest.mark.parametrize("place", ["a reader", "a reader that starts programs", "the preview"])
def test_a_document_that_runs_code_reaches_nothing(
    victim: Victim, listener: socket.socket, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a secret of the person")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        starts = place == "a reader that starts programs"
        code = victim.run(
            (_STARTING if starts else "") + _ATTEMPTS, listener.getsockname()[1], other.pid, ""
        )
        before = [path.stat().st_ctime_ns for path in (victim.secret, victim.document)]
        text = _shown(victim.document, code) if place == "the preview" else _extracted(victim)
        assert other.poll() is None
        other.kill()
    found: dict[str, str] = json.loads(text)
    environment = found.pop("environment").split(",")
    assert found.pop("input") == ""
    allowed = _ALLOWED | _ALLOWED_TO_START if starts else _ALLOWED
    assert {name for name, outcome in found.items() if outcome == "done"} == allowed
    # By the filter, and not because a call without arguments fails anyway.
    calls = {name[5:]: outcome for name, outcome in found.items() if name.startswith("call ")}
    assert len(calls) == len(_CALLS) - starts
    needed = _CALLS_TO_START | {"prctl"} if starts else {"prctl"}
    assert {call for call, outcome in calls.items() if outcome not in _REFUSED} == needed
    assert "AWS_SECRET_ACCESS_KEY" not in environment
    assert victim.document.read_text() == "A document."
    assert victim.secret.read_text() == "secret"
    assert before == [path.stat().st_ctime_ns for path in (victim.secret, victim.document)]
    assert victim.library.is_dir()
    assert not list(victim.library.iterdir())


def _extracted(victim: Victim) -> str:
    with ExtractionChild() as child:
        groups = [*child.extract(victim.document, "text", None, Seen())]
    return "".join(passage.text for group in groups for passage in group)


def _shown(path: Path, code: str) -> str:
    with render_child(code=code) as ask:
        _found, data = ask(GetText(DocumentSource(path), start=0, end=0, room=1_000_000))
    return data.decode()


def test_in_a_real_library_a_document_never_stands_for_another(
    victim: Victim, world: World
) -> None:
    """One that claims what is known of another document, before and after that was read."""
    (world.documents / "innocent.txt").write_text("The zephyr of the innocent.")
    with world.engine() as engine:
        world.index(engine)
        ((claimed, before),) = engine.catalog.db.rows("SELECT text_id, passages FROM docs")
    attack = f"""
def attack(pipe, request):
    info = DocumentInfo({claimed!r}, "text", 1, "innocent.txt", "", "", "en", 1, 1000)
    speak(pipe, [DocumentRead(info)])
    child.read_frame(pipe._incoming)
    speak(pipe, ended([PassagesSent((passage(0, 0, "Forged for the innocent zephyr."),))]))
sys.exit(child.main())
"""
    victim.run(f"{_FORGERS}\n{attack}")
    (world.documents / "hostile.txt").write_text("A hostile document.")
    (world.documents / "later.txt").write_text("The zephyr of the innocent.")
    with world.engine() as engine:
        world.index(engine)
        hits = search(engine, "zephyr", 20)
        forged = {hit.file for hit in hits if "Forged" in hit.text}
        honest = {hit.file for hit in hits if "Forged" not in hit.text}
        assert forged == {"hostile.txt"}
        assert honest  # the same text in two files is listed once
        assert honest <= {"innocent.txt", "later.txt"}
        rows = engine.catalog.db.rows("SELECT passages FROM docs WHERE text_id = ?", claimed)
        assert rows == [(before,)]


_FORGERS = """
from indexer.api.codec import frame, write_frame
from indexer.api.types import DocumentInfo, Passage
from indexer.extract.process.messages import *

def passage(ordinal, start, text):
    return Passage(ordinal, 1, 1, start, start + len(text), (), text, text, (0,), (0,), text)

def speak(pipe, said):
    for message in said:
        pipe.outgoing.write(frame(message.header(message_id)))
    pipe.outgoing.flush()

def send(pipe, data):
    pipe.outgoing.write(data)
    pipe.outgoing.flush()

def forged(name):
    return DocumentInfo("0" * 64, "text", 1, name, "", "", "en", 1, 1000)

def ended(said):
    yield from said
    yield Ended()

def extract(pipe, request, recognised):
    global message_id
    message_id = pipe.id
    if not request.path.name.startswith("hostile"):
        return honest_extract(pipe, request, recognised)
    attack(pipe, request)

honest_extract, child._extract = child._extract, extract
"""


def _read(child: ExtractionChild, path: Path) -> str:
    """Return the text of a document, or the code of its failure."""
    try:
        groups = [*child.extract(path, "text", None, Seen())]
    except LecternError as error:
        return error.code
    return " ".join(passage.text for group in groups for passage in group)


def _notes(folder: Path) -> tuple[Path, list[Path]]:
    """Make a hostile document, and the innocent ones that are read after it."""
    hostile = folder / "hostile.txt"
    hostile.write_text("A hostile document.")
    notes = [folder / f"note{number}.txt" for number in range(3)]
    for note in notes:
        note.write_text(f"An honest note, {note.stem}.")
    return hostile, notes


@pytest.mark.parametrize(
    ("attack", "outcome"),
    [
        # It goes on after its end, for the documents after it.
        (
            """
    speak(pipe, ended([DocumentRead(forged("first")), ]))
    for message_id in range(pipe.id + 1, pipe.id + 9):
        speak(pipe, ended([DocumentRead(forged("x")), PassagesSent((passage(0, 0, "Forged."),))]))
    read_frame = child.read_frame
    stolen = read_frame(pipe._incoming)
    while True:
        time.sleep(1)
""",
            "",
        ),
        # It answers with the number of the next document.
        ("    message_id += 1; speak(pipe, [DocumentRead(forged('x')), Ended()])", "child_died"),
        ("    speak(pipe, [PassagesSent((passage(0, 0, 'Early.'),)), Ended()])", "child_died"),
        ("    speak(pipe, [DocumentRead(forged('x'))] * 2)", "child_died"),
        # No store can hold what UTF-8 cannot encode.
        ("    speak(pipe, ended([DocumentRead(forged(chr(0xDC80)))]))", "child_died"),
        (
            """
    speak(pipe, [DocumentRead(forged('x'))])
    child.read_frame(pipe._incoming)
    speak(pipe, ended([PassagesSent((passage(0, 0, chr(0xDCFF)),))]))
""",
            "child_died",
        ),
        ("    speak(pipe, [Failed(Failure('disk_full', '', {'path': '/'}))])", "internal"),
        ("    send(pipe, b'\\0\\0\\0\\x09no frames')", "child_died"),
        pytest.param(
            "    send(pipe, b'\\xff' * 99); time.sleep(99)", "child_died", marks=pytest.mark.slow
        ),
        pytest.param(
            "    os.close(pipe.outgoing.fileno()); time.sleep(99)", "child_died",
            marks=pytest.mark.slow,
        ),
        ("    os._exit(0)", "child_died"),
    ],
)  # fmt: skip
def test_a_reader_answers_for_no_other_document(
    victim: Victim, tmp_path: Path, attack: str, outcome: str
) -> None:
    hostile, notes = _notes(tmp_path)
    begin = "def attack(pipe, request):\n    global message_id\n"
    ending = "from indexer.api.errors import Failure\nsys.exit(child.main())"
    victim.run(f"{_FORGERS}\n{begin}{attack}\n{ending}")
    with ExtractionChild(Limits(silence_s=20)) as child:
        assert _read(child, hostile) == outcome
        assert [_read(child, note) for note in notes] == [note.read_text() for note in notes]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("attack", "outcome"),
    [
        ("while True: speak(pipe, [PageReached(1, 2)]); time.sleep(0.05)", "out_of_time"),
        (
            """speak(pipe, [DocumentRead(forged('x'))]); n = 0
    while True: speak(pipe, [PassagesSent((passage(n, 9 * n, 'w' * 9),))]); n += 1""",
            "child_died",
        ),
        # Empty folders fill a disk, too, and lie below each other.
        (
            """n = 0
    while True: os.makedirs(Path(tempfile.gettempdir(), str(n), "x")); n += 1""",
            "out_of_memory",
        ),
        # Or deeper than any path reaches.
        (
            """at = os.open(tempfile.gettempdir(), os.O_RDONLY)
    for level in range(20):
        os.mkdir("d" * 250, dir_fd=at)
        at = os.open("d" * 250, os.O_RDONLY, dir_fd=at)
    while True: os.mkdir(str(time.monotonic_ns()), dir_fd=at)""",
            "out_of_memory",
        ),
        # Threads, which take of what the system has for all processes.
        (
            """import threading; threading.stack_size(32768); never = threading.Event()
    while True: threading.Thread(target=never.wait, daemon=True).start()""",
            "out_of_memory",
        ),
    ],
)
def test_a_reader_that_never_ends_is_ended(
    victim: Victim, tmp_path: Path, attack: str, outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile, notes = _notes(tmp_path)
    if outcome == "out_of_time":
        monkeypatch.setattr(sandbox, "_TOTAL_SILENCES", 1)
    fewer = "child.worker.ENTRIES = 200"  # as a slow disk makes few of them in a second
    taken = f"{_FORGERS}\n{fewer}\ndef attack(pipe, request):\n    {attack}"
    victim.run(f"{taken}\nsys.exit(child.main())")
    with ExtractionChild(Limits(silence_s=8)) as child:
        assert _read(child, hostile) == outcome
        assert _read(child, notes[0]) == notes[0].read_text()


def test_a_reader_that_may_start_programs_leaves_none(victim: Victim, tmp_path: Path) -> None:
    hostile, notes = _notes(tmp_path)
    victim.run("""
child._programs = lambda request, promised: [Path("/bin/true")] if "hostile" in str(
    request.path) else []

def open_source(path, password, limits):
    if "hostile" not in str(path):
        return honest(path, password, limits)
    found = {"left": [], "group": tried(lambda: os.setpgid(0, 0)), "session": tried(os.setsid)}
    for ignored in range(3):
        if not (left := os.fork()):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            if not os.fork():
                while True:
                    time.sleep(9)
            time.sleep(99)
        found["left"].append(left)
    return say(found)

text.open_source = open_source
sys.exit(child.main())
""")
    with ExtractionChild() as child:
        found = json.loads(_read(child, hostile))
        assert _read(child, notes[0]) == notes[0].read_text()
        assert not [left for left in found["left"] if psutil.pid_exists(left)]
        wait_for(lambda: not psutil.Process(child.pid).children(recursive=True))
    assert found["group"] == found["session"] == "EPERM"


_PREVIEWED = """
import faulthandler
from indexer.api.codec import encode, write_frame
from indexer.api.errors import Failure
from indexer.api.pages import TextPart
from indexer.render import child as preview

honest_serve = preview._serve

def serve(documents, header, outgoing):
    if "hostile" not in str(header):
        return honest_serve(documents, header, outgoing)
    faulthandler.cancel_dump_traceback_later()
    attack(header, outgoing)

def reply(outgoing, number, answer=None, data=b"Forged."):
    answer = answer or encode(TextPart(0, False, (), ()))
    write_frame(outgoing, {"type": "reply", "answer": answer, "id": number}, data)

preview._serve = serve
"""


def _asked(path: Path) -> GetText:
    return GetText(DocumentSource(path), start=0, end=0, room=1_000)


@pytest.mark.parametrize(
    ("attack", "outcome"),
    [
        pytest.param("time.sleep(999)", "out_of_time", marks=pytest.mark.slow),
        pytest.param(
            """outgoing.write(bytes((0, 0, 16, 0)))
    while True: outgoing.write(b"x"); outgoing.flush(); time.sleep(0.02)""",
            "out_of_time",
            marks=pytest.mark.slow,
        ),
        ("reply(outgoing, header['id'] + 1)", "child_died"),
        ("reply(outgoing, header['id'], {'start': chr(0xD800)})", "child_died"),
        ("reply(outgoing, header['id'], {'start': chr(0xDC80)})", "child_died"),
        ("reply(outgoing, header['id'], encode(TextPart(-1, False)))", "child_died"),
        ("reply(outgoing, header['id'], encode(TextPart(0, False, (), (2**40,))))", "child_died"),
        ("reply(outgoing, header['id'], {'offset': '0', 'more': 1})", "child_died"),
        ("write_frame(outgoing, {'type': 'hello', 'id': header['id']})", "child_died"),
        (
            """error = Failure('disk_full', '', {'path': '/'})
    write_frame(outgoing, {'type': 'error', 'error': error, 'id': header['id']})""",
            "internal",
        ),
        # It answers what it will be asked next, too.
        ("[reply(outgoing, header['id'] + more) for more in range(9)]", ""),
    ],
)
def test_in_the_preview_a_document_harms_no_other(
    victim: Victim, tmp_path: Path, attack: str, outcome: str
) -> None:
    hostile, notes = _notes(tmp_path)
    taken = f"{_PREVIEWED}\ndef attack(header, outgoing):\n    {attack}\nsys.exit(child.main())"
    with render_child("--silence=6", code=victim.run(taken)) as ask:
        failed = ""
        try:
            ask(_asked(hostile))
        except LecternError as error:
            failed = error.code
        assert failed == outcome
        for note in notes:
            assert ask(_asked(note))[1] == note.read_bytes()


LEAVING = """
from indexer.render import child as preview
child.programs_of = preview.programs_of = lambda promised: [Path("/bin/true")]

def open_source(path, password, limits):
    left = []
    for ignored in range(3):
        if not (started := os.fork()):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                time.sleep(9)
        left.append(started)
    if "crash" in str(path):
        os.abort()
    if "hang" in str(path):
        time.sleep(999)
    return say(left)

text.open_source = open_source
sys.exit(child.main())
"""


def running_code_of(victim: Victim) -> list[psutil.Process]:
    """Return the processes that run the code of a document, and the children that do."""
    found = []
    for process_there in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if any(str(victim.secret) in part for part in process_there.cmdline()):
                found.append(process_there)
    return found


@pytest.mark.parametrize("name", ["crash.txt", "hang.txt"])
def test_what_a_reader_started_ends_with_it_however_it_ends(victim: Victim, name: str) -> None:
    """Such processes hold the pipe of a reader that crashed, and outlive a killed child."""
    hostile = victim.document.rename(victim.document.with_name(name))
    victim.run(LEAVING)
    with ExtractionChild() as child, ThreadPoolExecutor(1) as pool:
        outcome = pool.submit(_read, child, hostile)
        if name == "hang.txt":
            wait_for(lambda: len(running_code_of(victim)) == 5)
            assert child.pid is not None
            os.kill(child.pid, signal.SIGKILL)
        assert outcome.result() == ("reader_killed" if name == "hang.txt" else "child_died")
        wait_for(lambda: not running_code_of(victim))


@pytest.mark.parametrize("how", ["closed", "killed", "changed", "crashed"])
def test_in_the_preview_a_document_leaves_no_process(
    victim: Victim, tmp_path: Path, how: str
) -> None:
    hostile, _notes_there = _notes(tmp_path)
    with render_child(code=victim.run(LEAVING)) as ask:
        left = json.loads(ask(_asked(hostile))[1])
        assert all(map(psutil.pid_exists, left))
        if how == "closed":
            assert ask.process.stdin is not None
            ask.process.stdin.close()
        elif how == "killed":
            kill_readers(ask.process.pid)
            ask.process.kill()
        elif how == "crashed":
            crashing = victim.document.rename(victim.document.with_name("crash.txt"))
            with pytest.raises(AssertionError, match="has ended"):
                ask(_asked(crashing))
        else:
            hostile.write_text("It was changed.")
            ask(_asked(hostile))
        wait_for(lambda: not any(map(psutil.pid_exists, left)))
        wait_for(lambda: how == "changed" or not running_code_of(victim))


def test_a_worker_sees_nothing_of_the_one_before(tmp_path: Path) -> None:
    """Neither its memory, which is another process's, nor what it left in the scratch folder."""
    code = """
import os, sys, tempfile
from pathlib import Path
from indexer.confine import worker
from indexer.confine.process import Alarm, ChildOptions
scratch, document = map(Path, sys.argv[1:])
started = ChildOptions(Alarm(0), scratch, 0)
def leave(_requests, _answers):
    own = Path(tempfile.gettempdir())
    (own / "folder").mkdir()
    (own / "folder" / "file").write_text("left behind")
    print("left", flush=True)
def look(_requests, _answers):
    try:
        print(os.listdir(scratch), flush=True)
    except PermissionError:
        print(*os.listdir(tempfile.gettempdir()), flush=True)
worker.DocumentWorker(leave, document, started).finish()
worker.DocumentWorker(look, document, started).finish()
print(os.listdir(scratch), file=sys.stderr)
"""
    scratch, document = tmp_path / "scratch", tmp_path / "document"
    scratch.mkdir()
    document.write_text("text")
    done = subprocess.run(
        [sys.executable, "-c", code, str(scratch), str(document)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr.split() == ["left", "[]"]


def test_a_reader_that_may_start_programs_talks_to_none_that_run(tmp_path: Path) -> None:
    """Behind the sockets of a desktop are programs that start others, free of any confinement."""
    code = """
import socket, subprocess, sys
from pathlib import Path
from indexer.confine import worker
worker.confine_to_document(None, Path(sys.argv[1]), [Path("/bin/true")])
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
from indexer.confine import worker
worker.confine_to_document(None, Path(sys.argv[1]), [Path("/bin/true")])
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
    assert 0 < int(done.stdout) <= cgroup.PROCESSES, done.stderr


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


@pytest.mark.parametrize("named", [True, False])
def test_a_disk_is_not_filled_by_shared_memory(tmp_path: Path, *, named: bool) -> None:
    """Which a reader that may start programs has, and which no count of written bytes has."""
    code = """
import mmap, os, sys, tempfile, time
from pathlib import Path
from indexer.confine import worker
from indexer.confine.process import Alarm, ChildOptions
worker.WRITTEN_BYTES = 16 << 20
held = []
def fill(requests, _answers):
    for number in range(8):
        path = Path(tempfile.gettempdir(), str(number))
        held.append(path.open("w+b"))
        held[-1].truncate(4 << 20)
        with mmap.mmap(held[-1].fileno(), 4 << 20) as shared:
            shared[:] = bytes(b"x") * len(shared)
        if sys.argv[2] == "False":
            path.unlink()
    requests.read()
started = ChildOptions(Alarm(0), Path(sys.argv[1]), 0)
worker.DocumentWorker(fill, Path(sys.argv[1]), started, [Path("/bin/true")]).receive(1)
"""
    command = [sys.executable, "-c", code, str(tmp_path), str(named)]
    assert subprocess.run(command, check=False, timeout=99).returncode == worker.TOO_LARGE_STATUS


@pytest.mark.parametrize("who", ["itself", "its program"])
def test_a_worker_that_grows_too_large_is_killed_by_its_child(tmp_path: Path, who: str) -> None:
    code = """
import os, sys
from pathlib import Path
from indexer.confine import worker
from indexer.confine.process import Alarm, ChildOptions
started = ChildOptions(Alarm(0), Path(sys.argv[1]), 100 << 20)
worker.PROGRAM_BYTES = 100 << 20
def grow(requests, _answers):
    if sys.argv[2] == "itself" or os.fork() == 0:
        held = bytearray(b"x") * (400 << 20)
    requests.read()
programs = [] if sys.argv[2] == "itself" else [Path("/bin/true")]
worker.DocumentWorker(grow, Path(sys.argv[1]), started, programs).receive(1)
"""
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path), who], check=False, stdin=reading, timeout=99
        )
    finally:
        os.close(reading)
        os.close(writing)
    assert done.returncode == worker.TOO_LARGE_STATUS
