from __future__ import annotations

import time

from indexer.throttle.throttle import FULL_BATCH, LONGEST_PAUSE_S, SMALL_BATCH, QueryGate


def test_batches_are_small_while_a_query_is_answered() -> None:
    gate = QueryGate()
    assert gate.batch_tokens() == FULL_BATCH
    with gate.query(), gate.query():
        assert gate.batch_tokens() == SMALL_BATCH
    assert gate.batch_tokens() == FULL_BATCH


def test_nobody_waits_where_nobody_asks() -> None:
    began = time.monotonic()
    QueryGate().wait_for_queries()
    assert time.monotonic() - began < LONGEST_PAUSE_S


def test_a_stream_of_queries_never_stops_indexing() -> None:
    gate = QueryGate()
    with gate.query():
        began = time.monotonic()
        gate.wait_for_queries()
        assert LONGEST_PAUSE_S * 0.9 <= time.monotonic() - began < 20 * LONGEST_PAUSE_S


def test_a_query_that_fails_is_over() -> None:
    gate = QueryGate()
    try:
        with gate.query():
            raise ValueError
    except ValueError:
        pass
    assert gate.batch_tokens() == FULL_BATCH
