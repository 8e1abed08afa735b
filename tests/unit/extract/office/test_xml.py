"""Reading XML in pieces and as trees: which elements are pieces, damage, and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.errors import WorldError
from indexer.config import Limits
from indexer.extract.document import Budget
from indexer.extract.office.xml import read_pieces, read_tree, read_whole

if TYPE_CHECKING:
    from collections.abc import Iterator


def pieces(*chunks: bytes, limits: Limits | None = None) -> Iterator[tuple[str, str]]:
    """The tag and the text of each piece, in a document of a root, parts and pieces."""
    budget = Budget(limits or Limits())
    for piece in read_pieces(chunks, budget, ("root", "part")):
        yield piece.tag, "".join(piece.itertext())


def test_pieces_are_elements_whose_ancestors_are_open() -> None:
    data = b"<root><a>1<part><b>2</b></part>3</a><part><c>4</c><!-- no --><d>5</d></part></root>"
    assert list(pieces(data)) == [
        ("a", "123"), ("c", "4"), ("d", "5"), ("part", ""), ("root", ""),
    ]  # fmt: skip


@given(st.lists(st.integers(1, 9), max_size=20))
def test_the_result_does_not_depend_on_the_size_of_chunks(sizes: list[int]) -> None:
    data = "<root><a>één</a><part><b>two</b></part></root>".encode()
    chunks = []
    for size in sizes:
        chunks.append(data[:size])
        data = data[size:]
    assert list(pieces(*chunks, data))[:2] == [("a", "één"), ("b", "two")]


@pytest.mark.parametrize(
    "damage",
    [b"<a>&nope;</a><a>2</a>", b"<a></b><a>2</a>", b"<a>\xff\xff</a>", b"<a", b"", b"\x00", b"&<"],
)
def test_only_pieces_before_a_damage_are_yielded(damage: bytes) -> None:
    found: list[tuple[str, str]] = []
    with pytest.raises(WorldError) as caught:
        found.extend(pieces(b"<root><a>1</a>" + damage, b"<a>3</a>", b"</root>" if damage else b""))
    assert caught.value.code == "unreadable"
    assert found[0] == ("a", "1")
    assert ("root", "") not in found


def test_entities_stay_as_they_are() -> None:
    declared = b'<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b SYSTEM "file:///etc/passwd">]>'
    data = declared + b"<root><p>x&a;y&b;</p></root>"
    assert next(pieces(data)) == ("p", "x&a;y&b;")
    root, damage = read_whole(data)
    assert "".join(root.itertext()) == "x&a;y&b;"
    assert damage is None


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"<root>" + b"<p/>" * 200, "too_complex"),
        (b"<root><p>" + b"<i>x</i>" * 1_100_000, "too_complex"),
        (b"<root>" + b"<a>" * 300, "unreadable"),
    ],
)
def test_endless_xml_is_limited(data: bytes, code: str) -> None:
    chunks = (data[at : at + 65_536] for at in range(0, len(data), 65_536))
    elements = 100 if len(data) < 1_000 else 10_000_000
    with pytest.raises(WorldError) as caught:
        list(pieces(*chunks, limits=Limits(elements=elements)))
    assert caught.value.code == code


@pytest.mark.parametrize(("data", "has_root"), [(b"", False), (b"\x00", False), (b"<a><b>", True)])
def test_a_damaged_document_raises_an_error(data: bytes, has_root: bool) -> None:
    root, damage = read_whole(data)
    assert (root is not None) is has_root
    assert damage is not None


def tree(*chunks: bytes, nodes: int = 1_000, limits: Limits | None = None) -> tuple[str, str]:
    """The text of a part up to its damage, and the code of the error."""
    root, damage = read_tree(chunks, Budget(limits or Limits()), nodes)
    text = "" if root is None else "".join(root.itertext())
    return text, damage.code if damage else ""


def test_a_tree_is_read_up_to_its_damage() -> None:
    assert tree(b"<a>1<b>2</b>", b"3</a>") == ("123", "")
    for damage in (b"</x>", b"<c>&nope;</c>", b"\x00", b""):
        assert tree(b"<a>1<b>2</b>", b"3" + damage)[1] == "unreadable"
        assert tree(b"<a>1<b>2</b>", b"<c/>" + damage)[0].startswith("12")


def test_a_tree_is_read_up_to_its_limits() -> None:
    chunks = [b"<a>", *[b"<b x='1'>2</b>"] * 100, b"</a>"]
    assert tree(*chunks) == ("2" * 100, "")
    assert tree(*chunks, nodes=50)[1] == "too_complex"
    assert tree(*chunks, limits=Limits(elements=50))[1] == "too_complex"
    assert tree(b"<a>" * 300)[1] == "unreadable"


def test_other_failures_of_a_part_are_not_hidden() -> None:
    def locked() -> Iterator[bytes]:
        yield b"<a>"
        raise WorldError("needs_password")

    with pytest.raises(WorldError) as caught:
        read_tree(locked(), Budget(Limits()), 10)
    assert caught.value.code == "needs_password"
