"""Whether a library knows that it has no answer, and whether it shows the same text once.

The model is the one that ships: the tiny one knows no meaning.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from msgspec.structs import asdict, replace

from indexer.api.errors import Cancelled
from indexer.api.progress import CancelToken
from indexer.api.requests import Calibrate, Index, Search, SetPace
from indexer.api.types import Match, Why
from indexer.config import DEFAULT_MODEL, Precision
from indexer.engine.engine import Engine
from indexer.query.grammar import parse
from indexer.search import calibration, score_normalisation
from indexer.search.answerability import MOST_DEVIATIONS
from indexer.search.narrowing import SearchRequest, narrow
from indexer.server.service import Host, Service
from indexer.text.terms import words
from tests.integration.world import World
from tests.waiting import wait_for

if TYPE_CHECKING:
    from indexer.api.types import SearchResult

SAMPLE = Path(__file__).parents[2] / "resources" / "sample" / "documents"
YEARS = (2018, 2019, 2020)
PERHAPS = "the history of maps"
POLICY = (
    "The lamp of the lighthouse is inspected by the keeper in every month of {year}. Each "
    "inspection is entered in the register, with the state of the lens, the mantle and the "
    "clockwork, and is signed by the keeper and by one witness. A fault that cannot be mended on "
    "the day is reported to the harbour office, which sends a mechanic by the next boat and bears "
    "the cost of the repair as well as of the oil that was burnt in the meantime.\n"
)
REPORTED = "is a fault that cannot be mended on the day reported to the harbour office?"
OATH = (
    "Whoever keeps the lamp swears before two witnesses that no night passes in which it is dark, "
    "that no oil is sold, that strangers are given shelter and a meal, and that every ship which "
    "passes is entered in the book with its flag and its course, so help him the sea.\n"
)


def answering(documents: Path, library: Path, models: Path) -> World:
    return World(documents, library, models, Precision.INT8, DEFAULT_MODEL)


@pytest.fixture(scope="module")
def indexed(own_models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("answers")
    documents = folder / "documents"
    shutil.copytree(SAMPLE, documents)
    for year in YEARS:
        (documents / f"register-{year}.txt").write_text(POLICY.format(year=year))
    for number, end in enumerate(("", "This text is a copy.\n")):
        (documents / f"oath-{number}.txt").write_text(OATH + end)
    world = answering(documents, folder / "library", own_models_dir)
    with world.engine() as engine:
        world.index(engine)
        space = engine.catalog.spaces.active()
        assert space is not None
        assert score_normalisation.load_cohort(engine.catalog, space) is None, "nobody waits for it"
        engine.call(Calibrate())
    return world


def ask(engine: Engine, text: str) -> SearchResult:
    return engine.call(Search(text, 10))


@pytest.mark.parametrize(
    "text",
    [
        "How did Shackleton's men survive after the ship was crushed by the ice?",
        "how is the rent of the workshop paid?",
        "What makes the tide rise twice a day?",
        "gnomon latitude",
        "Endurance",
    ],
)
def test_what_the_library_answers_is_good(opened: Engine, text: str) -> None:
    result = ask(opened, text)
    assert result.hits
    assert result.match is Match.GOOD


def test_a_word_that_is_found_is_what_was_asked_for(opened: Engine) -> None:
    text = (SAMPLE / "lighthouse-log.txt").read_text("utf-8")
    once = sorted(word for word, times in Counter(words(text)).items() if times == 1)
    rare = [word for word in once if len(word) > 6][::5]
    assert len(rare) > 5
    doubted = {word for word in rare if ask(opened, word).match is not Match.GOOD}
    assert not doubted
    assert ask(opened, "What did the generator do?").match is Match.GOOD
    assert ask(opened, "kubernetes").match is not Match.GOOD
    assert ask(opened, "gnomon kubernetes").match is not Match.GOOD


@pytest.mark.parametrize(
    "text",
    [
        "Which antibiotics are given to children with pneumonia?",
        "What was Microsoft's operating income in FY2016?",
        "How do I install Kubernetes on Debian?",
        "Does the licence agreement between Acme Corp and Globex Inc allow sublicensing?",
    ],
)
def test_what_it_does_not_answer_is_not(opened: Engine, text: str) -> None:
    result = ask(opened, text)
    assert result.hits  # the closest there are
    assert result.match is not Match.GOOD


def test_after_a_rest_the_answers_are_the_same(opened: Engine) -> None:
    before = ask(opened, "gnomon latitude")
    assert opened.release_memory()
    assert ask(opened, "gnomon latitude").hits == before.hits


def test_an_exact_phrase_is_what_was_asked_for(opened: Engine) -> None:
    assert ask(opened, '"bears the cost of the repair"').match is Match.GOOD


def test_between_an_answer_and_none_it_says_perhaps(opened: Engine) -> None:
    result = ask(opened, PERHAPS)
    assert result.hits
    assert result.match is Match.PERHAPS


def test_a_query_of_filters_alone_is_no_question(opened: Engine) -> None:
    result = ask(opened, "ext:pdf")
    assert result.hits
    assert result.match is Match.GOOD


@pytest.mark.parametrize("excluded", ["-mechanic", '-"keeper in every month"'])
def test_a_list_of_documents_leaves_out_those_with_an_excluded_word(
    opened: Engine, excluded: str
) -> None:
    every = {hit.file for hit in ask(opened, "ext:txt").hits}
    registers = {f"register-{year}.txt" for year in YEARS}
    assert registers < every
    assert {hit.file for hit in ask(opened, f"ext:txt {excluded}").hits} == every - registers


def test_before_the_cohort_is_measured_nothing_is_called_bad(
    opened: Engine, tmp_path: Path
) -> None:
    folder = tmp_path / "few"
    folder.mkdir()
    (folder / "register.txt").write_text(POLICY.format(year=2018))
    world = answering(folder, tmp_path / "library", opened.config.models)
    with world.engine() as small:
        world.index(small)
        small.call(Calibrate())
        space = small.catalog.spaces.active()
        assert space is not None
        assert score_normalisation.load_cohort(small.catalog, space) is None
        assert ask(small, "Which antibiotics are given to children?").match is Match.GOOD


def test_an_engine_that_stays_calibrates_while_nothing_waits(
    indexed: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    shutil.copytree(indexed.library, tmp_path / "library")
    config = replace(indexed.config, library=tmp_path / "library", background=True)
    engine = Engine.open(config)
    service = Service(engine, config.library)
    space = engine.catalog.spaces.active()
    assert space is not None

    with contextlib.closing(Host(engine, service)) as host:
        service.background.calibrate()
        wait_for(lambda: service.index_queue.idle)
        before = score_normalisation.load_cohort(engine.catalog, space)
        assert before is not None, "it had been measured"
        assert not engine.calibration_waits()
        host.call(Index((indexed.documents,)))
        engine.catalog.set_meta(f"cohort_{space.id}", "null")
        host.call(Calibrate())
        assert score_normalisation.load_cohort(engine.catalog, space) is None, "nobody waits for it"
        host.call(SetPace(paused=True))
        assert not engine.calibration_waits()
        host.call(SetPace(paused=False))
        service.background.calibrate()
        wait_for(lambda: service.index_queue.idle)
        assert score_normalisation.load_cohort(engine.catalog, space) == before


def test_the_cohort_is_measured_once_until_the_library_changes_much(opened: Engine) -> None:
    space = opened.catalog.spaces.active()
    assert space is not None
    before = score_normalisation.load_cohort(opened.catalog, space)
    assert before is not None
    assert before.passages == opened.catalog.spaces.totals().embedded
    assert 0.0 < before.centre < 0.6
    older = {name: value for name, value in asdict(before).items() if name != "telling"}
    opened.catalog.set_meta(f"cohort_{space.id}", json.dumps(older))
    assert score_normalisation.load_cohort(opened.catalog, space) is None
    opened.catalog.set_meta(f"cohort_{space.id}", "{}")  # as a newer program may write it
    assert score_normalisation.load_cohort(opened.catalog, space) is None
    cancelled = CancelToken()
    cancelled.cancel()
    with pytest.raises(Cancelled):
        calibration.refresh_calibration(opened.searcher, cancelled)
    assert score_normalisation.load_cohort(opened.catalog, space) is None
    calibration.refresh_calibration(opened.searcher, CancelToken())
    assert score_normalisation.load_cohort(opened.catalog, space) == before


@pytest.mark.parametrize("apart", [False, True])
def test_own_sentences_are_asked_without_their_context(opened: Engine, *, apart: bool) -> None:
    space = opened.catalog.spaces.active()
    assert space is not None
    query = parse("Of the register; in which month is the lamp inspected?")
    narrowing = narrow(query, opened.catalog)
    request = SearchRequest(query, narrowing, 100, 3, apart=apart)
    retrieved, _ranking = opened.searcher.rank(request, space, CancelToken())
    asked = retrieved.terms.asked
    assert asked != query.text
    alone = opened.models.query(space.record).encode_query(asked)
    assert np.array_equal(retrieved.vectors.question, alone) is apart


def test_documents_on_other_subjects_are_not_alike(opened: Engine) -> None:
    space = opened.catalog.spaces.active()
    assert space is not None
    cohort = score_normalisation.load_cohort(opened.catalog, space)
    assert cohort is not None
    assert cohort.between_documents < MOST_DEVIATIONS / 2
    assert cohort.telling == 0.0


@pytest.mark.slow
def test_yearly_registers_are_as_alike_as_documents_can_be(opened: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "registers"
    folder.mkdir()
    for year in range(1960, 2020):
        (folder / f"register-{year}.txt").write_text(POLICY.format(year=year))
    world = answering(folder, tmp_path / "library", opened.config.models)
    with world.engine() as yearly:
        world.index(yearly)
        yearly.call(Calibrate())
        space = yearly.catalog.spaces.active()
        assert space is not None
        cohort = score_normalisation.load_cohort(yearly.catalog, space)
        assert cohort is not None
        assert cohort.between_documents > MOST_DEVIATIONS
        # Without the register of a year another one says the same.
        assert cohort.telling > 0.0
        assert ask(yearly, REPORTED).match is Match.CLOSEST
        assert ask(yearly, "Which antibiotics are given to children?").match is Match.NONE


@pytest.mark.parametrize(
    "text",
    [
        "What was Shackleton's rent in FY2016?",
        "Which bread did Globex bake in 2019?",
        "How is the register of the lighthouse of Skagen kept?",
    ],
)
def test_a_named_thing_that_is_not_here_is_missed(opened: Engine, text: str) -> None:
    assert ask(opened, text).match is not Match.GOOD


@pytest.mark.parametrize("year", YEARS)
def test_a_year_is_found_in_any_of_the_files_that_differ_by_it(opened: Engine, year: int) -> None:
    assert ask(opened, f"Who inspected the lamp of the lighthouse in {year}?").match is Match.GOOD


def test_nearly_the_same_text_of_another_year_is_a_hit_of_its_own(opened: Engine) -> None:
    hits = ask(opened, "who pays for the repair of the lighthouse lamp?").hits
    found = [hit for hit in hits if hit.file.startswith("register-")]
    assert {hit.file for hit in found} == {f"register-{year}.txt" for year in YEARS}
    assert all(hit.also == () for hit in found)


def test_a_quoted_phrase_lists_each_document_that_has_it(opened: Engine) -> None:
    plain = ask(opened, "strangers are given shelter and a meal").hits
    assert [len(hit.also) for hit in plain if hit.file.startswith("oath-")] == [1]
    quoted = ask(opened, '"strangers are given shelter and a meal"').hits
    found = [hit for hit in quoted if hit.why is Why.PHRASE]
    assert {hit.file for hit in found} == {"oath-0.txt", "oath-1.txt"}
    assert all(hit.also == () for hit in found)


def test_a_year_in_the_query_brings_its_file_to_the_front_and_tells_it_apart(
    opened: Engine,
) -> None:
    for year in YEARS:
        hits = ask(opened, f"inspection of the lighthouse lamp in {year}").hits
        found = [hit for hit in hits if hit.file.startswith("register-")]
        assert found[0].file == f"register-{year}.txt"
        assert all(hit.also == () for hit in found)
        assert len(found) == len(YEARS)


@pytest.mark.parametrize(
    "text", ["register-2019.txt", "register-2019", "register 2019", "REGISTER-20"]
)
def test_a_file_is_found_by_its_name(opened: Engine, text: str) -> None:
    found = ask(opened, text)
    first = found.hits[0]
    assert (first.why, first.start, first.text[:8]) == (Why.NAME, 0, "The lamp")
    assert first.marks == (), "the name was asked for, and no sentence"
    assert found.match is Match.GOOD
    assert first.file == "register-2019.txt" or text == "REGISTER-20"
    assert len({(hit.path, hit.start) for hit in found.hits}) == len(found.hits)


def test_a_name_is_looked_for_where_the_query_says(opened: Engine) -> None:
    assert all(hit.why is not Why.NAME for hit in ask(opened, "register-2019 ext:pdf").hits)
    assert all(hit.why is not Why.NAME for hit in ask(opened, '"register-2019"').hits)
    assert ask(opened, "register-2019 ext:txt").hits[0].why is Why.NAME


def test_a_file_of_which_nothing_was_read_is_found_first_by_its_name(
    opened: Engine, tmp_path: Path
) -> None:
    (tmp_path / "tide table.bin").write_bytes(b"\0\1\2")
    opened.call(Index((tmp_path,)))
    for text in ("tide table.bin", "tide table"):
        first = ask(opened, text).hits[0]
        assert (first.file, first.why, first.text) == ("tide table.bin", Why.NAME, "")


def test_a_phrase_that_stands_nowhere_is_said_to(opened: Engine) -> None:
    found = ask(opened, '"the keeper inspects the lamp by moonlight"')
    assert found.hits
    assert found.match is not Match.GOOD
    assert [note.code for note in found.notes] == ["phrase_nowhere"]
    assert all(hit.why is not Why.PHRASE for hit in found.hits)
    assert ask(opened, '"clockwork, and is signed by the keeper"').notes == ()


def test_the_phrase_itself_is_marked(opened: Engine) -> None:
    first = ask(opened, '"bears the cost" lamp inspected every month').hits[0]
    assert first.why is Why.PHRASE
    assert [first.text[slice(*mark)] for mark in first.marks] == ["bears the cost"]
    assert "bears the cost" in first.text[slice(*first.best)]


def test_quotes_in_a_question_put_no_passage_first(opened: Engine) -> None:
    answer = ask(opened, "how is the rent of the workshop paid?").hits[0]
    quoting = ask(opened, 'how is the rent of the workshop paid, by the "next boat" or otherwise?')
    assert (quoting.hits[0].file, quoting.hits[0].start) == (answer.file, answer.start)
    assert all(hit.why is not Why.PHRASE for hit in quoting.hits)


def test_a_search_for_many_hits_can_be_cancelled_while_they_are_made(opened: Engine) -> None:
    class Counting(CancelToken):
        checks = 0

        def check(self) -> None:
            self.checks += 1
            super().check()

    few, many = Counting(), Counting()
    opened.call(Search("the lamp", 1), token=few)
    hits = opened.call(Search("the lamp", 10), token=many).hits
    assert many.checks - few.checks >= len(hits) - 1 > 3
