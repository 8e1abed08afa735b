"""A process whose disk fails: indexes a small library while one of its writes goes wrong.

    LD_PRELOAD=SHIM python -m tests.soak.write_faults_victim FOLDER MODELS SHIM RUN

Reads lines ``NTH ERRNO ON`` and answers each with a line of JSON: the number of writes counted
(``writes``), which one failed (``failed``), how the run ended (``ended``) and what was wrong with
the library once there was room again (``wrong``). ``first`` makes a library, ``update`` brings one
up to date after its documents have changed.
"""

from __future__ import annotations

import json
import shutil
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.api.errors import LecternError
from indexer.api.requests import GetActivity
from tests.integration import corpus
from tests.integration.world import World, check_same, look, states
from tests.soak.write_shim import Shim

if TYPE_CHECKING:
    from tests.integration.world import Seen


class Victim:
    """Runs one indexing with faults again and again, each time from the same beginning."""

    def __init__(self, folder: Path, models: Path, shim: Path, run: str) -> None:
        self._shim = Shim(shim)
        self._world = World(folder / "documents", folder / "library", models)
        self._base = folder / "base" if run == "update" else None
        if self._world.documents.exists():  # made by a process that came to an end
            return
        corpus.make(self._world.documents)
        if self._base is not None:
            with self._world.engine() as engine:
                self._world.index(engine)
            self._world.library.rename(self._base)
            _change(self._world.documents)

    def reference(self) -> Seen:
        """The library as it is where no write fails."""
        self._begin()
        return self._finish()

    def answer(self, nth: int, error: int, on: int, reference: Seen) -> dict[str, Any]:
        """Index while writes fail, then see what is left."""
        self._begin()
        ended, wrong = "done", []
        with self._shim.failing(self._world.library, nth, error, on=bool(on)):
            try:
                with self._world.engine() as engine:
                    self._world.index(engine)
            except LecternError as failure:
                ended = failure.code
            except Exception:  # noqa: BLE001  # whatever it is, it is reported
                ended = "raised"
                wrong.append(traceback.format_exc())
        try:
            check_same(self._finish(), reference)
        except Exception:  # noqa: BLE001  # as above
            wrong.append(traceback.format_exc())
        told = {"writes": self._shim.writes, "failed": self._shim.failed}
        return {**told, "ended": ended, "wrong": wrong}

    def _begin(self) -> None:
        with suppress(FileNotFoundError):
            shutil.rmtree(self._world.library)
        if self._base is not None:
            shutil.copytree(self._base, self._world.library)

    def _finish(self) -> Seen:
        """Index where nothing fails any more; nothing may have been set aside."""
        with self._world.engine() as engine:
            self._world.index(engine)
            aside = engine.call(GetActivity()).set_aside
            assert aside == 0, f"{aside} files are set aside: {states(engine)}"
            return look(engine)


def _change(documents: Path) -> None:
    """An edit, a deletion, a move and a new file."""
    with (documents / "long.txt").open("a") as file:
        file.write("\n\n" + corpus.text(71, 300))
    (documents / "page.html").unlink()
    (documents / "notes").rename(documents / "records")
    (documents / "reports" / "new.txt").write_text(corpus.text(72, 400))


def main() -> None:
    folder, models, shim, run = sys.argv[1:]
    victim = Victim(Path(folder), Path(models), Path(shim), run)
    reference = victim.reference()
    print("ready", flush=True)
    for line in sys.stdin:
        nth, error, on = map(int, line.split())
        print(json.dumps(victim.answer(nth, error, on, reference)), flush=True)


if __name__ == "__main__":
    main()
