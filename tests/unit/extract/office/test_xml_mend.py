"""XML that is made fit: what is well formed passes, what is not ends well formed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from indexer.api.errors import WorldError
from indexer.extract.office.xml_mend import MAX_DEPTH, Mender

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DOCUMENT = (
    '<?xml version="1.0"?><w:d xmlns:w="word" xmlns="plain"><w:p a="1"><w:t>one &amp; two</w:t>'
    "<odd/></w:p><looks><size>7</size></looks> <w:p><w:t>drei ½</w:t></w:p></w:d>"
).encode()


def nothing(_count: int) -> None: ...


def mended(
    chunks: Sequence[bytes], spend: Callable[[int], None] = nothing, **names: frozenset[str]
) -> tuple[bytes, str]:
    mender = Mender(spend, nothing, **names)
    passed = b"".join(mender.through(chunks))
    return passed, mender.damage.code if mender.damage else ""


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted(places)
    return [data[a:b] for a, b in zip([0, *ends], [*ends, len(data)], strict=True)]


@given(st.lists(st.integers(0, len(DOCUMENT)), max_size=6))
def test_what_is_well_formed_passes_as_it_stands(places: list[int]) -> None:
    assert mended(cut(DOCUMENT, places)) == (DOCUMENT, "")


@given(
    st.integers(DOCUMENT.index(b"<w:t>one"), len(DOCUMENT) - 1),
    st.lists(st.integers(0, len(DOCUMENT)), max_size=6),
    st.sampled_from([b"", b"<", b"&none;", b"</odd>", b"\x00"]),
)
def test_a_damage_ends_it_well_formed(end: int, places: list[int], damage: bytes) -> None:
    data = DOCUMENT[:end] + damage
    passed, code = mended(cut(data, [min(place, len(data)) for place in places]))
    assert code == "unreadable"
    assert etree.fromstring(passed).tag == "{word}d"
    assert data.startswith(re.sub(rb"(</[^<>]*>)+\Z", b"", passed))


@given(
    st.sets(st.sampled_from(["p", "looks", "size", "odd", "t"])),
    st.lists(st.integers(0, len(DOCUMENT)), max_size=6),
)
def test_what_is_dropped_passes_nowhere(drop: set[str], places: list[int]) -> None:
    passed, code = mended(cut(DOCUMENT, places), drop=frozenset(drop))
    left = {element.tag.rpartition("}")[2] for element in etree.fromstring(passed).iter()}
    assert code == ""
    assert not left & drop
    assert left >= {"d", "looks"} - drop


@given(
    st.sets(st.sampled_from(["p", "looks", "size", "odd", "t"])),
    st.integers(DOCUMENT.index(b"</w:p>"), len(DOCUMENT) - 1),
    st.lists(st.integers(0, len(DOCUMENT)), max_size=6),
)
def test_a_damage_among_what_is_dropped(drop: set[str], end: int, places: list[int]) -> None:
    cuts = [min(place, end) for place in places]
    mender = Mender(nothing, nothing, drop=frozenset(drop))
    passed = b"".join(mender.through(cut(DOCUMENT[:end], cuts)))
    assert mender.damage is not None
    left = {element.tag.rpartition("}")[2] for element in etree.fromstring(passed).iter()}
    assert "d" in left
    assert not left & drop


def test_what_is_kept_of_the_root() -> None:
    passed, _ = mended([DOCUMENT], keep=frozenset({"looks"}))
    assert [child.tag for child in etree.fromstring(passed)] == ["{plain}looks"]


@pytest.mark.parametrize("end", [b"", b"</a>" * (MAX_DEPTH + 1)])
def test_elements_may_not_nest_without_end(end: bytes) -> None:
    passed, code = mended([b"<a>" * (MAX_DEPTH + 1) + end])
    assert code == "too_complex"
    assert len(list(etree.fromstring(passed).iter())) == MAX_DEPTH
    assert mended([b"<a>" * MAX_DEPTH, b"</a>" * MAX_DEPTH])[1] == ""


def test_one_text_may_not_go_on_without_end() -> None:
    passed, code = mended([b"<a><b>", *[b"x" * 1024**2] * 20, b"</b></a>"])
    assert (passed, code) == (b"<a></a>", "too_complex")


def test_what_is_paid_for_ends_where_nothing_is_left() -> None:
    left = 3

    def spend(count: int) -> None:
        nonlocal left
        left -= count
        if left < 0:
            raise WorldError("too_complex", limit="3")

    assert mended([b"<a><b/><c/><d/></a>"], spend) == (b"<a><b/><c/></a>", "too_complex")


def test_a_document_type_is_refused() -> None:
    assert mended([b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>']) == (b"", "unreadable")


def test_other_failures_are_not_hidden() -> None:
    def spend(_count: int) -> None:
        raise WorldError("needs_password")

    with pytest.raises(WorldError) as caught:
        mended([b"<a/>"], spend)
    assert caught.value.code == "needs_password"
