"""The encryption of the library in the window: its card, its dialogs, and what they do to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import keyring
import pytest
from hypothesis import given
from hypothesis import strategies as st
from keyring.backend import KeyringBackend
from keyring.backends import null
from msgspec.structs import replace
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QLabel, QMessageBox, QWidget

from app import encryption, gui
from app.settings import Settings
from indexer.api.errors import WorldError
from indexer.vault import mounting
from indexer.vault.place import is_encrypted, is_locked, place_of
from tests.encrypting import PASSPHRASE, needs_gocryptfs
from tests.ui.library.port import canned_context
from ui.ports import Encryption, EndAction, Ending
from ui.settings_dialog.dialog import PRIVACY, SettingsDialog
from ui.vault import FAIR, WEAK, PassphraseDialog, change_with_progress, strength

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.gui import Program

T = TypeVar("T", bound=QWidget)
PLANTED = "the contents of a note"


class TestKeyring(KeyringBackend):
    """A keyring in memory, where that of the desktop would be."""

    __test__ = False
    priority = 1.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # it has no types
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture
def in_memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[TestKeyring]:
    before, ours = keyring.get_keyring(), TestKeyring()
    monkeypatch.setattr(TestKeyring, "__module__", "keyring.backends.SecretService")
    keyring.set_keyring(ours)
    yield ours
    keyring.set_keyring(before)


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setattr("tempfile.tempdir", None)
    library = tmp_path / "data" / "lectern" / "library"
    library.mkdir(parents=True)
    (library / "note").write_text(PLANTED)
    yield library
    mounting.lock(place_of(library))
    encryption.follow(tmp_path / "none")


def dialogs(kind: type[T]) -> list[T]:
    return [each for each in QApplication.topLevelWidgets() if isinstance(each, kind)]


def when_shown(kind: type[T], act: Callable[[T], None], owner: QWidget) -> None:
    """Act on a dialog as soon as it is there, while it has a loop of its own."""
    timer = QTimer(owner)

    def look() -> None:
        for each in dialogs(kind):
            if each.isVisible():
                timer.stop()
                act(each)

    timer.timeout.connect(look)
    timer.start(10)


def change(library: Path, what: Ending) -> bool:
    settings = Settings()
    return change_with_progress(what.action, lambda: gui.change_encryption(library, settings, what))


@given(st.text(max_size=60))
def test_a_repeated_passphrase_is_not_twice_as_strong(text: str) -> None:
    assert strength(text + text[-1:] * 9) == strength(text)
    assert strength(text) >= 0


def test_strength_tells_the_usual_ones_apart() -> None:
    assert strength("") == 0
    assert all(strength(each) < WEAK for each in ("password", "12345678", "aaaaaaaaaaaa", "Ab1!"))
    assert strength("quiet harbour") < WEAK < strength("quiet harbour of lead") < FAIR
    assert strength(PASSPHRASE) > FAIR


def test_the_card_says_what_holds(tmp_path: Path, qtbot: QtBot) -> None:
    context, _link, _said = canned_context(tmp_path)
    now = Encryption(refusal="no_gocryptfs")
    dialog = SettingsDialog(replace(context, encryption=lambda: now))
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.show_page(PRIVACY)
    card = dialog.privacy.encryption
    assert "gocryptfs is not installed" in card.state.text()
    assert "FileVault" in card.disk.text()
    assert not any(each.isVisible() for each in (card.encrypt, card.decrypt, card.lock))
    now = Encryption(disk=True)
    card.show_state()
    assert card.encrypt.isVisible()
    assert card.disk.text() == "This system encrypts the disk of the library."
    now = Encryption(encrypted=True, kept=True, disk=False)
    card.show_state()
    assert not card.encrypt.isVisible()
    assert card.lock.isVisible()
    assert "keyring" in card.state.text()
    with qtbot.waitSignal(dialog.ending_chosen) as asked:
        card.decrypt.click()
    assert asked.args == [Ending(EndAction.DECRYPT)], "the keyring has the passphrase"
    with qtbot.waitSignal(dialog.ending_chosen) as asked:
        card.lock.click()
    assert asked.args == [Ending(EndAction.LOCK)]


def test_a_new_passphrase_is_typed_twice_and_judged(
    tmp_path: Path, qtbot: QtBot, in_memory: TestKeyring
) -> None:
    context, _link, _said = canned_context(tmp_path)
    dialog = SettingsDialog(context)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.show_page(PRIVACY)
    dialog.privacy.encryption.encrypt.click()
    asking = dialog.privacy.encryption.asking
    okay = asking.buttons.button(QDialogButtonBox.StandardButton.Ok)
    assert not okay.isEnabled()
    qtbot.waitUntil(asking.keep.isVisible)
    qtbot.keyClicks(asking.passphrase, "abc")
    assert asking.strength.text().startswith("Weak")
    asking.passphrase.clear()
    qtbot.keyClicks(asking.passphrase, PASSPHRASE)
    assert asking.strength.text().startswith("Strong")
    qtbot.keyClicks(asking.again, PASSPHRASE[:-1])
    assert asking.trouble.text() == "The two differ."
    told = asking.findChildren(QLabel)
    qtbot.waitUntil(
        lambda: all(each.height() >= each.heightForWidth(each.width()) for each in told)
    )
    assert not okay.isEnabled()
    qtbot.keyClicks(asking.again, PASSPHRASE[-1])
    asking.keep.setChecked(True)
    with qtbot.waitSignal(dialog.ending_chosen) as asked:
        qtbot.mouseClick(okay, Qt.MouseButton.LeftButton)
    assert asked.args == [Ending(EndAction.ENCRYPT, PASSPHRASE, keyring=True)]
    assert PASSPHRASE not in repr(asked.args)


def test_what_was_chosen_is_done_after_the_window_has_closed(program: Program) -> None:
    window = program.window
    window.dialogs.ending_chosen.emit(Ending(EndAction.DECRYPT))
    assert program.restarting
    assert not window.isVisible()


@needs_gocryptfs
def test_it_is_encrypted_opened_locked_and_decrypted(library: Path, qtbot: QtBot) -> None:
    assert change(library, Ending(EndAction.ENCRYPT, PASSPHRASE))
    assert is_encrypted(library)
    assert (library / "note").read_text() == PLANTED, "it is unlocked for the next window"
    assert gui.encryption_of(library).encrypted
    assert change(library, Ending(EndAction.LOCK))
    assert is_locked(library)
    said: list[str] = []

    def wrong_then_right(dialog: PassphraseDialog) -> None:
        okay = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
        dialog.passphrase.setText("another one")
        okay.click()
        said.append(dialog.trouble.text())
        dialog.passphrase.setText(PASSPHRASE)
        okay.click()

    owner = QWidget()
    qtbot.addWidget(owner)
    when_shown(PassphraseDialog, wrong_then_right, owner)
    assert gui.unlocked(library, Settings())
    assert "not the passphrase" in said[0]
    assert (library / "note").read_text() == PLANTED
    when_shown(QMessageBox, lambda box: box.accept(), owner)
    assert not change(library, Ending(EndAction.DECRYPT, "another one"))
    assert is_encrypted(library)
    assert change(library, Ending(EndAction.DECRYPT, PASSPHRASE))
    assert not library.is_symlink()
    assert (library / "note").read_text() == PLANTED


@needs_gocryptfs
def test_a_window_that_gets_no_passphrase_does_not_open(library: Path, qtbot: QtBot) -> None:
    encryption.encrypt(library, PASSPHRASE)
    owner = QWidget()
    qtbot.addWidget(owner)
    when_shown(PassphraseDialog, lambda dialog: dialog.reject(), owner)
    assert not gui.unlocked(library, Settings())
    assert is_locked(library)


@needs_gocryptfs
def test_the_keyring_unlocks_it_and_forgets_it(
    library: Path, qtbot: QtBot, in_memory: TestKeyring
) -> None:
    assert change(library, Ending(EndAction.ENCRYPT, PASSPHRASE, keyring=True))
    assert list(in_memory.kept.values()) == [PASSPHRASE]
    encryption.lock(library)
    assert gui.encryption_of(library).kept
    assert gui.unlocked(library, Settings()), "without a dialog"
    assert change(library, Ending(EndAction.DECRYPT))
    assert (library / "note").read_text() == PLANTED
    assert not in_memory.kept


@needs_gocryptfs
def test_deleting_everything_deletes_an_encrypted_library(library: Path) -> None:
    encryption.encrypt(library, PASSPHRASE)
    gui.forget_everything(library)
    assert not place_of(library).folder.exists()
    assert not library.is_symlink()


@needs_gocryptfs
def test_without_a_keyring_nothing_is_encrypted(library: Path) -> None:
    keyring_before = keyring.get_keyring()
    keyring.set_keyring(null.Keyring())  # type: ignore[no-untyped-call]  # it has no types
    try:
        with pytest.raises(WorldError) as failed:
            encryption.encrypt(library, PASSPHRASE, keyring=True)
    finally:
        keyring.set_keyring(keyring_before)
    assert failed.value.code == "no_keyring"
    assert not is_encrypted(library)
