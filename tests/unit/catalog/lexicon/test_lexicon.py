from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.catalog.catalog import Catalog
from indexer.catalog.lexicon import lexicon as lexicon_module
from indexer.catalog.lexicon import segments as segments_module
from indexer.catalog.lexicon.lexicon import NAME_WEIGHT, TITLE_WEIGHT
from indexer.catalog.lexicon.scores import K1, B
from indexer.catalog.records import FoundFile
from tests.unit.catalog.fakes import FakeWalk, found, info, root_at

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def _add(
    catalog: Catalog, texts: Mapping[str, str], *, language: str = "en", title: str = ""
) -> dict[str, int]:
    """Index documents by file name; gives their numbers."""
    root = root_at(catalog, Path(catalog.db.path.parent) / "root").id
    there = [FoundFile(row.file.encode(), 10, 1, 7, 0, "text") for row in catalog.files.listing()]
    new = [found(name) for name in texts]
    catalog.scans.apply(root, FakeWalk({"": [*there, *new]}))
    docs = {}
    for job in catalog.queue.take(1000):
        name = job.path.decode().rpartition("/")[2]
        begun = catalog.docs.begin(job.file, name, job.stamp, info(name), title_used="")
        counts: dict[str, int] = {}
        for word in texts[name].split():
            counts[word] = counts.get(word, 0) + 1
        with catalog.write():
            catalog.lexicon.add(begun.doc, counts, title=title, language=language)
            catalog.docs.finish_passages(begun.doc, 1)
        docs[name] = begun.doc
    catalog.names.bind()
    return docs


def _scores(catalog: Catalog, *groups: Sequence[str]) -> dict[int, float]:
    docs, scores = catalog.lexicon.document_scores(groups)
    assert (np.diff(scores) <= 0).all()
    return dict(zip(docs.tolist(), scores.tolist(), strict=True))


def _reference(texts: Mapping[int, str], groups: Sequence[Sequence[str]]) -> dict[int, float]:
    average = sum(len(text.split()) for text in texts.values()) / len(texts)
    scores: dict[int, float] = {}
    for group in groups:
        counts = {doc: sum(text.split().count(w) for w in group) for doc, text in texts.items()}
        holding = sum(count > 0 for count in counts.values())
        idf = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        for doc, count in counts.items():
            if count:
                norm = K1 * (1 - B + B * len(texts[doc].split()) / average)
                score = idf * count * (K1 + 1) / (count + norm)
                scores[doc] = scores.get(doc, 0) + score
    return scores


LETTERS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=30).map(" ".join)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    texts=st.lists(LETTERS, min_size=1, max_size=30),
    groups=st.lists(st.sets(st.sampled_from("abcdefgh"), min_size=1, max_size=3), max_size=3),
    flush=st.sampled_from([1, 2, 5, 1000]),
)
def test_scores_are_those_of_plain_counting(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    texts: list[str],
    groups: list[set[str]],
    flush: int,
) -> None:
    monkeypatch.setattr(lexicon_module, "PENDING_DOCS", flush)
    monkeypatch.setattr(segments_module, "FANOUT", 3)
    with Catalog(tmp_path_factory.mktemp("lexicon") / "catalog.sqlite") as catalog:
        docs = _add(catalog, {f"{n:02}": text for n, text in enumerate(texts)})
        by_doc = {docs[f"{n:02}"]: text for n, text in enumerate(texts)}
        ordered_groups = [sorted(group) for group in groups]
        expected = _reference(by_doc, ordered_groups)
        assert _scores(catalog, *ordered_groups) == pytest.approx(expected, rel=1e-4)
        catalog.lexicon.maintain()
        assert _scores(catalog, *ordered_groups) == pytest.approx(expected, rel=1e-4)
        gone = [doc for doc in by_doc if doc % 3 == 0]
        catalog.docs.forget(gone)
        left = {doc: text for doc, text in by_doc.items() if doc % 3}
        after = _reference(left, ordered_groups) if left else {}
        assert _scores(catalog, *ordered_groups) == pytest.approx(after, rel=1e-4)
        catalog.lexicon.maintain()
        assert _scores(catalog, *ordered_groups) == pytest.approx(after, rel=1e-4)


def test_a_document_is_found_at_once(catalog: Catalog) -> None:
    docs = _add(catalog, {"1": "apple pear", "2": "pear"})
    assert set(_scores(catalog, ["apple"])) == {docs["1"]}
    assert catalog.lexicon.df(["apple", "pear", "plum"]) == {"apple": 1, "pear": 2, "plum": 0}


def test_only_chosen_documents_are_given(catalog: Catalog) -> None:
    docs = _add(catalog, {"1": "apple", "2": "apple apple", "3": "pear"})
    chosen = np.array([docs["1"], docs["3"], 10_000], np.int32)
    ids, scores = catalog.lexicon.document_scores([["apple"]], chosen)
    assert ids.tolist() == [docs["1"]]
    assert scores[0] == pytest.approx(_scores(catalog, ["apple"])[docs["1"]])
    assert len(catalog.lexicon.document_scores([["apple"]], limit=1)[0]) == 1


