"""A store in a process of its own that the system keeps from its files: what it then says and does.

    python -m tests.integration.refused STORE rights|descriptors

Owns the process; prints what came of each way to read, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.errors import LecternError
from indexer.store import checks, damage
from indexer.store.store import Store
from tests.integration.upkeep import SCATTERED

if TYPE_CHECKING:
    from collections.abc import Callable


def no_rights(store: Store, path: Path) -> Callable[[], None]:
    del store
    files = list(path.glob("*.lance/data/*"))

    def give(mode: int) -> None:
        for file in files:
            file.chmod(mode)

    give(0)
    return lambda: give(0o600)


def no_descriptors(store: Store, path: Path) -> Callable[[], None]:
    import resource

    del store, path
    most = 64
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    held: list[int] = []
    try:
        while True:
            held.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        pass

    def give_back() -> None:
        for one in held:
            os.close(one)

    return give_back


def told(work: Callable[[], object]) -> str:
    """The code of what it raises."""
    try:
        work()
    except LecternError as error:
        return error.code
    except BaseException as error:  # noqa: BLE001  # what it raises is what is asked
        return repr(error)
    return "nothing"


def main() -> None:
    path, how = Path(sys.argv[1]), sys.argv[2]
    store = Store.open(path, threads=1, thresholds=SCATTERED)
    table = store.tables.vectors("tiny")
    assert table is not None
    before = {name: each.count() for name, each in store.tables.by_name().items()}
    keys = table.rows.keys()
    blocks = damage.blocks(table.inner)
    examined = checks.examine("vectors_tiny", table, lambda: None)
    end = {"rights": no_rights, "descriptors": no_descriptors}[how](store, path)
    said = [
        told(lambda: store.sentence_vectors_of("tiny", keys)),
        told(lambda: checks.examine("vectors_tiny", table, lambda: None)),
        told(lambda: damage.delete_unreadable(table, blocks)),
    ]
    end()
    after = {name: each.count() for name, each in store.tables.by_name().items()}
    again = checks.examine("vectors_tiny", table, lambda: None)
    json.dump(
        {
            "said": said,
            "before": before,
            "after": after,
            "lost": sum(each.lost for each in store.tables.by_name().values()),
            "unreadable": len(again.unreadable) + len(examined.unreadable),
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
