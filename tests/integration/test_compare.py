"""Two documents compared and hits explained, over a real library and a real, tiny model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.api.requests import Compare, Explain, Index, Search
from indexer.store.vectors import vectors_name
from tests.integration.world import World
from tests.tiny_model import install_tiny_model
from tests.two_encoders import install_two_encoders

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.answers import Comparison, ComparisonSide
    from indexer.engine.engine import Engine

COMMON = (
    "The tenant pays the rent on the first day of each month to the landlord.",
    "The landlord mends the roof, the walls and the windows of the house.",
    "The tenant shall not keep horses, cattle or swine in the garden of the house.",
    "The keys of the house are handed over on the day on which the lease begins.",
    "The house is insured against fire, flood and storm by the landlord.",
)
SUBLET = "Lodgers upstairs bring candles, lanterns and oil at their own peril only."
CHIMNEY = "Every chimney is swept in autumn by a sweep whom the council has licensed."
ADDED_SHORT = "Nobody may live there."
ADDED = "Guests may sleep in the loft for up to three nights a month."
NOTICE = "Either party may end the lease with a notice of {} months to the other."
AGENT = "The agent of the landlord is {}, who may {}let the house to other people of the town."
FILLERS = (
    "Sums that come late bear interest by the day, as banks in town ask of each other. ",
    "Tools, ladders and ropes are kept dry in a shed which stands behind the stables. ",
    "Dogs that guard sheep at night count as tools and not as beasts of a farm. ",
    "A witness who can read signs with both of them and writes down the hour. ",
    "Whoever smells smoke wakes the others first and carries out the papers later. ",
    "What was agreed by word of mouth in the past is of no account from now on. ",
    "Letters go to the place where somebody lives, and are opened within a week. ",
)
PARTS = ("Money", "Repairs", "Animals", "Beginning", "Insurance", "Others", "Ends")


def lease(*statements: str) -> str:
    """Each statement in a section of its own, long enough to be a passage."""
    parts = []
    for name, statement, filler in zip(PARTS, statements, FILLERS, strict=False):
        parts.append(f"# {name}\n\n{statement} {filler * 12}\n")
    return "\n".join(parts)


def install_late(models: Path) -> None:
    install_tiny_model(models, late=True)


@pytest.fixture(
    scope="module",
    params=[install_tiny_model, install_late, install_two_encoders],
    ids=["alone", "late", "two encoders"],
)
def indexed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("compare")
    request.param(folder / "models")
    world = World(folder / "documents", folder / "library", folder / "models")
    world.documents.mkdir()
    texts = {
        "old.md": lease(*COMMON, SUBLET, NOTICE.format("three")),
        "new.md": lease(*reversed(COMMON), CHIMNEY, NOTICE.format("six")),
        # All of the old one, with a short sentence that is joined to the next, and a long one.
        "draft.md": lease(
            f"{ADDED_SHORT} {COMMON[0]}", *COMMON[1:], SUBLET, f"{NOTICE.format('three')} {ADDED}"
        ),
        "other.md": lease(*("The moon is far from the earth and the sun is farther.",) * 6),
        "names.md": "# Names\n\nAda Byron\n\nJane Doe\n",
    }
    for name, text in texts.items():
        (world.documents / name).write_text(text)
    with world.engine() as engine:
        world.index(engine)
    return world


def compare(engine: Engine, first: str, second: str, limit: int = 0) -> Comparison:
    return engine.call(Compare(first, second, limit))


def said(side: ComparisonSide) -> set[str]:
    return {one.text for one in side.only}


def test_each_says_what_the_other_does_not(opened: Engine, indexed: World) -> None:
    found = compare(opened, "old.md", str(indexed.documents / "new.md"))
    assert said(found.first) == {SUBLET}
    assert said(found.second) == {CHIMNEY}
    (only,) = found.first.only
    text = (indexed.documents / "old.md").read_text()
    assert text[only.start : only.end].endswith(SUBLET)
    assert only.heading_path[-1] == "Others"
    assert only.near is not None
    assert only.near.text
    assert found.first.path == str(indexed.documents / "old.md")
    assert found.first.statements >= found.first.alone == 1


def test_a_number_that_differs_is_a_change(opened: Engine) -> None:
    (change,) = [
        one for one in compare(opened, "old.md", "new.md").changed
        if "notice" in one.first.text
    ]  # fmt: skip
    assert change.first.text == NOTICE.format("three")
    assert change.second.text == NOTICE.format("six")


def test_a_name_or_a_negation_that_differs_is_a_change_and_marked(
    indexed: World, tmp_path: Path
) -> None:
    copy = indexed.copy(tmp_path / "library")
    text = lease(*COMMON, AGENT.format("Ilse Brandt", "not "), SUBLET)
    (tmp_path / "first.md").write_text(text)
    (tmp_path / "second.md").write_text(text.replace("Ilse Brandt", "Jonas Keller"))
    (tmp_path / "third.md").write_text(text.replace("may not", "may"))
    with copy.engine() as engine:
        engine.call(Index((tmp_path,)))
        for name, marked in (("second.md", "Ilse Brandt"), ("third.md", "not")):
            (change,) = compare(engine, "first.md", name).changed
            assert change.first.text == AGENT.format("Ilse Brandt", "not ")
            assert [change.first.text[slice(*each)] for each in change.first_marks] == [marked]
        assert compare(engine, "first.md", "first.md").changed == ()


def test_what_a_version_adds_is_only_in_it(opened: Engine, indexed: World) -> None:
    found = compare(opened, "old.md", "draft.md")
    assert found.first.only == ()
    added = {ADDED_SHORT, ADDED}
    assert {each for each in added if any(each in one.text for one in found.second.only)} == added
    text = (indexed.documents / "draft.md").read_text()
    assert [text[one.start : one.end] for one in found.second.only if one.text == ADDED_SHORT]
    assert compare(opened, "draft.md", "old.md").first.only == found.second.only


def test_the_other_way_round_says_the_same(opened: Engine) -> None:
    there, back = compare(opened, "old.md", "new.md"), compare(opened, "new.md", "old.md")
    assert said(there.first) == said(back.second)
    assert said(there.second) == said(back.first)
    assert there.changes == back.changes
    assert there.border == pytest.approx(back.border)


def test_words_are_compared_before_there_are_vectors(indexed: World, tmp_path: Path) -> None:
    with indexed.copy(tmp_path / "library").engine() as engine:
        space = engine.catalog.spaces.active()
        assert space is not None
        engine.store.drop_vectors(vectors_name(space.key))
        found = compare(engine, "old.md", "new.md")
        assert found.by_words
        assert SUBLET in said(found.first)
        assert CHIMNEY in said(found.second)
        assert not {*COMMON} & (said(found.first) | said(found.second))
        (change,) = found.changed
        assert change.second.text == NOTICE.format("six")
        assert compare(engine, "old.md", "old.md").first.only == ()
        assert compare(engine, "names.md", "names.md").border == 1.0


def test_a_document_says_all_that_it_says(opened: Engine) -> None:
    found = compare(opened, "old.md", "old.md")
    assert found.first.only == found.second.only == ()
    assert found.changed == ()


def test_the_most_different_come_first(opened: Engine) -> None:
    everything = compare(opened, "old.md", "other.md").first
    assert everything.alone == len(everything.only) > 2
    one = compare(opened, "old.md", "other.md", limit=1).first
    assert one.alone == everything.alone
    assert one.only[0].cosine == min(each.cosine for each in everything.only)


def test_a_document_of_names_states_nothing(opened: Engine) -> None:
    found = compare(opened, "names.md", "old.md")
    assert found.first.statements == 0
    assert found.second.alone == found.second.statements
    assert found.second.only[0].near is None
    assert found.border <= 1.0
    assert compare(opened, "names.md", "names.md").border == 1.0


@pytest.mark.parametrize("pair", [("nowhere.md", "old.md"), ("old.md", "nowhere.md")])
def test_what_is_not_there_is_said(opened: Engine, pair: tuple[str, str]) -> None:
    with pytest.raises(WorldError, match="not in this library"):
        compare(opened, *pair)


def test_an_explanation_adds_up(opened: Engine, indexed: World) -> None:
    query = "who pays the rent of the house?"
    (hit,) = opened.call(Search(query, 1, explain=True)).hits
    found = opened.call(Explain(query, indexed.documents / hit.file, hit.start))
    assert found is not None
    total = found.rest + sum(share for _, _, share in found.words)
    assert total == pytest.approx(found.cosine, abs=1e-5)
    assert hit.explain is not None
    assert found.cosine == pytest.approx(hit.explain.passage["pooled_question"], abs=5e-3)
    shown = [hit.text[first:last] for first, last, _ in found.words]
    assert set(shown) == set(re.findall(r"\w+", hit.text))
    assert "rent" in {hit.text[first:last] for first, last in found.same}
    assert all(hit.text[first:last] in shown for first, last in found.marks)
    assert found.pairs[0][2] >= found.pairs[-1][2]


def test_a_rank_is_explained_by_what_made_it(opened: Engine) -> None:
    result = opened.call(Search("who pays the rent in old.md?", explain=True))
    assert result.hits
    for hit in result.hits:
        assert hit.explain is not None
        # Each number is rounded.
        assert sum(hit.explain.score.values()) == pytest.approx(hit.score, abs=5e-4)
        assert hit.explain.weights["words"] == opened.searcher.weights.words
        assert set(hit.explain.document) >= {"name_meaning", "name_words", "words", "clarity"}
    plain = opened.call(Search("who pays the rent in old.md?"))
    assert [hit.explain for hit in plain.hits] == [None] * len(plain.hits)


def test_what_cannot_be_explained_is_said(opened: Engine, indexed: World) -> None:
    path = indexed.documents / "old.md"
    hits = opened.call(Search("ext:md")).hits
    (start,) = {hit.start for hit in hits if hit.file == "old.md"}
    assert opened.call(Explain("ext:md", path, start)) is None
    for missing in (path.with_name("nowhere.md"), path):
        with pytest.raises(WorldError):
            opened.call(Explain("rent", missing, 999_999))
