"""A search is steered towards a passage or away from it, and leaves nothing out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.api.requests import Search
from tests.integration import corpus

if TYPE_CHECKING:
    from indexer.api.types import Hit
    from indexer.engine.engine import Engine

QUERY = corpus.text(3, 12)
LIMIT = 400


def hits(engine: Engine, text: str) -> list[Hit]:
    return list(engine.call(Search(text, LIMIT)).hits)


def named(hit: Hit) -> str:
    return f'"{hit.path}#{hit.start}-{hit.end}"'


def place(found: list[Hit], hit: Hit) -> int:
    keys = [(each.path, each.start) for each in found]
    return keys.index((hit.path, hit.start)) if (hit.path, hit.start) in keys else LIMIT


def test_more_like_a_passage_comes_first_and_less_last(opened: Engine) -> None:
    plain = hits(opened, QUERY)
    middle = plain[len(plain) // 2]
    more = hits(opened, f"{QUERY} more:{named(middle)}")
    less = hits(opened, f"{QUERY} less:{named(middle)}")
    assert place(more, middle) < place(plain, middle) < place(less, middle)
    first = plain[0]
    assert place(hits(opened, f"{QUERY} less:{named(first)}"), first) > 0
    both = hits(opened, f"{QUERY} more:{named(middle)} less:{named(first)}")
    assert place(both, middle) < place(both, first)


def test_a_score_says_how_far_it_was_steered(opened: Engine) -> None:
    best = hits(opened, QUERY)[0]
    for operator, sign in (("more", 1), ("less", -1)):
        found = opened.call(Search(f"{QUERY} {operator}:{named(best)}", LIMIT, explain=True)).hits
        (same,) = [hit for hit in found if (hit.path, hit.start) == (best.path, best.start)]
        assert same.explain is not None
        assert same.explain.score["steered"] * sign > 0
    (plain, *_) = opened.call(Search(QUERY, LIMIT, explain=True)).hits
    assert plain.explain is not None
    assert plain.explain.score["steered"] == 0


def test_what_is_not_in_the_library_steers_nothing_and_is_told(opened: Engine) -> None:
    answer = opened.call(Search(f"{QUERY} more:nowhere.pdf", LIMIT))
    assert [note.code for note in answer.notes] == ["not_a_root"]
    assert [(hit.path, hit.start) for hit in answer.hits] == [
        (hit.path, hit.start) for hit in hits(opened, QUERY)
    ]
