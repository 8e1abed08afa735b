"""A random walk of file operations over some folders, in a process of its own.

``python -m tests.soak.walk SEED FILES RATE FOLDER…`` makes the files that are missing to a tree of
that size, says so, and then goes on changing it until its standard input ends. Text is generated;
copies, moves and texts that come back are frequent, because these are what identity is about.
"""

from __future__ import annotations

import contextlib
import os
import random
import select
import shutil
import sys
from pathlib import Path

from tests.integration import corpus

TEXTS = 3000  # different texts at least; some files share one
PATTERNS = ("draft *\n", "*.md\n", "old/\n!note 1*\n", "/note 2*\n")


class Walk:
    """Changes the trees below some folders; only this process may.

    Args:
        seed: Of everything that is random.
        files: About how many files there are to be.
        folders: Where.
    """

    def __init__(self, seed: int, files: int, folders: list[Path]) -> None:
        self.chance = random.Random(seed)
        self.wanted = files
        self.roots = folders
        self.number = 0
        self.files: list[Path] = []
        # Looking at a large tree takes seconds; what is out of date then fails as an operation.
        self.looks_every = max(1, files // 200)
        self.steps = 0
        self.folders: list[Path] = []
        self.operations = {
            self.create: 10, self.overwrite: 10, self.append: 5, self.save: 10, self.rename: 10,
            self.move: 8, self.rename_folder: 4, self.move_folder: 3, self.delete: 8,
            self.delete_folder: 1, self.again: 5, self.copy: 6, self.copy_folder: 1, self.link: 3,
            self.turn_clock: 5, self.patterns: 1, self.other_kinds: 4,
        }  # fmt: skip

    def step(self) -> None:
        """Do one operation; where it cannot be done, nothing happens."""
        if self.steps % self.looks_every == 0:
            self.look()
        self.steps += 1
        operations = dict(self.operations)
        operations[self.delete] *= 8 if len(self.files) > 1.1 * self.wanted else 1
        operations[self.create] *= 20 if len(self.files) < 0.9 * self.wanted else 1
        (chosen,) = self.chance.choices(list(operations), list(operations.values()))
        with contextlib.suppress(OSError, IndexError):
            chosen()

    def look(self) -> None:
        """See what there is."""
        found = [(Path(f), sorted(names)) for root in self.roots for f, _, names in os.walk(root)]
        found.sort()
        self.folders = [folder for folder, _ in found]
        self.files = [folder / name for folder, names in found for name in names]

    def _file(self) -> Path:
        while (path := self.chance.choice(self.files)).name.startswith("."):
            pass
        return path

    def _folder(self) -> Path:
        return self.chance.choice(self.folders)

    def _inner(self) -> Path:
        while (path := self.chance.choice(self.folders)) in self.roots:
            if len(self.folders) <= len(self.roots):
                raise IndexError
        return path

    def _is_small(self, folder: Path) -> bool:
        return len(list(folder.rglob("*"))) < self.wanted / 20

    def _name(self) -> str:
        self.number += 1
        kind = self.chance.choice(["txt", "txt", "txt", "md", "html"])
        return f"{self.chance.choice(['note', 'draft', 'letter'])} {self.number}.{kind}"

    def _text(self) -> str:
        seed = self.chance.randrange(max(TEXTS, self.wanted // 4))
        return corpus.text(seed, 20 + 7 * (seed % 60))

    # -- what may happen --------------------------------------------------------------------

    def create(self) -> None:
        folder = self._folder()
        if self.chance.random() < 0.15:
            folder = folder / self.chance.choice(["old", "new", f"folder {self.number}"])
            folder.mkdir(exist_ok=True)
        (folder / self._name()).write_text(self._text())

    def overwrite(self) -> None:
        self._file().write_text(self._text())

    def append(self) -> None:
        with self._file().open("a") as file:
            for _ in range(3):
                file.write("\n\n" + self._text())
                file.flush()

    def save(self) -> None:
        """Save as programs do: beside it, and renamed over it."""
        path = self._file()
        part = path.with_name(path.name + ".part")
        part.write_text(self._text())
        part.replace(path)

    def rename(self) -> None:
        self._file().rename(self._file().with_name(self._name()))

    def move(self) -> None:
        path = self._file()
        path.rename(self._folder() / path.name)

    def rename_folder(self) -> None:
        path = self._inner()
        path.rename(path.with_name(self.chance.choice(["old", "new", f"folder {self.number}"])))

    def move_folder(self) -> None:
        path, target = self._inner(), self._folder()
        if path not in [target, *target.parents]:
            path.rename(target / path.name)

    def delete(self) -> None:
        self._file().unlink()

    def delete_folder(self) -> None:
        path = self._inner()
        if self._is_small(path):
            shutil.rmtree(path)

    def again(self) -> None:
        """Delete a file and make it again, the same or another."""
        path = self._file()
        content = path.read_bytes()
        path.unlink()
        path.write_bytes(content if self.chance.random() < 0.5 else self._text().encode())

    def copy(self) -> None:
        shutil.copy2(self._file(), self._folder() / self._name())

    def copy_folder(self) -> None:
        path, target = self._inner(), self._folder() / f"copy {self.number}"
        if path not in [target, *target.parents] and self._is_small(path):
            shutil.copytree(path, target, symlinks=True)

    def link(self) -> None:
        target = self._folder() / self._name()
        if self.chance.random() < 0.5:
            os.link(self._file(), target)
        else:
            target.symlink_to(self._file() if self.chance.random() < 0.7 else self._folder())

    def turn_clock(self) -> None:
        """As if the clock had jumped: a file gets a time of long ago, or one to come."""
        moment = self.chance.choice([0, 1, 2**31, 4 * 10**9, self.chance.randrange(2**32)])
        os.utime(self._file(), (moment, moment))

    def patterns(self) -> None:
        path = self._folder() / ".lecternignore"
        if path.exists():
            path.unlink()
        else:
            path.write_text(self.chance.choice(PATTERNS))

    def other_kinds(self) -> None:
        name, content = self.chance.choice(
            [("empty.txt", b""), ("data.bin", b"\x00\x01"), ("junk.pdf", b"%PDF-1.4 broken"),
             (".hidden.txt", b"hidden"), ("digits.txt", b"1 2 3"), ("id_rsa", b"secret")]
        )  # fmt: skip
        (self._folder() / name).write_bytes(content)


def main() -> None:
    seed, files, rate, *folders = sys.argv[1:]
    walk = Walk(int(seed), int(files), [Path(folder) for folder in folders])
    walk.look()
    while len(walk.files) < walk.wanted:
        for _ in range(1 + (walk.wanted - len(walk.files)) // 2):
            walk.create()
        walk.look()
    print("made", flush=True)
    steps = 0
    while not select.select([sys.stdin], [], [], walk.chance.expovariate(float(rate)))[0]:
        walk.step()
        steps += 1
    print(steps, flush=True)


if __name__ == "__main__":
    main()
