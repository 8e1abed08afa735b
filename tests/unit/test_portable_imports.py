"""Every module is imported where the names are missing that Windows lacks."""

from __future__ import annotations

import subprocess
import sys

# Our modules are imported twice, the second time without these names: by then the libraries, which
# ask for the system themselves, have what they need of it.
_CODE = """
import importlib, os, pkgutil, select, signal, socket, sys

def ours():
    for room in ("indexer", "app", "ui"):
        package = importlib.import_module(room)
        for found in pkgutil.walk_packages(package.__path__, room + "."):
            if not found.name.endswith("__main__"):
                yield found.name

def is_missing_library(error):
    return (error.name or "").partition(".")[0] not in ("indexer", "app", "ui")

unread = set()
for name in ours():
    try:
        importlib.import_module(name)
    except ImportError as error:  # an extra that is not installed
        if not is_missing_library(error):
            raise
        unread.add(name)
names = [name for name in ours() if name not in unread]
for loaded in list(sys.modules):
    if loaded.partition(".")[0] in ("indexer", "app", "ui"):
        del sys.modules[loaded]

for module in "fcntl grp pty pwd readline resource syslog termios tty".split():
    sys.modules[module] = None
LACKING = {
    os: "O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_PATH WNOHANG WIFSIGNALED chown "
        "chroot fchown fork forkpty getegid geteuid getgid getgroups getloadavg getpgid getuid "
        "killpg lchown memfd_create mkfifo mknod nice pidfd_open pipe2 posix_fadvise pread pwrite "
        "sched_getaffinity sched_setaffinity setgid setpgid setpriority setsid setuid setxattr "
        "statvfs sysconf uname wait4 waitid",
    select: "POLLIN POLLOUT POLLERR POLLHUP PIPE_BUF epoll poll",
    signal: "SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGUSR1 SIGUSR2 "
        "SIGXCPU SIGXFSZ alarm pthread_kill pthread_sigmask setitimer sigwait",
    socket: "AF_UNIX AF_NETLINK SO_PEERCRED SCM_RIGHTS",
}
for module, lacking in LACKING.items():
    for name in lacking.split():
        if hasattr(module, name):
            delattr(module, name)
failed = 0
for name in names:
    try:
        importlib.import_module(name)
    except Exception as error:
        failed += 1
        print(f"{name}: {type(error).__name__}: {error}")
assert len(names) > 300, len(names)
sys.stdout.flush()
os._exit(min(failed, 1))
"""


def test_no_module_needs_a_name_of_unix_to_be_imported() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CODE], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
