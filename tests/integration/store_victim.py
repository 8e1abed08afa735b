"""A process to be killed: writes documents to a store and tidies it, without end.

    python -m tests.integration.store_victim DIRECTORY FIRST_DOCUMENT
Prints ``ready`` when it begins, then the number of each document whose rows are committed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from indexer.store.store import Store
from tests.store_rows import rows, vectors

PASSAGES = 60
SPACE = "tiny"


def main() -> None:
    store = Store.open(Path(sys.argv[1]), threads=1)
    doc = int(sys.argv[2])
    say("ready")
    while True:
        store.add_passages(rows(doc, [f"fox {doc} at {i}" for i in range(PASSAGES)]), [doc])
        store.add_vectors(SPACE, vectors(doc, range(PASSAGES)))
        say(str(doc))
        if doc % 8 == 7:
            store.maintain(idle=True)
        doc += 1


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
