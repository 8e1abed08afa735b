"""Passwords: memory first, trusted keyrings only, and no blocking of the main thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, cast

import keyring.backends.fail
import keyring.backends.null
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.chainer import ChainerBackend

from indexer.api.system_keyring import SERVICE, Keyring, is_trusted, system_keyring
from ui.passwords import Passwords

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def _made(kind: object) -> Any:
    """An instance of a class whose constructor has no types."""
    return cast("Any", kind)()


class MemoryKeyring:
    """A keyring in memory that may be made to wait, or to fail."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.threads: set[str] = set()
        self.go = threading.Event()
        self.go.set()
        self.broken = False

    def _enter(self) -> None:
        self.threads.add(threading.current_thread().name)
        assert self.go.wait(30)
        if self.broken:
            raise ValueError("the secret is swordfish")

    def get_password(self, service: str, username: str) -> str | None:
        self._enter()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._enter()
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._enter()
        del self.kept[service, username]


class PlainTextKeyring(KeyringBackend):
    priority = 9

    def get_password(self, service: str, username: str) -> str | None:
        return None

    def set_password(self, service: str, username: str, password: str) -> None:
        raise AssertionError


class Answers(list[object]):
    def __call__(self, answer: object) -> None:
        assert threading.current_thread() is threading.main_thread()
        self.append(answer)


@pytest.fixture
def backend() -> MemoryKeyring:
    return MemoryKeyring()


@pytest.fixture
def passwords(qtbot: QtBot, backend: MemoryKeyring) -> Passwords:
    return Passwords(lambda: backend)


def test_memory_comes_first(qtbot: QtBot, passwords: Passwords, backend: MemoryKeyring) -> None:
    answers = Answers()
    passwords.remember_password("/a.pdf", "one")
    passwords.find_password("/a.pdf", answers)
    assert not answers, "never from within the call"
    qtbot.waitUntil(lambda: answers == ["one"])
    assert not backend.threads


def test_the_keyring_keeps_and_finds(
    qtbot: QtBot, passwords: Passwords, backend: MemoryKeyring
) -> None:
    answers = Answers()
    passwords.keep_in_keyring("/a.pdf", "two", answers)
    qtbot.waitUntil(lambda: answers == [True])
    assert backend.kept == {(SERVICE, "/a.pdf"): "two"}
    assert passwords.remembered_password("/a.pdf") is None
    passwords.find_password("/a.pdf", answers)
    qtbot.waitUntil(lambda: answers == [True, "two"])
    assert passwords.remembered_password("/a.pdf") == "two"
    passwords.find_password("/unknown.pdf", answers)
    qtbot.waitUntil(lambda: answers == [True, "two", None])


def test_a_blocking_keyring_does_not_block_the_window(
    qtbot: QtBot, passwords: Passwords, backend: MemoryKeyring
) -> None:
    answers = Answers()
    backend.go.clear()
    passwords.keep_in_keyring("/a.pdf", "two", answers)
    assert not answers
    backend.go.set()
    qtbot.waitUntil(lambda: answers == [True])
    assert backend.threads == {"keyring"}


def test_a_failing_keyring_stores_nothing_and_logs_no_secret(
    qtbot: QtBot,
    passwords: Passwords,
    backend: MemoryKeyring,
    caplog: pytest.LogCaptureFixture,
) -> None:
    answers = Answers()
    backend.broken = True
    passwords.keep_in_keyring("/a.pdf", "swordfish", answers)
    qtbot.waitUntil(lambda: answers == [False])
    assert "ValueError" in caplog.text
    assert "swordfish" not in caplog.text


def test_without_a_keyring_nothing_is_kept(qtbot: QtBot) -> None:
    passwords = Passwords(lambda: None)
    answers = Answers()
    passwords.check_keyring(answers)
    passwords.keep_in_keyring("/a.pdf", "two", answers)
    passwords.find_password("/a.pdf", answers)
    qtbot.waitUntil(lambda: len(answers) == 3)
    assert sorted(answers, key=str) == [False, False, None]


def test_only_keyrings_of_the_system_are_trusted() -> None:
    for backend in (
        _made(keyring.backends.null.Keyring),
        _made(keyring.backends.fail.Keyring),
        _made(PlainTextKeyring),
    ):
        assert not is_trusted(backend)

    class Trusted(PlainTextKeyring):
        __module__ = "keyring.backends.SecretService"

    assert is_trusted(_made(Trusted))


def test_a_plain_text_keyring_in_front_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    class Trusted(PlainTextKeyring):
        __module__ = "keyring.backends.SecretService"

    class Chain(ChainerBackend):
        backends = [_made(PlainTextKeyring), _made(Trusted)]  # noqa: RUF012  # as the library has it

    found: list[Keyring | None] = []
    for kind in (Chain, PlainTextKeyring, keyring.backends.fail.Keyring):
        chosen = _made(kind)
        monkeypatch.setattr(keyring, "get_keyring", lambda chosen=chosen: chosen)
        found.append(system_keyring())
    assert [type(each).__name__ for each in found] == ["Trusted", "NoneType", "NoneType"]
