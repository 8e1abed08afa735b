"""Removes roots from a library, and documents that no file needs any more.

Owns the order: first the files in the catalog, then the documents' rows in the store, then the
documents in the catalog, so that an interruption leaves orphans but never a document without rows.
The person's files are not touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer import faults
from indexer.api.errors import WorldError
from indexer.catalog.roots import below, join, normal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from indexer.catalog.catalog import Catalog
    from indexer.store.store import Store


def forget_orphans(catalog: Catalog, store: Store) -> None:
    """Delete the documents that no file holds any more."""
    if orphans := catalog.upkeep.orphans():
        store.delete_docs(orphans)
        faults.reached("orphans-deleted")
        catalog.docs.forget(orphans)


def deletable_orphans(catalog: Catalog) -> list[int]:
    """Return the documents that no file holds and that may be deleted now.

    None while files are queued or vectors are missing: a moved file is bound to its document when
    it is read, and vectors of an edited document are copied from its former version.
    """
    spaces = catalog.spaces.all()
    if catalog.queue.waiting() or any(catalog.spaces.pending(space.id, 1) for space in spaces):
        return []
    return catalog.upkeep.orphans_left()


def remove_paths(catalog: Catalog, store: Store, paths: Sequence[Path], *, tidy: bool) -> int:
    """Remove roots, given by their path or by a folder above them; return how many files they had.

    Args:
        tidy: Whether to delete orphaned documents now. A run in progress may be writing one of
            them, and deletes them at its end; without a file they are not searchable meanwhile.

    Raises ``not_a_root`` if a path holds no root; nothing is removed then.
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
    if tidy:
        forget_orphans(catalog, store)
    return files