def test_names_count_and_renaming_reads_nothing(catalog: Catalog) -> None:
    docs = _add(catalog, {"lease-agreement.txt": "rent", "other.txt": "rent"})
    assert set(_scores(catalog, ["lease"])) == {docs["lease-agreement.txt"]}
    assert catalog.lexicon.df(["agreement"]) == {"agreement": 1}
    root = catalog.roots.all()[0].id
    entries = [found("treaty.txt", mtime_ns=1), found("other.txt")]
    catalog.scans.apply(root, FakeWalk({"": entries}))
    (job,) = catalog.queue.take(5)
    assert catalog.docs.link(job.file, "lease-agreement.txt", job.stamp, "text", 1)
    catalog.names.bind()
    assert _scores(catalog, ["lease"]) == {}
    assert set(_scores(catalog, ["treaty"])) == {docs["lease-agreement.txt"]}


def test_words_of_the_title_count_more(catalog: Catalog) -> None:
    docs = _add(catalog, {"1": "filler filler"}, title="Annual Report")
    counts = {"annual": TITLE_WEIGHT, "filler": 2}
    length = sum(counts.values()) + TITLE_WEIGHT
    idf = math.log(1 + 0.5 / 1.5)
    expected = idf * TITLE_WEIGHT * (K1 + 1) / (TITLE_WEIGHT + K1)
    assert _scores(catalog, ["annual"])[docs["1"]] == pytest.approx(expected, rel=1e-4)
    assert length == 8
    assert NAME_WEIGHT > 0


def test_nothing_is_found_in_an_empty_library(catalog: Catalog) -> None:
    assert _scores(catalog, ["apple"]) == {}
    assert catalog.lexicon.df(["apple"]) == {"apple": 0}
    assert catalog.lexicon.expand_prefix("a") == []
    assert catalog.lexicon.nearest("apple") == []
    catalog.lexicon.maintain()


@pytest.mark.parametrize("flushed", [True, False])
def test_prefixes_typos_and_forms(catalog: Catalog, flushed: bool) -> None:
    texts = {
        "1": "company revenue revenues account",
        "2": "revenue companies accounted",
        "3": "revenue reverse 2023",
        "Quarterly Überblick.txt": "x",
    }
    _add(catalog, texts)
    lexicon = catalog.lexicon
    if flushed:
        lexicon.maintain()
    assert lexicon.expand_prefix("reve") == [("revenue", 3), ("revenues", 1), ("reverse", 1)]
    assert lexicon.expand_prefix("quart") == [("quarterly", 1)]
    assert lexicon.expand_prefix("reve", 1) == [("revenue", 3)]
    assert lexicon.nearest("revnue") == [("revenue", 3)]
    assert lexicon.nearest("revenuse") == [("revenue", 3), ("revenues", 1)]
    assert lexicon.nearest("quartrely") == [("quarterly", 1)]
    assert lexicon.nearest("revenue") == []
    assert lexicon.nearest("2024") == []
    assert lexicon.nearest("uberblik") == [("uberblick", 1)]
    assert "companies" in lexicon.forms("company", ["en"]) or not flushed
    assert lexicon.forms("company", [])[0] == "company"
    lexicon.maintain()
    assert lexicon.forms("company", ["en"]) == ["company", "companies"]
    assert lexicon.forms("accounts", ["en"]) == ["accounts", "account", "accounted"]


def test_a_failed_commit_leaves_no_trace(catalog: Catalog) -> None:
    _add(catalog, {"1": "apple"})

    def fail() -> None:
        with catalog.write():
            catalog.lexicon.add(99, {"pear": 1}, language="en")
            catalog.lexicon.maintain()
            assert catalog.lexicon.df(["pear"]) == {"pear": 1}
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert catalog.lexicon.df(["apple", "pear"]) == {"apple": 1, "pear": 0}
    _add(catalog, {"2": "plum"})
    catalog.lexicon.maintain()
    assert catalog.lexicon.df(["apple", "plum"]) == {"apple": 1, "plum": 1}


def test_a_word_in_very_many_documents_and_far_numbers(catalog: Catalog) -> None:
    numbers = [5, 6, 70_000, 70_001, 300_000]
    for doc in numbers:
        catalog.lexicon.add(doc, {"word": doc % 7 + 1}, language="")
    catalog.lexicon.maintain()
    assert set(_scores(catalog, ["word"])) == set(numbers)


def test_merging_forgets_the_dead(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicon_module, "PENDING_DOCS", 1)
    docs = _add(catalog, {str(n): f"all word{n}" for n in range(20)})
    catalog.docs.forget(list(docs.values())[:15])
    catalog.lexicon.maintain()
    assert catalog.db.value("SELECT count(*) FROM lexicon_deleted") == 0
    held = sum(len(segment.docs) for segment in catalog.lexicon._segments.all())
    assert held == 5
    assert catalog.lexicon.df(["all"]) == {"all": 5}
