"""Each document has the similarity of its best name, whatever happens to names."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.search.document_names import NameVectors
from indexer.search.evidence import LibraryEvidence, ScoredDocs, with_similarity
from tests.unit.catalog.fakes import FakeWalk, found, read_all, root_at

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.catalog.catalog import Catalog

DIMENSION, SHARE = 16, 0.5
# Of the same bytes as in the first walk, so that nothing is read again.
BEFORE = {
    "leases": [found("a.txt", inode=1), found("b.txt", inode=2)],
    "": [found("c.txt", inode=3)],
}
AFTER = {"leases": [found("a.txt", inode=1), found("d.txt", inode=2)]}


def vector(text: str) -> np.ndarray:
    drawn = np.random.default_rng(list(text.encode())).standard_normal(DIMENSION, np.float32)
    return drawn / np.linalg.norm(drawn)


def embed(catalog: Catalog, space: int, leaving: str = "") -> None:
    missing = [(name, text) for name, text in catalog.names.missing(space) if text != leaving]
    vectors = np.array([vector(text) for _, text in missing])
    catalog.names.store(space, [name for name, _ in missing], vectors)


def check(catalog: Catalog, names: NameVectors, space: int, query: np.ndarray) -> None:
    """Compare with all names, scored one by one."""
    ids = catalog.names.embedded(space)
    _, vectors = catalog.names.vectors(space, ids)
    similarity = dict(zip(ids.tolist(), (vectors @ query).tolist(), strict=True))
    links = catalog.names.links()
    best: dict[int, float] = {}
    for name, doc, depth in zip(links.name, links.doc, links.depth, strict=True):
        own = similarity.get(int(name), 0.0) * (SHARE if depth else 1.0)
        best[int(doc)] = max(best.get(int(doc), -1.0), own)
    owned = names.current(space)
    assert owned is not None
    scores = owned.best(owned.vectors.products(query), SHARE)
    assert owned.docs.tolist() == sorted(best)
    np.testing.assert_allclose(scores, [best[doc] for doc in sorted(best)], atol=0.02)


def test_names_come_and_go(catalog: Catalog, tmp_path: Path) -> None:
    root, space = root_at(catalog, tmp_path / "root").id, catalog.spaces.add_space("mini", {}).id
    names = NameVectors(catalog)
    assert names.current(space) is None
    catalog.scans.apply([(root, FakeWalk(BEFORE))])
    read_all(catalog)
    catalog.names.bind()
    assert names.current(space) is None
    embed(catalog, space, leaving="c")
    check(catalog, names, space, vector("b"))
    assert names.current(space) is names.current(space)
    embed(catalog, space)  # its id is below others that are known
    check(catalog, names, space, vector("c"))
    catalog.scans.apply([(root, FakeWalk(AFTER))])
    catalog.names.bind()
    check(catalog, names, space, vector("d"))
    embed(catalog, space)
    catalog.names.prune()
    check(catalog, names, space, vector("d"))
    other = catalog.spaces.add_space("other", {}).id
    embed(catalog, other)
    check(catalog, names, other, vector("a"))
    check(catalog, names, space, vector("a"))


def test_what_an_earlier_reader_lacks_is_read_by_the_next(catalog: Catalog, tmp_path: Path) -> None:
    root, space = root_at(catalog, tmp_path / "root").id, catalog.spaces.add_space("mini", {}).id
    catalog.scans.apply([(root, FakeWalk(BEFORE))])
    read_all(catalog)
    catalog.names.bind()
    embed(catalog, space, leaving="c")
    names = NameVectors(catalog)
    with catalog.db.read():
        assert len(catalog.names.links().name)  # from here on this thread sees the library as it is

        def work() -> None:
            embed(catalog, space)
            check(catalog, NameVectors(catalog), space, vector("c"))

        other = threading.Thread(target=work)
        other.start()
        other.join()
        listed = catalog.names.embedded(space)  # by the other thread, and kept
        owned = names.current(space)
        assert owned is not None
        assert len(owned.names) == len(listed) - 1
    again = names.current(space)
    assert again is not None
    assert sorted(again.names.tolist()) == listed.tolist()


def near(catalog: Catalog, space: int, name: str, cosine: float) -> np.ndarray:
    """A query that is so near to a name, and equally far from all others."""
    links = catalog.names.missing(space)
    texts = [text for _, text in links]
    given = np.array([vector(text) for text in texts])
    flat = np.linalg.pinv(given) @ np.array([cosine * (text == name) for text in texts])
    across = np.linalg.svd(given)[2][-1]  # at right angles to all
    query: np.ndarray = flat + across * np.sqrt(1 - flat @ flat)
    return query.astype(np.float32)


@pytest.mark.parametrize(("cosine", "share"), [(0.15, 0.0), (0.3, 0.5), (0.45, 1.0)])
def test_names_speak_for_documents_where_one_is_near(
    catalog: Catalog, tmp_path: Path, cosine: float, share: float
) -> None:
    root, space = root_at(catalog, tmp_path / "root").id, catalog.spaces.add_space("mini", {})
    catalog.scans.apply([(root, FakeWalk(BEFORE))])
    docs = read_all(catalog)
    catalog.names.bind()
    query = near(catalog, space.id, "b", cosine)
    embed(catalog, space.id)
    none = ScoredDocs(np.zeros(0, np.int32), np.zeros(0, np.float32))
    before = LibraryEvidence(none, none, none, clarity=0.0)
    after = with_similarity(before, query, NameVectors(catalog), space).name_meaning
    doc = docs["b.txt"]
    assert after.lookup(np.array([doc], np.int32)) == pytest.approx(share * cosine, abs=0.02)
    others = np.array([one for one in docs.values() if one != doc], np.int32)
    assert after.lookup(others) == pytest.approx(0.0, abs=0.02)
