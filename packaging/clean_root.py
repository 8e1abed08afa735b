"""Tests the Debian package in a new Debian without Python and compiler, and without network.

    sudo python packaging/clean_root.py PACKAGE [--before PACKAGE] [--picture FILE] [--root FOLDER]

It checks that the package installs, passes its self-test as an ordinary user without network, keeps
a library when it replaces an earlier version, shows its window, and leaves no files when it is
removed. It needs root, debootstrap, Xvfb, and a mirror for the dependencies.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from command import run
from display import Display

if TYPE_CHECKING:
    from collections.abc import Iterator

MIRROR = "http://deb.debian.org/debian"
SUITE = "bookworm"
SAMPLES = "/usr/lib/lectern/_internal/resources/sample/documents"
COMPLETE = (
    "source /usr/share/bash-completion/completions/lectern; COMP_WORDS=(lectern se); COMP_CWORD=1; "
    "_shtab_lectern; echo ${COMPREPLY[@]}"
)
# Folders in which any installation leaves files, such as logs and caches.
_NOT_OURS = ("var/cache", "var/lib", "var/log", "etc", "tmp", "proc", "dev", "sys", "home", "run")

# Runs a command in new namespaces of processes and network, so that it has no network.
_PERSON = """
mkdir -p "$1/tmp/.X11-unix" /tmp/.X11-unix
mount -t proc proc "$1/proc" && mount --bind /dev "$1/dev" &&
mount --bind /tmp/.X11-unix "$1/tmp/.X11-unix" &&
exec chroot "$1" su - person -c "$2"
"""
QUESTION = "who mends the roof"
# Seconds within which a window must be painted, and within which its results must be there.
_PAINT_S, _RESULT_S = 60.0, 90.0


class Root:
    """A folder with a Debian system."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def make(self) -> None:
        run("debootstrap", "--variant=minbase", SUITE, self.folder, MIRROR, capture=True)
        self.folder.chmod(0o755)  # a temporary folder is not accessible to others
        self.run("useradd --create-home person")

    def run(self, command: str) -> str:
        """Run a command as root, with network."""
        return run("chroot", self.folder, "sh", "-c", command, capture=True)

    def run_as_person(self, command: str) -> str:
        """Run a command as an ordinary user without network."""
        return run(*self._as_person(command), capture=True)

    @contextlib.contextmanager
    def started(self, command: str) -> Iterator[None]:
        """Start a command as an ordinary user without network, and end all it has started."""
        with subprocess.Popen(self._as_person(command), start_new_session=True) as process:
            try:
                yield
            finally:
                process.kill()

    def _as_person(self, command: str) -> list[str]:
        spaces = ("--net", "--mount", "--pid", "--fork", "--kill-child")
        return ["unshare", *spaces, "sh", "-c", _PERSON, "sh", str(self.folder), command]

    def install(self, package: Path) -> None:
        """Install a package and those beside it that it recommends."""
        for each in package.parent.glob(package.name.replace("_", "*_", 1)):
            shutil.copy(each, self.folder / "tmp" / each.name)
        quietly = "DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends"
        self.run(f"{quietly} --reinstall /tmp/lectern*.deb && rm /tmp/lectern*.deb")

    def files(self) -> set[Path]:
        """The files outside of ``_NOT_OURS``."""
        found = (path.relative_to(self.folder) for path in self.folder.rglob("*"))
        return {path for path in found if not str(path).startswith(_NOT_OURS)}


def expect(fact: object, what: str) -> None:
    if not fact:
        sys.exit(f"failed: {what}")
    print(f"ok  {what}", flush=True)


def try_package(package: Path, root: Root, before: Path, picture: Path) -> None:
    """Install the earlier package and use it, then install the new one, use it and remove it."""
    root.make()
    root.run("apt-get update")
    root.install(before)
    depended = root.files() - {path for path in root.files() if "lectern" in str(path)}
    tools = root.run("command -v python3 gcc cc || true")
    expect(not tools.strip(), "there is no Python and no compiler")
    root.run_as_person(f"lectern index {SAMPLES}")
    root.run_as_person("lectern settings set speed slow")
    known = states(root)
    root.install(package)
    print(root.run_as_person("lectern self-test"))
    expect(known and states(root) == known, "the library is as it was")
    kept = root.run_as_person("lectern settings get speed")
    expect(kept.strip() == "slow", "the settings are as they were")
    answer = root.run_as_person(f"lectern search {QUESTION}")
    expect("workshop-lease.pdf" in answer, "it answers after the second installation")
    show_window(root, picture)
    root.run_as_person("lectern verify")
    manual = root.folder / "usr/share/man/man1/lectern.1.gz"
    expect(manual.exists(), "there is a manual page")
    share = root.folder / "usr/share"
    expect((share / "doc/lectern/html/index.html").exists(), "the help is there as a site")
    completed = root.run_as_person(f"bash -c '{COMPLETE}'")
    expect("search" in completed.split(), "bash completes its commands")
    remove(root, depended)


def remove(root: Root, depended: set[Path]) -> None:
    """Purge the package, and fail if files are left other than those of its dependencies."""
    output = root.run("apt-get purge --yes '^lectern'")
    expect("~/.local/share/lectern" in output, "a purge names the folder of the libraries")
    left = root.files() - depended
    expect(not left, f"no files are left {sorted(map(str, left))[:5]}")
    places = root.run("cd /home/person && find . -type f ! -path './.bash*' ! -name .profile")
    ours = ("./.local/share/lectern/", "./.config/lectern/", "./.cache/", "./.local/state/lectern/")
    stray = [each for each in places.splitlines() if not each.startswith(ours)]
    expect(not stray, f"a person's files are in Lectern's folders only {stray[:5]}")
    library = root.folder / "home/person/.local/share/lectern/library"
    expect(library.is_dir(), "the person's library is still there")


def states(root: Root) -> dict[str, str]:
    """Return the state of each file of the person's library, by its path."""
    rows = map(json.loads, root.run_as_person("lectern files --json").splitlines())
    return {row["path"]: row["state"] for row in rows}


def show_window(root: Root, picture: Path) -> None:
    """Start the window with none of its files in the page cache, and save a picture of it."""
    with tempfile.TemporaryDirectory() as folder, Display(Path(folder)) as display:
        os.sync()
        Path("/proc/sys/vm/drop_caches").write_text("3\n")
        with root.started(f"DISPLAY={display.name} lectern-window gui {QUESTION}"):
            print(f"first paint: {display.wait_for_paint(_PAINT_S):.2f} s")
            display.wait_until_still(_RESULT_S)
            display.save(picture)
    expect(picture.stat().st_size, f"its window is in {picture}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", type=Path)
    parser.add_argument("--before", type=Path, help="the version before; else the package itself")
    parser.add_argument("--picture", type=Path, default=Path("build/window.png"))
    parser.add_argument("--root", type=Path, help="an empty folder; else a temporary one")
    asked = parser.parse_args()
    before, picture = asked.before or asked.package, asked.picture.absolute()
    picture.parent.mkdir(parents=True, exist_ok=True)
    if asked.root is not None:
        try_package(asked.package, Root(asked.root), before, picture)
        return 0
    with tempfile.TemporaryDirectory(prefix="lectern-root-") as folder:
        try_package(asked.package, Root(Path(folder)), before, picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
