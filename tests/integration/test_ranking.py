"""What comes first in small libraries, and where it is said to stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.api.requests import Search, SearchByWords
from indexer.search.score_normalisation import Cohort
from tests.benchmarks import scoring
from tests.benchmarks.ranking_evidence import Collector
from tests.benchmarks.sets import Query
from tests.integration.scanning import letters

if TYPE_CHECKING:
    from tests.integration.world import World

LAMP = "The keeper climbed the narrow stair every evening and lit the great lamp of the tower."
STORM = "During the storm of the second winter the harbour lost eleven vessels and one bridge."


def write_log_beside_others(world: World) -> None:
    """Write a log of two pages, which make one passage, beside five documents about bees."""
    letters(world.documents / "log.pdf", LAMP, STORM)
    for number in range(5):
        (world.documents / f"{number}.txt").write_text(f"Chapter {number} is about bees.")


def test_a_hit_is_on_the_page_of_its_best_sentence(world: World) -> None:
    write_log_beside_others(world)
    with world.engine() as engine:
        world.index(engine)
        for query, page in (("the stair of the keeper", 1), ("vessels lost by the harbour", 2)):
            hit = engine.call(SearchByWords(query)).hits[0]
            assert (hit.page_first, hit.page, hit.page_last) == (1, page, 2)


def test_a_question_does_not_go_to_the_document_that_is_written_as_questions(world: World) -> None:
    asked = ("see the moon", "clean my mirror", "hold my tripod", "find my way at night")
    texts = {
        "telescope": "\n\n".join(
            f"How can I {one}? Here you can do so, if I may." for one in asked
        ),
        "lamp": "Trim the wick each morning. Oil is poured from the can into the tank of the lamp.",
        "kettle": "Water boils in the kettle. Scale is taken off by vinegar, and the lid is dried.",
    }
    for name, text in texts.items():
        (world.documents / f"{name}.txt").write_text(text)
    with world.engine() as engine:
        world.index(engine)
        for query, name in (
            ("How can I trim my wick?", "lamp"),
            ("How do I take scale off my kettle?", "kettle"),
            ("How can I hold my tripod?", "telescope"),
        ):
            assert engine.call(SearchByWords(query)).hits[0].file == f"{name}.txt"


def test_the_benchmark_measures_the_pages_that_the_engine_gives(world: World) -> None:
    write_log_beside_others(world)
    with world.engine() as engine:
        world.index(engine)
        space = engine.catalog.spaces.active()
        assert space is not None
        cohort = Cohort(0.0, 1.0, 0.0, 1.0, 0.0, 6, (), 0.0, 0.0)
        once = ("keeper", "stair", "tower", "storm", "vessels", "bridge")
        queries = [Query(word, word) for word in once]
        for found in Collector(engine, space, cohort).evidence(queries):
            hits = engine.call(Search(found.id, limit=scoring.LIMIT)).hits
            assert found.shipped == scoring.run_hits(hits)
