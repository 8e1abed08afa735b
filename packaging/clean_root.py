"""Tests the Debian package in a new Debian without Python and compiler, and without network.

    sudo python packaging/clean_root.py PACKAGE [ROOT]

Checks that it installs, passes its self-test as a person without network, keeps a library when it
is installed again, and leaves no files when it is removed. Needs root, debootstrap, and a mirror
for the dependencies.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from command import run

MIRROR = "http://deb.debian.org/debian"
SUITE = "bookworm"
SAMPLES = "/opt/lectern/_internal/resources/sample/documents"
COMPLETE = (
    "source /usr/share/bash-completion/completions/lectern; COMP_WORDS=(lectern se); COMP_CWORD=1; "
    "_shtab_lectern; echo ${COMPREPLY[@]}"
)
# Folders in which any installation leaves files, such as logs and caches.
_NOT_OURS = ("var/cache", "var/lib", "var/log", "etc", "tmp", "proc", "dev", "sys", "home", "run")

# Run in new namespaces of processes and network, without any network.
_PERSON = """
mount -t proc proc "$1/proc" && mount --bind /dev "$1/dev" &&
exec chroot "$1" su - person -c "$2"
"""


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
        return run(
            "unshare", "--net", "--mount", "--pid", "--fork", "sh", "-c", _PERSON, "sh",
            self.folder, command, capture=True,
        )  # fmt: skip

    def install(self, package: Path) -> None:
        shutil.copy(package, self.folder / "tmp" / package.name)
        quietly = "DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends"
        self.run(f"{quietly} --reinstall /tmp/{package.name}")

    def files(self) -> set[Path]:
        """The files outside of ``_NOT_OURS``."""
        found = (path.relative_to(self.folder) for path in self.folder.rglob("*"))
        return {path for path in found if not str(path).startswith(_NOT_OURS)}


def expect(fact: object, what: str) -> None:
    if not fact:
        sys.exit(f"failed: {what}")
    print(f"ok  {what}", flush=True)


def try_package(package: Path, root: Root) -> None:
    """Install the package, use it, install it again, remove it."""
    root.make()
    root.run("apt-get update")
    root.install(package)
    depended = root.files() - {path for path in root.files() if "lectern" in str(path)}
    tools = root.run("command -v python3 gcc cc || true")
    expect(not tools.strip(), "there is no Python and no compiler")
    print(root.run_as_person("lectern self-test"))
    root.run_as_person(f"lectern index {SAMPLES}")
    before = root.run_as_person("lectern files --json")
    root.install(package)
    expect(root.run_as_person("lectern files --json") == before, "the library is as it was")
    answer = root.run_as_person("lectern search who mends the roof")
    expect("workshop-lease.pdf" in answer, "it answers after the second installation")
    manual = root.folder / "usr/share/man/man1/lectern.1.gz"
    expect(manual.exists(), "there is a manual page")
    share = root.folder / "usr/share"
    expect((share / "doc/lectern/html/index.html").exists(), "the help is there as a site")
    completed = root.run(f"bash -c '{COMPLETE}'")
    expect("search" in completed.split(), "bash completes its commands")
    output = root.run("apt-get purge --yes lectern")
    expect("~/.local/share/lectern" in output, "a purge names the folder of the libraries")
    left = root.files() - depended
    expect(not left, f"no files are left {sorted(map(str, left))[:5]}")
    library = root.folder / "home/person/.local/share/lectern/library"
    expect(library.is_dir(), "the person's library is still there")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", type=Path)
    parser.add_argument("root", type=Path, nargs="?", help="an empty folder; else a temporary one")
    asked = parser.parse_args()
    if asked.root is not None:
        try_package(asked.package, Root(asked.root))
        return 0
    with tempfile.TemporaryDirectory(prefix="lectern-root-") as folder:
        try_package(asked.package, Root(Path(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
