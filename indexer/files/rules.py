"""What a walk over a root goes by: the settings, the root's own patterns, and what others hold.

Owns how these become the rules of one scan. It must not walk.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from indexer.files.excludes import Excludes
from indexer.files.scan import ScanRules, known_formats

if TYPE_CHECKING:
    from indexer.catalog import Catalog, Root
    from indexer.config import EngineConfig


def rules_for(root: Root, catalog: Catalog, config: EngineConfig) -> ScanRules:
    """Say what is left out under a root, which need not be in the catalog yet."""
    known = catalog.roots.all()
    others = {
        other.path: "another_root" for other in known if other.path != root.path and not other.only
    }
    library = os.fsencode(config.library.resolve())
    return ScanRules(
        excludes=Excludes((*config.exclude, *root.patterns), hidden=config.hidden),
        formats=known_formats(),
        max_bytes=config.limits.largest_bytes,
        max_bytes_of=config.limits.by_format,
        passed_by={**others, library: "own_library"},
        roots=[other.path for other in known],
    )
