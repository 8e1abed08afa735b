"""Messages in pieces."""

from __future__ import annotations

import contextlib
import io
import socket
from multiprocessing import Pipe

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.codec import FrameReader, frame, read_frame, write_frame
from indexer.api.endpoint import MessageStream
from indexer.api.errors import WorldError

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
    assert [message for piece in pieces for message in reader.decode_frames(piece)] == messages


def test_what_is_framed_here_is_read_there() -> None:
    assert read_frame(io.BytesIO(frame({"type": "open", "path": "\udcff"}))) == (
        {"type": "open", "path": "\udcff"},
        b"",
    )


@pytest.mark.parametrize("data", [b"\xff\xff\xff\xff", b"\x00\x00\x00\x05\x00\x00\x00\x01["])
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(WorldError):
        list(FrameReader().decode_frames(data))


@given(st.lists(st.binary(max_size=40), max_size=5), st.integers(1, 17))
def test_noise_in_pieces_is_messages_or_a_bad_request(noise: list[bytes], size: int) -> None:
    whole = b"".join(len(part).to_bytes(4, "big") + part for part in noise)
    reader = FrameReader()
    code = ""
    try:
        for start in range(0, len(whole), size):
            for header, _binary in reader.decode_frames(whole[start : start + size]):
                assert isinstance(header, dict)
    except WorldError as error:
        code = error.code
    assert code in {"", "bad_request"}


@given(st.lists(st.binary(max_size=50), max_size=5), st.integers(1, 17))
def test_messages_come_back_from_a_socket_and_from_a_pipe(messages: list[bytes], size: int) -> None:
    """A pipe keeps the borders of what was written at once, as a named pipe of Windows does."""
    whole = b"".join(len(message).to_bytes(4, "big") + message for message in messages)
    pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
    ours, theirs = socket.socketpair()
    reading, writing = Pipe(duplex=False)
    for piece in pieces:
        theirs.sendall(piece)
        writing.send_bytes(piece)
    theirs.close()
    writing.close()
    for raw in (ours, reading):
        with contextlib.closing(MessageStream(raw)) as stream:
            for message in messages:
                assert stream.is_readable(0)
                assert stream.recv_bytes() == message
            with pytest.raises(EOFError):
                stream.recv_bytes()
