from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.catalog.names import name_of, stem_of

from .fakes import FakeWalk, found, read_all, root_at

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.catalog.catalog import Catalog


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        (b"report.pdf", "report"),
        (b"a.b.tar", "a.b"),
        (b".profile", ".profile"),
        (b"README", "README"),
        (b"Act of 12.03.2004 amended", "Act of 12.03.2004 amended"),
        (b"caf\xe9.txt", "caf�"),
    ],
)
def test_a_stem_is_the_name_without_its_extension(name: bytes, stem: str) -> None:
    assert stem_of(name) == stem


def test_a_folder_is_called_by_its_last_component() -> None:
    assert name_of(b"a/b c", b"/home/me") == "b c"
    assert name_of(b"", b"/home/me") == "me"


def test_each_name_is_embedded_once(catalog: Catalog, tmp_path: Path) -> None:
    root = root_at(catalog, tmp_path / "root").id
    space = catalog.spaces.add_space("mini", {}).id
    folders = {"x": [found("lease.txt"), found("other.txt")], "y": [found("lease.md")], "z": []}
    catalog.scans.apply([(root, FakeWalk(folders))])
    assert catalog.names.bind() == 0
    docs = read_all(catalog)
    assert catalog.names.bind() == 3
    missing = catalog.names.missing(space)
    assert sorted(text for _, text in missing) == ["lease", "other", "x", "y"]
    vectors = np.eye(4, dtype=np.float32)
    catalog.names.store(space, [name for name, _ in missing], vectors)
    assert catalog.names.missing(space) == []
    names, stored = catalog.names.vectors(space, catalog.names.embedded(space))
    assert names.tolist() == [name for name, _ in missing]
    np.testing.assert_array_equal(stored, vectors)

    texts = catalog.names.texts(names.tolist())
    links = catalog.names.links()
    pairs = zip(links.name.tolist(), links.doc.tolist(), links.depth.tolist(), strict=True)
    assert {(texts[name], doc, depth) for name, doc, depth in pairs} == {
        ("lease", docs["lease.txt"], 0),
        ("lease", docs["lease.md"], 0),
        ("other", docs["other.txt"], 0),
        ("x", docs["lease.txt"], 1),
        ("x", docs["other.txt"], 1),
        ("y", docs["lease.md"], 1),
    }
    assert catalog.names.links() is links


def test_a_rename_makes_one_new_name_and_reads_nothing(catalog: Catalog, tmp_path: Path) -> None:
    root = root_at(catalog, tmp_path / "root").id
    space = catalog.spaces.add_space("mini", {}).id
    catalog.scans.apply([(root, FakeWalk({"x": [found("old.txt", inode=3)]}))])
    doc = read_all(catalog)["old.txt"]
    catalog.names.bind()
    names = [name for name, _ in catalog.names.missing(space)]
    catalog.names.store(space, names, np.ones((2, 3), np.float32))
    catalog.scans.apply([(root, FakeWalk({"x": [found("new.txt", inode=3)]}))])
    assert catalog.queue.waiting() == 0
    catalog.names.bind()
    ((name, text),) = catalog.names.missing(space)
    assert text == "new"
    links = catalog.names.links()
    assert (name, doc) in zip(links.name.tolist(), links.doc.tolist(), strict=True)
    assert catalog.names.prune() == 1


def test_an_empty_catalog_has_no_names(catalog: Catalog) -> None:
    assert catalog.names.links().name.tolist() == []
    none = catalog.names.embedded(1)
    assert catalog.names.vectors(1, none)[1].shape == (0, 0)


def test_what_a_reader_saw_before_a_change_is_not_kept_for_later_ones(
    catalog: Catalog, tmp_path: Path
) -> None:
    root = root_at(catalog, tmp_path / "root").id
    space = catalog.spaces.add_space("mini", {}).id
    with catalog.db.read():
        # From here on this thread sees the library as it is now.
        assert not catalog.names.last()
        writer = threading.Thread(target=_one_document, args=(catalog, root, space))
        writer.start()
        writer.join()
        assert not len(catalog.names.embedded(space))
        assert not len(catalog.names.links().name)
        assert catalog.docs.languages() == {}
    assert len(catalog.names.embedded(space)) == 2
    assert len(catalog.names.links().name) == 2
    assert sum(catalog.docs.languages().values()) == 1


def _one_document(catalog: Catalog, root: int, space: int) -> None:
    catalog.scans.apply([(root, FakeWalk({"x": [found("lease.txt")]}))])
    read_all(catalog)
    catalog.names.bind()
    names = [name for name, _ in catalog.names.missing(space)]
    catalog.names.store(space, names, np.eye(len(names), dtype=np.float32))
