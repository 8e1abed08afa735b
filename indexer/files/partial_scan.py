"""Looking at roots, whole or in part, and telling the catalog what stands there.

Owns the way from a root to the catalog: where it stands now, the rules that hold under it, the
walk, and that only one look is taken in at a time. Reading goes on meanwhile. It must not know
when or why somebody looks.
"""

from __future__ import annotations

import functools
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.catalog import ScanCounts
from indexer.files.root_location import stand
from indexer.files.rules import rules_for
from indexer.files.scan import RootWalk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from indexer.api.progress import CancelToken
    from indexer.catalog import Catalog, Root
    from indexer.config import EngineConfig
    from indexer.files.scan import Looks


def _nobody(_path: bytes, _whole: bool) -> None:  # noqa: FBT001  # a callback
    """Take the path of a folder that is about to be listed, and do nothing with it."""


def _enter(entering: Callable[[bytes, bool], None], whole: bool, path: bytes) -> None:  # noqa: FBT001
    entering(path, whole)


@dataclass(slots=True)
class Looking:
    """Looks at the roots of one library. Thread-safe.

    ``entering`` is told each folder that any scan lists, before it does (see ``RootWalk``), and
    whether more of the folder than a single file belongs to the library. ``exclusive`` is held
    while something is taken in.
    """

    catalog: Catalog
    config: EngineConfig
    entering: Callable[[bytes, bool], None] = _nobody
    exclusive: threading.Lock = field(default_factory=threading.Lock)

    def scan(
        self,
        roots: Iterable[Root],
        token: CancelToken | None = None,
        seen: Callable[[int], None] = lambda _count: None,
    ) -> list[ScanCounts]:
        """Bring whole roots up to date.

        Args:
            roots: Which.
            token: Checked at every folder.
            seen: Told the number of entries so far; may raise to stop.

        Raises:
            Cancelled: Then what was taken in so far stays.
        """
        with self.exclusive:
            return self._apply([(root, None) for root in roots], token, seen)

    def look(
        self, looks: Mapping[int, Looks], token: CancelToken | None = None
    ) -> list[ScanCounts]:
        """Bring single entries of roots, by the ids of these, up to date.

        A root that was never scanned is scanned whole.

        Raises:
            Cancelled: Then what was taken in so far stays.
        """
        with self.exclusive:
            known = {root.id: root for root in self.catalog.roots.all()}
            chosen: list[tuple[Root, Looks | None]] = []
            for root, wanted in looks.items():
                if root in known:
                    lifted = self.catalog.scans.lifted(root, wanted)
                    names = {folder: frozenset(found) for folder, found in lifted.items()}
                    chosen.append((known[root], names or None))
            return self._apply(chosen, token, lambda _count: None)

    def _apply(
        self,
        chosen: Sequence[tuple[Root, Looks | None]],
        token: CancelToken | None,
        seen: Callable[[int], None],
    ) -> list[ScanCounts]:
        reachable = [(stand(self.catalog, root), root, looks) for root, looks in chosen]
        walks = []
        for found, root, looks in reachable:
            if found is None:
                self.catalog.roots.set_online(root.id, online=False)
                continue
            # A root that was away may have changed anywhere.
            partly = looks if root.online and found.path == root.path else None
            rules = rules_for(found, self.catalog, self.config)
            entering = functools.partial(_enter, self.entering, not found.only)
            walk = RootWalk(found, rules, token, looks=partly, entering=entering)
            walks.append((found.id, walk))
        counts = iter(self.catalog.scans.apply_all(walks, seen))
        return [
            ScanCounts(offline=True) if found is None else next(counts)
            for found, _root, _looks in reachable
        ]
