"""What each feature says, and the classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from indexer.api.types import Match
from indexer.search.answerability import (
    DEFAULT_CLASSIFIER,
    LANGUAGES_CLASSIFIER,
    LEAST_NAME_WEIGHT,
    MOST_DEVIATIONS,
    NO_YEAR,
    OTHER_YEAR,
    UNSURE,
    AnswerabilityFeatures,
    classifier_for,
    missing,
    name_weight,
    weight_share,
)
from indexer.search.named_entities import DocumentProfile, NamedEntities, years_in
from indexer.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Sequence

shares = st.floats(0, 1)
idfs = st.lists(st.floats(0, 12), min_size=1, max_size=12)


def document(called: str, said: str = "") -> DocumentProfile:
    return DocumentProfile.from_name(called).with_text(frozenset(words(said)), years_in(said))


ACME = document("ACMEROBOTICS_2019_10K Acme Robotics Inc.", "Sales to Globex fell in 2018.")
LETTER = document("letter", "In 2018 we met.")


def named(*names: tuple[str, ...], year: str = "") -> NamedEntities:
    return NamedEntities(names, year)


def test_a_share_is_never_more_than_the_whole() -> None:
    weights = [0.0] * 5 + [8.0, 0.8446283853712766, 0.8446283853712766]
    assert weight_share(weights, [True] * 3 + [False] * 2 + [True] * 3) <= 1.0


@given(idfs, st.data())
def test_a_share_grows_with_what_is_there(weights: list[float], data: st.DataObject) -> None:
    there = data.draw(st.lists(st.booleans(), min_size=len(weights), max_size=len(weights)))
    more = [one or other for one, other in zip(there, reversed(there), strict=True)]
    assert 0.0 <= weight_share(weights, there) <= weight_share(weights, more) <= 1.0


@given(idfs)
def test_a_share_is_of_the_whole(weights: list[float]) -> None:
    everything = [True] * len(weights)
    assert weight_share(weights, everything) in (pytest.approx(1.0), 0.0)
    assert weight_share(weights, [False] * len(weights)) == 0.0


def test_the_rarest_word_counts_most() -> None:
    assert weight_share([6.0, 2.0], [True, False]) == 0.75
    assert weight_share([], []) == 0.0


def test_one_word_of_two_is_less_than_half_of_a_query() -> None:
    assert weight_share([5.0, 5.0], [True, False], least=20.0) == 0.25
    assert weight_share([5.0] * 8, [True] * 8, least=20.0) == 1.0


def missing_names(
    asked: NamedEntities, weighed: dict[str, float], *documents: DocumentProfile
) -> float:
    return missing(asked, weighed, 8.0, documents, {})[0]


def missing_year(year: str, of: Sequence[DocumentProfile]) -> float:
    return missing(named(year=year), {}, 8.0, of, {})[1]


def test_a_name_that_a_document_has_is_not_missing() -> None:
    weighed = {"acme": 6.0, "robotics": 5.0, "globex": 7.0, "initech": 7.0}
    asked = named(("acme", "robotics"), ("globex",))
    assert missing_names(asked, weighed, LETTER, ACME) == 0.0
    assert missing_names(asked, weighed, LETTER) == pytest.approx(7 / 8)
    half = missing_names(named(("acme",), ("initech",)), weighed, ACME)
    assert half == pytest.approx(7 / 8 * 7 / 13)


def test_all_that_is_named_must_be_in_one_document() -> None:
    apart = [document("acme"), document("globex")]
    assert missing_names(named(("acme",), ("globex",)), {}, *apart) == pytest.approx(0.5)
    other = [document("acme 2018"), document("globex 2019")]
    names, year = missing(named(("globex",), year="2018"), {}, 8.0, other, {})
    assert names + year == 1.0


def test_an_inflected_name_is_not_missing_where_its_forms_are_known() -> None:
    asked = named(("globexes",))
    assert missing(asked, {}, 8.0, [ACME], {})[0] == 1.0
    assert missing(asked, {}, 8.0, [ACME], {"globexes": ("globexes", "globex")})[0] == 0.0


def test_a_model_of_one_language_has_the_classifier_for_english() -> None:
    assert classifier_for(("en",)) == DEFAULT_CLASSIFIER
    assert classifier_for(("de", "en")) == LANGUAGES_CLASSIFIER


def test_nobody_misses_a_common_name() -> None:
    assert missing_names(named(("ltd",)), {"ltd": 0.1}, LETTER) < 0.02
    assert missing(named(), {}, 8.0, [LETTER], {}) == (0.0, 0.0)
    assert missing(named(("ltd",)), {"ltd": 0.0}, 0.0, [LETTER], {}) == (0.0, 0.0)


def test_the_year_of_a_query_is_the_one_a_document_is_of() -> None:
    assert missing_year("2019", of=[ACME]) == 0.0
    assert missing_year("2020", of=[ACME]) == 1.0
    assert missing_year("", of=[ACME]) == 0.0


def test_what_a_document_says_of_another_year_is_little() -> None:
    assert missing_year("2018", of=[ACME]) == OTHER_YEAR
    assert missing_year("2018", of=[LETTER]) == 0.0
    assert missing_year("2017", of=[LETTER]) == NO_YEAR
    assert missing_year("2018", of=[ACME, LETTER]) == 0.0


@given(
    st.lists(st.sampled_from(["acme", "globex", "robotics", "letter"]), max_size=3),
    st.lists(st.sampled_from([ACME, LETTER]), min_size=1, max_size=2),
)
def test_more_documents_never_miss_more(
    words_: list[str], documents: list[DocumentProfile]
) -> None:
    asked = named(*[(word,) for word in words_], year="2019")
    first, every = (sum(missing(asked, {}, 8.0, some, {})) for some in (documents[:1], documents))
    assert every <= first


@given(st.floats(-99, 99), st.floats(0, 99))
def test_names_weigh_more_where_documents_are_similar(similar: float, more: float) -> None:
    assert LEAST_NAME_WEIGHT <= name_weight(similar) <= name_weight(similar + more) <= 1.0


def test_names_alone_tell_documents_apart_that_are_as_near_as_meaning_counts() -> None:
    assert name_weight(0.0) == LEAST_NAME_WEIGHT
    assert name_weight(MOST_DEVIATIONS) == 1.0


NOTHING = AnswerabilityFeatures(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
NAMES = NOTHING.__struct_fields__[:-1]


def features(**evidence: float) -> AnswerabilityFeatures:
    return replace(NOTHING, **evidence)


def test_what_scores_as_the_baseline_is_good_and_so_is_what_lies_within_the_margin() -> None:
    score = DEFAULT_CLASSIFIER.score(features(meaning=2, page=0.3))
    for above, match in (
        (0.0, Match.GOOD), (-0.9, Match.GOOD), (-1.1, Match.PERHAPS), (-1.9, Match.PERHAPS),
        (-2.1, Match.NONE),
    ):  # fmt: skip
        steps = min(-above, 1.0), max(-above - 1.0, 0.0)
        baseline = score + steps[0] * DEFAULT_CLASSIFIER.margin + steps[1] * UNSURE
        assert DEFAULT_CLASSIFIER.match(features(meaning=2, page=0.3), baseline) is match


def test_where_answers_are_hard_to_tell_only_a_large_lead_is_good() -> None:
    found = features(meaning=2, page=0.3)
    lead = DEFAULT_CLASSIFIER.lead(found, 0.0)
    assert DEFAULT_CLASSIFIER.match(found, 0.0, lead) is Match.GOOD
    assert DEFAULT_CLASSIFIER.match(found, 0.0, lead + 0.1) is Match.CLOSEST
    assert DEFAULT_CLASSIFIER.match(found, lead + 0.1, lead) is Match.PERHAPS
    assert DEFAULT_CLASSIFIER.match(replace(found, named=0.5), 0.0, 99.0) is Match.GOOD


def test_each_feature_alone_can_tell_that_there_is_no_answer() -> None:
    answer = features(meaning=4, page=0.5, clarity=0.3, around=3)
    baseline = DEFAULT_CLASSIFIER.score(answer) + DEFAULT_CLASSIFIER.margin - 1.0
    assert DEFAULT_CLASSIFIER.match(answer, baseline) is Match.GOOD
    for lacking in (
        replace(answer, names=1.0), replace(answer, year=1.0),
        replace(answer, out_of_vocabulary=1.0),
    ):  # fmt: skip
        assert DEFAULT_CLASSIFIER.match(lacking, baseline) is not Match.GOOD


def test_no_similarity_outweighs_a_missing_name_where_names_tell_documents_apart() -> None:
    most = features(meaning=6, page=0.2, around=6, names=name_weight(99))
    baseline = DEFAULT_CLASSIFIER.score(replace(most, names=0.0)) + DEFAULT_CLASSIFIER.margin - 2.0
    assert DEFAULT_CLASSIFIER.match(most, baseline) is not Match.GOOD
    assert DEFAULT_CLASSIFIER.match(replace(most, names=name_weight(0)), baseline) is Match.GOOD


@given(st.lists(shares, min_size=8, max_size=8), shares, shares)
def test_more_evidence_never_counts_less(values: list[float], more: float, found: float) -> None:
    before = features(**dict(zip(NAMES, values, strict=True)))
    after = features(
        meaning=before.meaning + more,
        page=max(before.page, found),
        out_of_vocabulary=before.out_of_vocabulary * found,
        names=before.names * found,
        year=before.year * found,
        clarity=max(before.clarity, found),
        around=before.around + more,
        named=max(before.named, found),
    )
    assert DEFAULT_CLASSIFIER.score(after) >= DEFAULT_CLASSIFIER.score(before) - 1e-9


def test_with_a_model_of_many_languages_the_baseline_does_not_count() -> None:
    found = features(meaning=3, page=0.4)
    assert LANGUAGES_CLASSIFIER.lead(found, 9.0) == LANGUAGES_CLASSIFIER.lead(found, -9.0)


@given(st.floats(-9, 9), st.floats(0, 9))
def test_a_higher_baseline_never_makes_a_match_better(baseline: float, more: float) -> None:
    order = [Match.NONE, Match.PERHAPS, Match.GOOD]
    found = features(meaning=3, page=0.4)
    before, after = (DEFAULT_CLASSIFIER.match(found, baseline + one) for one in (0.0, more))
    assert order.index(after) <= order.index(before)


def test_across_languages_only_meaning_tells_whatever_the_baseline() -> None:
    near = replace(features(meaning=1.0, out_of_vocabulary=1.0, names=1.0), same_language=False)
    many = classifier_for(("de", "en"))
    for baseline in (-99.0, 99.0):
        assert many.match(near, baseline) is Match.GOOD
        assert many.match(replace(near, meaning=0.9), baseline) is Match.CLOSEST
        assert many.match(replace(near, meaning=-0.6), baseline) is Match.PERHAPS
        assert many.match(replace(near, meaning=-9.0), baseline) is Match.NONE
