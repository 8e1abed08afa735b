"""What a process and all it started did, as strace saw it, and what of that it may not do.

Owns the calls that are looked at and the rules on them. It must not know what was run.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_CALLS = (
    "socket", "connect", "bind", "listen", "sendto", "sendmsg", "sendmmsg", "io_uring_setup",
    "open", "openat", "openat2", "creat", "mkdir", "mkdirat", "mknod", "mknodat", "link", "linkat",
    "symlink", "symlinkat", "rename", "renameat", "renameat2", "execve",
)  # fmt: skip
_LINE = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+)(?:<([^>]*)>)?")
_TEXT = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
# Read by whoever looks up a name, and where others do that for him.
_LOOK_UPS = ("/etc/resolv.conf", "/etc/hosts", "/etc/gai.conf", "/run/systemd/resolve", "mdns")
# Asked for its version, Tesseract names libcurl's, which has OpenLDAP look up this machine's own
# name; the filter lets no question out, and nothing else asks for a name.
_OWN_NAME = re.compile(r'^execve\("[^"]*/tesseract", \["[^"]*tesseract", "--version"\]')
_MAKING = ("mkdir", "mknod", "link", "symlink", "rename")


def is_available() -> bool:
    return shutil.which("strace") is not None


def traced(command: Sequence[str], folder: Path) -> list[str]:
    """Return the command line that runs another one and writes down what it does.

    Args:
        command: What is to be run.
        folder: For one file a thread. It exists.
    """
    options = ["-ff", "-qq", "-y", "-s", "4096", "--seccomp-bpf", "-e", "signal=none"]
    calls = ["-e", f"trace={','.join(f'?{call}' for call in _CALLS)}"]
    return ["strace", *options, *calls, "-o", str(folder / "calls"), *command]


@dataclass(frozen=True, slots=True)
class Rules:
    """Where files may be made; everything on the network is forbidden.

    Attributes:
        places: Folders, and what lies in them.
    """

    places: tuple[Path, ...]

    def broken(self, folder: Path) -> list[str]:
        """List what was done against the rules by what ``traced`` has written down."""
        found = set()
        for file in folder.glob("calls.*"):
            lines = file.read_text("utf-8", "replace").splitlines()
            own_name = any(map(_OWN_NAME.match, lines))
            for line in lines:
                if (match := _LINE.match(line)) is not None:
                    found |= set(self._wrong(line, match, own_name=own_name))
        return sorted(found)

    def _wrong(self, line: str, match: re.Match[str], *, own_name: bool) -> Iterator[str]:
        call, arguments, result, opened = match[1], match[2], int(match[3]), match[4]
        looked_up = call != "execve" and any(place in arguments for place in _LOOK_UPS)
        if call == "socket" and result >= 0 and not arguments.startswith(("AF_UNIX", "AF_LOCAL")):
            yield f"a socket: {line}"
        elif call == "io_uring_setup" and result >= 0:
            yield f"an io_uring: {line}"
        elif "sa_family=AF_" in arguments and "sa_family=AF_UNIX" not in arguments:
            yield f"an address: {line}"
        elif looked_up and not own_name:
            yield f"a look-up: {line}"
        elif result >= 0:
            yield from (f"a file: {path}" for path in _made(call, arguments, opened or "")
                        if not self._is_ours(path))  # fmt: skip

    def _is_ours(self, path: str) -> bool:
        places = (*map(str, self.places), "/dev", "/proc", "/memfd:")
        return path.startswith(tuple(f"{place.rstrip('/')}" for place in places))


def _made(call: str, arguments: str, opened: str) -> Iterator[str]:
    """Name the files that a call has made."""
    if call in {"open", "openat", "openat2", "creat"}:
        if "O_CREAT" in arguments or "O_TMPFILE" in arguments or call == "creat":
            yield opened
    elif call == "bind" and 'sun_path="' in arguments:
        yield arguments.partition('sun_path="')[2].partition('"')[0]
    elif call.startswith(_MAKING):
        # The last one is what comes into being.
        folder, name = _TEXT.findall(arguments)[-1]
        yield name if name.startswith("/") else f"{folder}/{name}"
