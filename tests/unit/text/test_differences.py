"""Numbers, dates and names in which two sentences differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.text.differences import differences

PAIRS = [
    ("It is returned within 30 days.", "It is returned within 60 days.", [("30 days", "60 days")]),
    ("It is returned within thirty days.", "It is returned within 30 days.", []),
    ("The rent is 1,000 dollars.", "The rent is 1.000 dollars.", []),
    ("The rent is 1,000.50 a month.", "The rent is 1.250,50 a month.",
     [("1,000.50", "1.250,50")]),
    ("It ends on 3 May 2021.", "It ends on 2021-05-03.", []),
    ("It ends on May 3, 2021.", "It ends on 4 May 2021.", [("May 3, 2021", "4 May 2021")]),
    ("Es endet am 3. März 2021.", "Es endet am 3.3.2021.", []),
    ("The rent is paid to Jane Doe.", "The rent is paid to John Roe.", [("Jane Doe", "John Roe")]),
    ("The rent is paid to Jane Doe.", "Jane Doe gets the rent.", []),
    ("2. Under Section 4.2 rent is due.", "3. Under Section 5.1 rent is due.", []),
    ("It rises by 5% after 2 years.", "It rises by 7% after 3 years.",
     [("5%", "7%"), ("2 years", "3 years")]),
    ("One tenant, 30 days.", "Some tenants.", []),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "pairs"), PAIRS)
def test_what_stands_for_what(first: str, second: str, pairs: list[tuple[str, str]]) -> None:
    assert sorted(differences(first, second).pairs) == sorted(pairs)
    assert sorted(differences(second, first).pairs) == sorted((b, a) for a, b in pairs)


def test_a_value_without_counterpart_is_marked() -> None:
    first = "The tenant pays 900 euros and keeps 2 dogs."
    found = differences(first, "The tenant pays 900 euros.")
    assert [first[slice(*span)] for span in found.first] == ["2"]
    assert found.second == ()


def test_german_nouns_are_no_names() -> None:
    found = differences("Der Mieter zahlt die Miete.", "Der Pächter zahlt die Pacht.", "de")
    assert found == differences("", "")
    found = differences("Zu zahlen an Jana Roth.", "Zu zahlen an Karl Weiß.", "de")
    assert found.pairs == (("Jana Roth", "Karl Weiß"),)


@given(st.text(max_size=80), st.text(max_size=80))
def test_spans_lie_in_their_texts_and_equal_texts_do_not_differ(first: str, second: str) -> None:
    found = differences(first, second)
    assert all(0 <= start < end <= len(first) for start, end in found.first)
    assert all(0 <= start < end <= len(second) for start, end in found.second)
    assert differences(first, first) == differences("", "")
