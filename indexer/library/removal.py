"""Removes roots from a library, and documents that no file needs any more.

Files are removed from the catalog first, then the documents' rows from the store, then the
documents from the catalog. So an interruption may leave orphans, but never a document without rows.
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
    if orphans := catalog.docs.orphans():
        store.delete_docs(orphans)
        faults.reached("orphans-deleted")
        catalog.docs.forget(orphans)


def deletable_orphans(catalog: Catalog) -> list[int]:
    """Return the documents that no file has and that may be deleted now.

    None while files are queued or vectors are missing: a moved file is bound to its document when
    it is read, and vectors of an edited document are copied from its former version.
    """
    spaces = catalog.spaces.all()
    if catalog.queue.waiting() or any(catalog.spaces.pending(space.id, 1) for space in spaces):
        return []
    return catalog.docs.orphans_left()


def remove_paths(catalog: Catalog, store: Store, paths: Sequence[Path], *, tidy: bool) -> int:
    """Remove roots, by their path or a folder above them; return the number of their files.

    Args:
        tidy: Whether to delete orphaned documents now. False during a run, which may be writing one
            and deletes them at its end. Without a file they are not searchable meanwhile.

    Raises ``not_a_root`` if a path has no root; then nothing is removed.
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
