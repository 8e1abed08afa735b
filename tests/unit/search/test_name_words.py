"""The words of names, against a plain index of them."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import PurePath
from typing import TYPE_CHECKING

import pytest

from indexer.catalog.names import stem_of
from indexer.search.document_names import NameWords
from indexer.text.name_words import initialisms, joined_neighbours, name_tokens
from tests.unit.catalog.fakes import FakeWalk, found, read_all, root_at

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.catalog.catalog import Catalog

PARTS = ("Acme", "BestBuy", "JP Morgan", "lease", "10K", "FY19", "2021", "\u706f\u5854", "___")
NAMES = [f"{one}_{other}-{at}.txt" for at, one in enumerate(PARTS) for other in PARTS[at:]]
ASKED = ["acme", "bestbuy", "jpmorgan", "lease", "10k", "2021", "\u706f\u5854", "nowhere", "7"]
INITIALS = ["jmf", "abb", "xyz"]


@pytest.fixture
def docs(catalog: Catalog, tmp_path: Path) -> dict[str, int]:
    """Documents by the names of their files."""
    walk = FakeWalk({"Acme": [found(name, inode=at) for at, name in enumerate(NAMES, 1)]})
    catalog.scans.apply([(root_at(catalog, tmp_path / "root").id, walk)])
    known = read_all(catalog)
    catalog.names.bind()
    return known


def reference(catalog: Catalog) -> dict[int, float]:
    """The scores of documents for ``ASKED`` and ``INITIALS``."""
    texts = dict(catalog.db.rows("SELECT id, text FROM names"))
    names: defaultdict[str, list[int]] = defaultdict(list)
    for name, text in texts.items():
        for word in {*name_tokens(text), *joined_neighbours(text)}:
            names[word].append(name)
        for letters in initialisms(text):
            names[f"initials {letters}"].append(name)
    scores: defaultdict[str, float] = defaultdict(float)
    for word in [*ASKED, *(f"initials {letters}" for letters in INITIALS)]:
        count = len(names[word])
        for name in names[word]:
            scores[texts[name]] += math.log1p((max(texts) - count + 0.5) / (count + 0.5))
    best: dict[int, float] = {}
    known = catalog.docs.known()
    for doc, places in catalog.files.by_document(known).items():
        stems = {stem_of(PurePath(place.relative).name.encode()) for place in places}
        if score := max(scores[stem] for stem in stems):
            best[doc] = score
    return best


def check(words: NameWords, catalog: Catalog) -> None:
    expected = reference(catalog)
    found_docs, scores = words.scores(ASKED, INITIALS)
    assert found_docs.tolist() == sorted(expected)
    assert scores == pytest.approx([expected[doc] for doc in sorted(expected)], rel=1e-6)


def test_documents_are_scored_by_the_rare_words_of_their_best_name(
    catalog: Catalog, docs: dict[str, int]
) -> None:
    words = NameWords(catalog)
    check(words, catalog)
    with_acme = sorted(doc for name, doc in docs.items() if "Acme" in name)
    assert words.docs(["acme"]).tolist() == with_acme
    with_either = sorted(doc for name, doc in docs.items() if "Acme" in name or "lease" in name)
    assert words.docs(["acme", "nowhere", "lease", "acme"]).tolist() == with_either


def test_nothing_is_found_without_a_word(catalog: Catalog) -> None:
    words = NameWords(catalog)
    assert words.docs(["acme"]).tolist() == []
    assert [column.tolist() for column in words.scores(["acme"])] == [[], []]


def test_few_words_are_kept_with_their_documents(
    catalog: Catalog, docs: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.search.document_names._KEPT", 2)
    words = NameWords(catalog)
    before = [words.docs([word]).tolist() for word in ASKED]
    assert before == [NameWords(catalog).docs([word]).tolist() for word in ASKED]
    assert before == [words.docs([word]).tolist() for word in ASKED]
    assert set(words.docs(ASKED).tolist()) == {doc for found in before for doc in found}
    assert set(docs.values()) > set(before[0]) > set()


@pytest.mark.usefixtures("docs")
def test_after_renames_the_old_names_count_for_nothing(catalog: Catalog, tmp_path: Path) -> None:
    words = NameWords(catalog)
    check(words, catalog)
    renamed = [name.replace("Acme", "Globex") for name in NAMES]
    walk = FakeWalk({"Acme": [found(name, inode=at) for at, name in enumerate(renamed, 1)]})
    catalog.scans.apply([(root_at(catalog, tmp_path / "root").id, walk)])
    catalog.names.bind()
    catalog.names.prune()
    assert words.docs(["acme"]).tolist() == []
    assert len(words.docs(["globex"])) == sum("Globex" in name for name in renamed)
    check(words, catalog)
