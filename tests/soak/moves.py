"""A library that is moved: to other places, disks, machines and users, with its documents or not.

``size`` of an extent counts documents. After every move the next run may embed nothing and lose
nothing, and has to find the documents where they are now. What this machine does not let us do
(mount, name a host, be another user) is left out, and said.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.integration import corpus, rights
from tests.mounting import IMAGE_BYTES, Mounter, can_mount, make_image
from tests.soak import compare
from tests.soak.account import make_account
from tests.soak.patience import communicate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tests.e2e.conftest import Lectern
    from tests.soak.extent import Extent

# What a document takes on its drive, and in the library with old versions, at most.
DOCUMENT_BYTES, LIBRARY_BYTES = 16 << 10, 64 << 10
AS_OTHER_HOST = ["unshare", "--uts", "sh", "-c", 'hostname elsewhere && exec "$@"', "sh"]
ASKED = 50  # documents, after every move
NEEDLE = "quokka sonata number {}"


def soak(folder: Path, extent: Extent) -> list[str]:
    """Move a library again and again, and say what each move cost."""
    with contextlib.ExitStack() as stack:
        mounter = Mounter() if can_mount() else None
        if mounter is not None:
            stack.callback(mounter.close)
        moved = _Moved(folder, mounter, extent.size)
        found = list(moved.check("at first", indexed=True))
        for move in moved.moves():
            name = move.__name__.strip("_").replace("_", " ")
            if not move():
                print(f"{name}: not possible here")
                continue
            found += moved.check(name)
        found += moved.to_another_machine()
        print(f"{extent.size} documents; {moved.checked} moves")
        return found


@dataclass(frozen=True, slots=True)
class _Place:
    """Where documents stand, and where the library knows them to be."""

    plain: Path
    drive: Path


class _Moved:
    """A library with two folders of documents, of which one is on a drive of its own."""

    def __init__(self, folder: Path, mounter: Mounter | None, size: int) -> None:
        self._folder, self._mounter, self._size = folder, mounter, size
        folder.chmod(0o711)
        self._lectern: Lectern = make_account(folder)
        self._library = folder / "library"
        self._place = _Place(folder / "plain", folder / "drive")
        self._prefix: Sequence[str] = ()
        self._image = folder / "image"
        self._before: compare.Contents | None = None
        self.checked = -1  # the beginning is no move
        self._place.plain.mkdir()
        self._place.drive.mkdir()
        if mounter is not None:
            make_image(self._image, IMAGE_BYTES + size * DOCUMENT_BYTES)
            mounter.image(self._image, self._place.drive)
        for number in range(size):
            home = self._place.drive if number % 2 else self._place.plain
            text = f"{corpus.text(number, 120)}\n\n{NEEDLE.format(number).capitalize()} was played."
            (home / f"letter {number}.txt").write_text(text)

    def moves(self) -> list[Callable[[], bool]]:
        """What is done to it, one after the other; False where that cannot be done here."""
        return [
            self._library_renamed, self._library_on_another_disk, self._on_another_host,
            self._by_another_user, self._drive_elsewhere,
        ]  # fmt: skip

    def check(self, move: str, *paths: Path, indexed: bool = False) -> Iterator[str]:
        """Run over the library and see that nothing was done again and everything is found."""
        roots = (self._place.plain, self._place.drive) if indexed else paths
        summary = self._index(*roots)
        self.checked += 1
        if not indexed and (summary["passages"] or summary["documents_added"]):
            again = f"{summary['documents_added']} documents, {summary['passages']} passages"
            yield f"{move}: read or embedded again: {again}"
        yield from (f"{move}: {wrong}" for wrong in self._lost())
        yield from (f"{move}: {wrong}" for wrong in self._not_found())

    def to_another_machine(self) -> Iterator[str]:
        """Copy the library and the documents to other paths, with other inodes; nothing else is."""
        old, new = self._place, self._folder / "restored"
        for home in (old.plain, old.drive):
            shutil.copytree(home, new / home.name, ignore=shutil.ignore_patterns("lost+found"))
            if self._mounter is not None and home == old.drive:
                self._mounter.unmount(home)
            else:
                shutil.rmtree(home)
        copied = self._folder / "copied library"
        shutil.copytree(self._library, copied)
        shutil.rmtree(self._library)
        self._library = copied
        if self._prefix == rights.as_somebody_else():
            _give(copied)
        self._index()
        yield from (f"without its documents: {wrong}" for wrong in self._lost(away=True))
        self._place = _Place(new / old.plain.name, new / old.drive.name)
        roots = (self._place.plain, self._place.drive)
        self._before = None  # the files are at other paths, the texts are the same
        yield from self.check("on another machine", *roots)

    # -- moves ------------------------------------------------------------------------------

    def _library_renamed(self) -> bool:
        target = self._folder / "renamed" / "library"
        target.parent.mkdir()
        self._library = self._library.rename(target)
        return True

    def _library_on_another_disk(self) -> bool:
        if self._mounter is None:
            return False
        disk = self._folder / "other disk"
        disk.mkdir()
        self._mounter.memory(64 + self._size * LIBRARY_BYTES // 2**20, disk)
        shutil.copytree(self._library, disk / "library")
        shutil.rmtree(self._library)
        self._library = disk / "library"
        return True

    def _on_another_host(self) -> bool:
        return self._run_behind(AS_OTHER_HOST)

    def _by_another_user(self) -> bool:
        if os.geteuid() != 0 or not shutil.which("setpriv"):
            return False
        if not self._run_behind(rights.as_somebody_else()):
            return False
        _give(self._library, self._folder / "home", self._folder / "run")
        return True

    def _drive_elsewhere(self) -> bool:
        if self._mounter is None:
            return False
        target = self._folder / "drive mounted elsewhere"
        target.mkdir()
        self._mounter.unmount(self._place.drive)
        self._mounter.image(self._image, target)
        self._place = _Place(self._place.plain, target)
        return True

    # -- looking ----------------------------------------------------------------------------

    def _run_behind(self, prefix: Sequence[str]) -> bool:
        """Run commands behind another one from here on, if this machine allows that."""
        if not shutil.which(prefix[0]):
            return False
        tried = subprocess.run([*prefix, "true"], check=False, capture_output=True)
        if tried.returncode == 0:
            self._prefix = prefix
        return tried.returncode == 0

    def _run(self, *command: str | Path) -> list[dict[str, Any]]:
        """Run a command to its good end; gives the JSON values it printed."""
        arguments = [*self._prefix, sys.executable, "-m", "app", *command]
        with subprocess.Popen(
            [str(word) for word in arguments],
            cwd=self._folder,
            env=self._lectern.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            told, complaints = communicate(process)
        assert process.returncode == 0, f"{command}: {complaints}"
        printed = [told] if "index" in command else told.splitlines()
        return [json.loads(each) for each in printed]

    def _index(self, *roots: Path) -> dict[str, Any]:
        options = ("--library", self._library, "index", "--quiet", "--json")
        (summary,) = self._run(*options, *roots)
        return summary

    def _lost(self, *, away: bool = False) -> Iterator[str]:
        """What the library no longer holds; while its documents are away their state is another."""
        contents = compare.read(self._library)
        yield from contents.problems
        if len(contents.docs) != self._size:
            yield f"{len(contents.docs)} documents of {self._size}"
        before = self._before
        if before is not None:
            for what in ("passages", "vectors"):
                if _plain(getattr(contents, what)) != _plain(getattr(before, what)):
                    yield f"{what} are not as they were"
        if not away:
            self._before = contents

    def _not_found(self) -> Iterator[str]:
        numbers = sorted({0, 1, *range(0, self._size, max(1, self._size // ASKED))})
        lines = [{"id": n, "query": f'"{NEEDLE.format(n)}"'} for n in numbers]
        queries = self._folder / "queries.jsonl"
        queries.write_text("\n".join(map(json.dumps, lines)))
        options = ("--library", self._library, "search", "--limit", "1", "--batch", queries)
        for number, answer in zip(numbers, self._run(*options), strict=True):
            home = self._place.drive if number % 2 else self._place.plain
            expected = str(home / f"letter {number}.txt")
            if [hit["path"] for hit in answer["hits"]] != [expected]:
                yield f"number {number} is found at {answer['hits']}, not at {expected}"


def _give(*folders: Path) -> None:
    """Give folders to the other user."""
    for folder in folders:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, rights.SOMEBODY, rights.SOMEBODY, follow_symlinks=False)


def _plain(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(map(repr, rows))
