"""Files made to break programs, indexed by a real engine; every one has a state and a reason then.

``size`` of an extent counts spoilt files, made as `make fuzz` makes them; the whole of the shared
corpus of hard files comes on top where it is, unless the size is small. Among them lie sound
documents. Nothing may be lost or hang, and every search answers rightly afterwards.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import sys
import threading
import time
import unicodedata
import zlib
from collections import Counter
from typing import TYPE_CHECKING

from indexer.api.errors import LecternError
from indexer.api.requests import GetActivity, ListFiles, Search
from indexer.api.types import SEARCHABLE_STATES, FileState, Why
from tests.corpora import BENCH
from tests.fuzz.__main__ import hard_files
from tests.fuzz.mutate import mutate
from tests.fuzz.run import FINDINGS
from tests.fuzz.samples import samples
from tests.integration import corpus
from tests.soak import compare, troubles
from tests.soak.account import make_account

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from indexer.api.endpoint import EngineClient
    from indexer.api.types import FileRow
    from tests.soak.extent import Extent

WHOLE_FROM = 100  # spoilt files; with fewer the hard files are left out
SOUND = 20
LOOK_S = 1.0
HANGS_S = 600.0  # without any file that is done
PLAIN = re.compile(r"(?<=\s)[a-z]{4,9} [a-z]{4,9} [a-z]{4,9}(?=\s)")
ASKED = 400  # documents whose words are asked for
LIMIT = 50  # hits
MOST = 10_000  # files that are listed
# States that say it all.
NO_REASON = SEARCHABLE_STATES - {FileState.PARTIAL}


def soak(folder: Path, extent: Extent) -> list[str]:
    """Index hostile files and say which were lost, which hung and what is not found any more."""
    lectern = make_account(folder)
    troubles.use(sys.executable)
    documents, library = folder / "documents", folder / "library"
    began = time.monotonic()
    made = _make(documents, extent)
    made_in = time.monotonic() - began
    engine = troubles.Engine(lectern, library, folder / "log")
    try:
        engine.run("index", "--quiet", documents)
        _wait_for_end(engine)
        status = engine.process.returncode if engine.process else None
        indexed_in = time.monotonic() - began - made_in
        contents = compare.read(library)
        engine.start()
        client = engine.reach()
        rows = client.call(ListFiles(offset=0, limit=MOST)).files
        found = [] if status == 0 else [f"the run ended with status {status}"]
        found += [*contents.problems, *_states(rows, documents)]
        found += _answers(client, contents, extent.seed)
        client.close()
    finally:
        engine.end(signal.SIGKILL)
    states = Counter(row.code or str(row.state) for row in rows)
    print(
        f"{made} files made in {made_in:.0f} s, read in {indexed_in:.0f} s; "
        + ", ".join(f"{count} {state}" for state, count in states.most_common())
    )
    return found


def _make(documents: Path, extent: Extent) -> int:
    for name in ("sound", "spoilt", "hard"):
        (documents / name).mkdir(parents=True)
    for number in range(SOUND):
        text = f"{corpus.text(number, 100)}\n\n{_needle(number).capitalize()} was found."
        (documents / "sound" / f"{number}.txt").write_text(text)
    files = dict(samples())
    if extent.size >= WHOLE_FROM:
        files |= hard_files()
        if (BENCH / "hard-files").is_dir():
            shutil.copytree(BENCH / "hard-files", documents / "hard", dirs_exist_ok=True)
        else:
            print("The shared corpora are not here: no hard files.")
    order = sorted(files)
    for number in range(extent.size):
        name = order[number % len(order)]
        chance = random.Random(extent.seed + number * 1_000_003 + zlib.crc32(name.encode()))
        folder = documents / "spoilt" / str(number // 500)
        folder.mkdir(exist_ok=True)
        (folder / f"{number}-{name}").write_bytes(mutate(files[name], chance))
    return sum(len(names) for _, _, names in os.walk(documents))


def _needle(number: int) -> str:
    return f"pangolin{number} harmonium{number * 3}"


def _wait_for_end(engine: troubles.Engine) -> None:
    """Wait until the run has ended; fails where no file comes to an end for too long."""
    pause = threading.Event()
    last, since = -1, time.monotonic()
    while engine.running:
        pending = _pending(engine, last)
        if pending != last:
            last, since = pending, time.monotonic()
        assert time.monotonic() - since < HANGS_S, f"{pending} files are left and none is done"
        pause.wait(LOOK_S)


def _pending(engine: troubles.Engine, unknown: int) -> int:
    client = engine.ask()
    if client is None:
        return unknown
    with contextlib.closing(client), contextlib.suppress(LecternError):
        return int(client.call(GetActivity()).pending)
    return unknown


def _states(rows: Iterable[FileRow], documents: Path) -> Iterator[str]:
    """Every file of the disk is there once, has come to an end, and has a reason if not read."""
    listed = Counter(row.path for row in rows)
    there = {os.path.join(at, name) for at, _, names in os.walk(documents) for name in names}  # noqa: PTH118  # text, as listed
    if there != listed.keys() or listed.total() > len(listed):
        yield f"listed once is not what is there: {sorted(there ^ listed.keys())[:5]}"
    for row in rows:
        if row.state in {FileState.QUEUED, FileState.TEXT_ONLY, FileState.OFFLINE}:
            yield f"{row.file} is still {row.state}"
        elif row.state not in NO_REASON and not (row.code or row.detail):
            yield f"{row.file} is {row.state} without a reason"
        if row.code in FINDINGS:
            yield f"{row.file}: {row.code} {row.detail}"


def _answers(client: EngineClient, contents: compare.Contents, seed: int) -> Iterator[str]:
    """Ask for words of the sound documents, and for words of what could be read of the others."""
    for number in range(SOUND):
        hits = client.call(Search(f'"{_needle(number)}"', LIMIT, full_text=False)).hits
        exact = [hit.file for hit in hits if hit.why is Why.PHRASE]
        if exact != [f"sound/{number}.txt"]:
            yield f"{_needle(number)} is found in {exact[:3]}"
    phrases = [
        (row["text_id"], match[0])
        for row in contents.passages
        if (match := PLAIN.search(row["view"]))
    ]
    chance = random.Random(seed)
    for text_id, phrase in chance.sample(phrases, min(ASKED, len(phrases))):
        hits = client.call(Search(f'"{phrase}"', LIMIT)).hits
        found = [hit for hit in hits if hit.why is Why.PHRASE]
        strange = [hit.file for hit in found if not _holds(hit.text, phrase)]
        if strange:
            yield f'"{phrase}" is not in {strange[:3]}'
        if len(hits) < LIMIT and not found:
            yield f'"{phrase}" of {text_id} is not found'


def _holds(text: str, phrase: str) -> bool:
    """Whether a text holds these words next to each other, whatever stands between them.

    Ligatures and other forms of a letter count as that letter, as they do in a search.
    """
    plain = unicodedata.normalize("NFKC", text).lower()
    words = re.findall(r"\w+", plain.replace("\u00ad", "").replace("-\n", ""))
    return f" {phrase} " in f" {' '.join(words)} "
