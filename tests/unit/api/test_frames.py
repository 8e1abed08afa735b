"""Messages in pieces."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.errors import WorldError
from indexer.api.protocol import FrameReader, frame, read_frame, write_frame

MESSAGES = st.lists(
    st.tuples(st.dictionaries(st.text(), st.integers(-(2**62), 2**62)), st.binary()), max_size=5
)


@given(MESSAGES, st.integers(1, 17))
def test_any_pieces_make_the_same_messages(
    messages: list[tuple[dict[str, int], bytes]], size: int
) -> None:
    stream = io.BytesIO()
    for header, data in messages:
        write_frame(stream, header, data)
    whole = stream.getvalue()
    reader = FrameReader()
    pieces = [whole[i : i + size] for i in range(0, len(whole), size)]
    assert [message for piece in pieces for message in reader.feed(piece)] == messages


def test_what_is_framed_here_is_read_there() -> None:
    assert read_frame(io.BytesIO(frame({"type": "open", "path": "\udcff"}))) == (
        {"type": "open", "path": "\udcff"},
        b"",
    )


@pytest.mark.parametrize("data", [b"\xff\xff\xff\xff", b"\x00\x00\x00\x05\x00\x00\x00\x01["])
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(WorldError):
        list(FrameReader().feed(data))
