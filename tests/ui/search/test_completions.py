"""The completions while typing, and the query after one was chosen."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from indexer.query.grammar import clauses, parse
from ui.search.memory import Saved
from ui.search.query_text import Offers, suggest, suggest_all

TODAY = date(2024, 3, 15)
OFFERS = Offers(
    folders=("/home/me/Contracts", "/home/me/My Notes"),
    languages=("de",),
    recent=("rent increase", "deposit"),
    saved=(Saved("Leases", "rent in:Contracts"),),
)


def labels(text: str, cursor: int | None = None, *, everything: bool = False) -> list[str]:
    offer = suggest_all if everything else suggest
    at = len(text) if cursor is None else cursor
    return [each.label for each in offer(text, at, OFFERS, TODAY)]


def test_values_come_with_the_colon() -> None:
    assert labels("rent") == []
    assert labels("in:") == list(OFFERS.folders)
    assert labels("rent -in:note") == ["/home/me/My Notes"]
    assert labels('in:"my no') == ["/home/me/My Notes"]
    assert labels("lang:")[0] == "de"
    assert labels("lang:germ") == ["de"]
    assert labels("type:ma") == ["mail", "text"]
    assert "2024-02" in labels("date:")
    assert labels("nothing:") == []
    assert labels("title:") == []


def test_all_of_it_when_asked() -> None:
    assert labels("", everything=True)[:3] == ["Leases", "rent increase", "deposit"]
    assert "in:" in labels("", everything=True)
    assert labels("rent ty", everything=True) == ["type:"]
    assert labels("-da", everything=True) == []
    assert labels("Contr", everything=True) == ["Leases"]


@given(
    st.sampled_from(["", "rent ", '"to be" ', "ext:pdf "]),
    st.sampled_from(["in:", "-in:", "type:", "lang:", "date:", "page:", "size:", 'in:"', "in:my"]),
    st.sampled_from(["", " more", " -draft"]),
)
def test_what_is_taken_is_understood(before: str, token: str, after: str) -> None:
    for each in suggest(before + token + after, len(before + token), OFFERS, TODAY):
        found = clauses(each.text)
        assert any(clause.value == each.label and clause.end < each.cursor for clause in found)
        assert not parse(each.text).notes
        assert each.text[each.cursor :].strip() == after.strip()
