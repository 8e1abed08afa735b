"""Taking things out of a library: roots, single files, and documents nothing needs any more.

Owns the order: the catalog lets go of files, then documents without a file leave the store, then
the catalog forgets them, so that an interruption leaves work to do and never a hole. The files
themselves are not touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer import faults
from indexer.api.answers import Removal
from indexer.api.errors import WorldError
from indexer.catalog.roots import below, join, normal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from indexer.catalog.catalog import Catalog
    from indexer.store.store import Store


def forget_orphans(catalog: Catalog, store: Store) -> tuple[int, int]:
    """Drop the documents that no file holds any more.

    Returns:
        How many documents and how many passages went.
    """
    counts = _orphans(catalog)
    orphans = catalog.upkeep.orphans()
    if orphans:
        store.delete_docs(orphans)
        faults.reached("orphans-deleted")
        catalog.docs.forget(orphans)
    return counts


def _orphans(catalog: Catalog) -> tuple[int, int]:
    """Count the documents that no file holds any more, and their passages."""
    rows = catalog.docs.get(catalog.upkeep.orphans()).values()
    return len(rows), sum(row.passages for row in rows)


def remove_paths(
    catalog: Catalog, store: Store, paths: Sequence[Path], *, tidy: bool = True
) -> Removal:
    """Take roots, or whole roots below the given folders, out of a library.

    Args:
        catalog: Lets go of them.
        store: Lets go of documents that nothing needs any more.
        paths: What to take out.
        tidy: Whether to drop these documents now. A run that goes on may be writing one of them,
            and drops them at its end; without a file nobody finds them meanwhile.

    Raises:
        WorldError: ``not_a_root`` if a path holds no root; nothing is removed then.
    """
    chosen = {}
    for path in paths:
        whole = normal(path)
        own = [
            root
            for root in catalog.roots.all()
            if below(whole, join(root.path, root.file_name)) is not None
        ]
        if not own:
            raise WorldError("not_a_root", path=str(path))
        chosen.update({root.id: root for root in own})
    files = sum(sum(catalog.files.counts(root).values()) for root in chosen)
    for root in chosen:
        catalog.roots.remove(root)
    documents, passages = forget_orphans(catalog, store) if tidy else _orphans(catalog)
    return Removal(files, documents, passages)
