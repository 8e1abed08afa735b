"""The values that were used last are kept, as far as their bytes allow."""

from __future__ import annotations

from indexer.store.recent import Recent


def test_what_was_not_used_for_longest_goes_first() -> None:
    recent: Recent[str, bytes] = Recent(3, len)
    read: list[str] = []

    def get(key: str) -> bytes:
        read.append(key)
        return b"."

    for key in ("a", "b", "c", "a", "d", "a", "c", "b"):
        assert recent.get(key, get) == b"."
    assert read == ["a", "b", "c", "d", "b"]


def test_the_bytes_of_all_are_limited() -> None:
    recent: Recent[str, bytes] = Recent(5, len)
    read: list[str] = []

    def get(key: str) -> bytes:
        read.append(key)
        return key.encode()

    for key in ("aa", "bbb", "cccc", "cccc", "bbb", "too long", "too long"):
        assert recent.get(key, get) == key.encode()
    assert read == ["aa", "bbb", "cccc", "bbb", "too long", "too long"]
