"""One client of a crowd: asks an engine for what it knows to be there, and judges the answers.

    python -m tests.soak.crowd_client LIBRARY DOCUMENTS SEED COUNT SECONDS

Asks until it has asked so often or the seconds are over. Prints JSON: ``seconds`` of each answer,
``refused`` (requests that make no sense and were told so) and ``wrong``, sentences.
"""

from __future__ import annotations

import json
import math
import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.endpoint import EngineClient
from indexer.api.errors import WorldError
from indexer.api.requests import Search
from tests.soak.crowd import DOCUMENTS, needle

if TYPE_CHECKING:
    from indexer.api.types import SearchResult

LIMITS = (1, 3, 10, 50)
SENSELESS = ("page:>x", "date:2024-99", "size:>much")
WORDS = ("kalo mi ruten", "what did the ocelot find in the hall", "salvor -nim", "kalo ext:txt")


class Client:
    """Asks questions of three kinds and keeps what was wrong with their answers."""

    def __init__(self, engine: EngineClient, documents: Path, seed: int) -> None:
        self._engine, self._documents = engine, documents
        self._chance = random.Random(seed)
        self.seconds: list[float] = []
        self.refused = 0
        self.wrong: list[str] = []

    def ask(self) -> None:
        """Ask something; every answer but those to senseless queries is timed."""
        kind = self._chance.random()
        if kind < 0.6:
            self._ask_for_needle()
        elif kind < 0.95:
            self._search(self._chance.choice(WORDS))
        else:
            self._ask_nonsense()

    def _ask_for_needle(self) -> None:
        number = self._chance.randrange(DOCUMENTS)
        inside = f'in:"{self._documents.name}"'
        form = self._chance.choice(('"{}"', "{}", "{} ext:txt", f"{inside} {{}}"))
        query = form.format(needle(number))
        result = self._search(query)
        expected = f"kept {number}.txt"
        first = result.hits[0].file if result.hits else "nothing"
        if first != expected:
            self.wrong.append(f"{query} finds {first}, not {expected}")

    def _ask_nonsense(self) -> None:
        """What is no value is said so; what is no request is refused."""
        query, limit = self._chance.choice(SENSELESS), self._chance.choice((10, 0))
        try:
            result = self._engine.call(Search(query, limit, full_text=False))
        except WorldError as error:
            if (error.code, limit) != ("bad_request", 0):
                self.wrong.append(f"{query!r} is refused as {error.code}")
            self.refused += 1
        else:
            if limit == 0 or [note.code for note in result.notes] != ["not_a_value"]:
                self.wrong.append(f"{query!r}, at most {limit}, is answered: {result.notes}")

    def _search(self, query: str) -> SearchResult:
        limit = self._chance.choice(LIMITS)
        began = time.perf_counter()
        result = self._engine.call(Search(query, limit, full_text=self._chance.random() < 0.5))
        self.seconds.append(time.perf_counter() - began)
        self.wrong += [f"{query}: {what}" for what in malformed(result, limit, self._documents)]
        return result


def malformed(result: SearchResult, limit: int, documents: Path) -> list[str]:
    """Say what no answer may be, whatever was asked."""
    found = []
    if len(result.hits) > limit:
        found.append(f"{len(result.hits)} hits for {limit}")
    places = [(hit.path, hit.start, hit.end) for hit in result.hits]
    if len(set(places)) < len(places):
        found.append("a hit twice")
    if not 0 <= result.embedded_share <= 1:
        found.append(f"{result.embedded_share} is the embedded share")
    for hit in result.hits:
        first, last = hit.best
        sound = (
            math.isfinite(hit.score)
            and 0 <= hit.start <= hit.end
            and 0 <= first <= last <= len(hit.text)
            and 1 <= hit.page_first <= hit.page <= hit.page_last
            and (hit.text or hit.start == hit.end)
            and Path(hit.path).is_relative_to(documents)
            and Path(hit.path) == Path(hit.root) / hit.file
        )
        if not sound:
            found.append(f"a hit makes no sense: {hit}")
    return found


def main() -> None:
    library, documents, seed, count, seconds = sys.argv[1:]
    engine = EngineClient.attach(Path(library))
    assert engine is not None
    client = Client(engine, Path(documents), int(seed))
    deadline = time.monotonic() + float(seconds)
    try:
        for _ in range(int(count)):
            client.ask()
            if time.monotonic() > deadline:
                break
    except WorldError as error:
        client.wrong.append(f"a client was told {error.code}: {error}")
    engine.close()
    told = {"seconds": client.seconds, "refused": client.refused, "wrong": client.wrong}
    print(json.dumps(told))


if __name__ == "__main__":
    main()
