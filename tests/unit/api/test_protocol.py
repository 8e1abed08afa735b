"""The framing: what is packed is unpacked, and nothing else is believed."""

from __future__ import annotations

import io
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api import codec as protocol
from indexer.api.errors import WorldError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
HEADERS = st.dictionaries(st.text(), JSON, max_size=5)
# Names that are not UTF-8 reach us with halves of surrogate pairs in them.
ANY_TEXT = st.binary().map(os.fsdecode)


class Trickle(io.RawIOBase):
    """A stream that gives one byte at a time, as a pipe may."""

    def __init__(self, data: bytes) -> None:
        self._rest = data

    def read(self, size: int = -1) -> bytes:
        part, self._rest = self._rest[: min(size, 1)], self._rest[min(size, 1) :]
        return part


@given(HEADERS, st.binary(max_size=200))
def test_a_message_comes_back_as_it_went(header: dict[str, Any], binary: bytes) -> None:
    assert protocol.unpack(protocol.pack(header, binary)) == (header, binary)


@given(ANY_TEXT)
def test_names_that_are_no_utf8_cross(name: str) -> None:
    packed = protocol.pack({"path": name})
    packed[4:].decode("utf-8")
    assert protocol.unpack(packed)[0] == {"path": name}


@given(st.lists(st.tuples(HEADERS, st.binary(max_size=50)), max_size=4))
def test_frames_follow_each_other_on_a_stream(messages: list[tuple[dict[str, Any], bytes]]) -> None:
    stream = io.BytesIO()
    for header, binary in messages:
        protocol.write_frame(stream, header, binary)
    trickle: Any = Trickle(stream.getvalue())
    for message in messages:
        assert protocol.read_frame(trickle) == message
    assert protocol.read_frame(trickle) is None


@given(HEADERS, st.data())
def test_a_stream_that_ends_inside_a_frame_is_refused(header: dict[str, Any], data: Any) -> None:
    stream = io.BytesIO()
    protocol.write_frame(stream, header, b"tail")
    whole = stream.getvalue()
    cut = data.draw(st.integers(1, len(whole) - 1))
    with pytest.raises(WorldError) as caught:
        protocol.read_frame(io.BytesIO(whole[:cut]))
    assert caught.value.code == "bad_request"


@given(st.binary(max_size=100))
def test_noise_is_a_message_or_a_bad_request(noise: bytes) -> None:
    code = ""
    try:
        header, _ = protocol.unpack(noise)
    except WorldError as error:
        code = error.code
    assert code == "bad_request" or isinstance(header, dict)


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\x00\x00\x00\x09{}",
        b"\x00\x00\x00\x02[]",
        b"\x00\x00\x00\x01{",
        b"\x00\x00\x00\x02\xff\xff",
    ],
)
def test_what_is_no_message_is_refused(message: bytes) -> None:
    with pytest.raises(WorldError):
        protocol.unpack(message)


def test_a_length_past_the_limit_is_refused_before_anything_is_read() -> None:
    stream = io.BytesIO(b"\xff\xff\xff\xff" + b"x" * 10)
    with pytest.raises(WorldError) as caught:
        protocol.read_frame(stream)
    assert caught.value.code == "bad_request"
    assert stream.tell() == 4


def test_a_message_past_the_limit_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MAX_MESSAGE_BYTES", 64)
    with pytest.raises(WorldError):
        protocol.pack({"type": "page"}, b"x" * 64)


def test_numbers_that_json_has_no_name_for_become_null() -> None:
    assert protocol.unpack(protocol.pack({"score": float("nan")}))[0] == {"score": None}


@pytest.mark.parametrize(
    "header",
    [
        b'{"id": ' + b"1" * 5000 + b"}",
        b'{"score": NaN}',
        b'{"path": "\\uDCFF", "score": Infinity}',
        b'{"path": "\xed\xb3\xbf"}',
        b'{"ids": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"path": "\\udcff", "ids": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_what_no_program_of_ours_writes_is_a_bad_request(header: bytes) -> None:
    with pytest.raises(WorldError) as caught:
        protocol.unpack(len(header).to_bytes(4, "big") + header)
    assert caught.value.code == "bad_request"


def test_a_hello_of_the_same_version_passes() -> None:
    words = protocol.Hello("render", 7)
    assert protocol.check_hello(protocol.hello(words), protocol.Hello) == words


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ({"type": "search"}, "bad_request"),
        ({"type": "hello"}, "engine_version"),
        ({"type": "hello", "protocol": protocol.PROTOCOL_VERSION + 1}, "engine_version"),
    ],
)
def test_another_hello_is_refused(header: dict[str, Any], code: str) -> None:
    with pytest.raises(WorldError) as caught:
        protocol.check_hello(header, protocol.Hello)
    assert caught.value.code == code
