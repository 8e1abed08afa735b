"""The settings dialog is made from the declarations, stores at once, and works by keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QPlainTextEdit,
)

from app.settings import READING, SETTINGS, Settings
from indexer.api.errors import WorldError
from indexer.api.requests import GetStatus
from indexer.api.status import ConnectionMade
from tests.answers import EMPTY
from tests.ui.library.port import Canned, canned_context, fact
from tests.ui.reach import visible_controls
from ui import desktop
from ui.ports import EndAction, Ending
from ui.settings_dialog import rows
from ui.settings_dialog.dialog import PRIVACY, SettingsDialog
from ui.theme import L

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep tests from changing what starts at this machine's login."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


@pytest.fixture
def canned(tmp_path: Path) -> Canned:
    return canned_context(tmp_path)


@pytest.fixture
def dialog(qtbot: QtBot, canned: Canned) -> SettingsDialog:
    dialog = SettingsDialog(canned[0])
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


@pytest.fixture
def kept(canned: Canned) -> Settings:
    settings = canned[0].settings
    assert isinstance(settings, Settings)
    return settings


IN_DIALOG = {name for name, declared in SETTINGS.items() if declared.group}


def test_every_setting_has_a_row_a_name_and_a_description(dialog: SettingsDialog) -> None:
    assert set(dialog.rows) == IN_DIALOG
    for name, row in dialog.rows.items():
        control = row.editor.control
        assert control.accessibleName(), name
        assert control.accessibleDescription(), name
        assert row.reset.accessibleName(), name
        reached = control.focusProxy() or control
        assert reached.focusPolicy() & Qt.FocusPolicy.TabFocus, name


def _shown(dialog: SettingsDialog) -> set[str]:
    return {name for name, row in dialog.rows.items() if row.isVisible()}


def test_a_page_shows_its_group_and_folds_what_few_people_need(dialog: SettingsDialog) -> None:
    dialog.show_page(READING)
    group = {name for name in IN_DIALOG if SETTINGS[name].group == READING}
    advanced = {name for name in group if SETTINGS[name].advanced}
    assert _shown(dialog) == group - advanced
    dialog.advanced.click()
    assert _shown(dialog) == group
    dialog.show_page(PRIVACY)
    assert dialog.privacy.isVisible()
    assert _shown(dialog) == {"history", "offline", "lock_after_min"}
    assert not dialog.advanced.isVisible()
    plain = [name for name in IN_DIALOG if not SETTINGS[name].advanced]
    assert len(plain) <= 20


def test_the_controls_of_a_page_are_few(dialog: SettingsDialog) -> None:
    dialog.advanced.setChecked(True)
    for at in range(dialog.pages.count()):
        dialog.pages.setCurrentRow(at)
        controls = visible_controls(dialog)
        assert len(controls) <= 24, [type(each).__name__ for each in controls]


def test_no_page_is_cut_where_the_dialog_is_narrow(dialog: SettingsDialog, qtbot: QtBot) -> None:
    dialog.resize(400, 600)
    dialog.advanced.setChecked(True)

    def is_whole() -> bool:
        rows = (row for row in dialog.rows.values() if row.isVisible())
        edges = [row.mapTo(dialog, row.rect().topRight()).x() for row in rows]
        return max(edges, default=0) < dialog.width() - L

    for at in range(dialog.pages.count()):
        dialog.pages.setCurrentRow(at)
        qtbot.waitUntil(is_whole)


def test_the_viewer_is_one_of_those_installed_or_a_command(
    dialog: SettingsDialog, kept: Settings, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {"Okular": "okular --page {page} {path}"}
    monkeypatch.setattr(rows, "viewer_commands", lambda: found)
    editor = rows.SettingEditor(SETTINGS["viewer"])
    qtbot.addWidget(editor)
    viewer = editor.control
    assert isinstance(viewer, rows.ChoiceOrText)
    chosen: list[object] = []
    editor.changed.connect(chosen.append)
    viewer.show_value("")
    names = [viewer.choices.itemText(at) for at in range(viewer.choices.count())]
    assert names == ["The system’s viewer", "Okular", "Other…"]
    for at in (1, 0):
        viewer.choices.setCurrentIndex(at)
        viewer.choices.activated.emit(at)
    assert chosen == ["okular --page {page} {path}", ""]
    assert not viewer.own.isVisibleTo(viewer)
    viewer.show_value("mine {path}")
    assert viewer.choices.currentText() == "Other…"
    assert viewer.own.isVisibleTo(viewer)
    viewer.own.setText("mine --at {page} {path}")
    viewer.own.editingFinished.emit()
    assert chosen[-1] == "mine --at {page} {path}"
    dialog.rows["viewer"].editor.changed.emit("mine {path}")
    assert kept["viewer"] == "mine {path}"


def _control(dialog: SettingsDialog, name: str) -> Any:
    return dialog.rows[name].editor.control


def test_changes_count_at_once(dialog: SettingsDialog, kept: Settings, qtbot: QtBot) -> None:
    box = _control(dialog, "dark_pages")
    assert isinstance(box, QCheckBox)
    box.click()
    assert kept["dark_pages"] is True
    looks = _control(dialog, "theme")
    assert isinstance(looks, rows.Looks)
    looks.looks["dark"].click()
    assert kept["theme"] == "dark"
    combo = _control(dialog, "speed")
    assert isinstance(combo, QComboBox)
    combo.setCurrentIndex(combo.findData("slow"))
    combo.activated.emit(combo.currentIndex())
    assert kept["speed"] == "slow"
    spin = _control(dialog, "text_scale")
    assert isinstance(spin, QDoubleSpinBox)
    assert (spin.minimum(), spin.maximum()) == (100, 200)
    spin.setValue(150)
    assert kept["text_scale"] == 150
    assert isinstance(kept["text_scale"], int)
    number = _control(dialog, "min_free_gb")
    assert isinstance(number, QDoubleSpinBox)
    number.setValue(3.5)
    assert kept["min_free_gb"] == 3.5
    line = _control(dialog, "hotkey")
    modifiers = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    qtbot.keyClick(line, Qt.Key.Key_L, modifiers)
    assert kept["hotkey"] == "Ctrl+Alt+L"
    (field,) = line.findChildren(QLineEdit)
    assert field.accessibleName() == "Hotkey"
    qtbot.keyClick(line, Qt.Key.Key_Backspace)
    assert kept["hotkey"] == ""
    text = _control(dialog, "exclude")
    assert isinstance(text, QPlainTextEdit)
    text.setPlainText("*.tmp\n\nold/")
    qtbot.waitUntil(lambda: kept["exclude"] == ("*.tmp", "old/"))
    assert Settings(kept.file)["exclude"] == ("*.tmp", "old/")
    text.setPlainText("*.tmp\n[")
    qtbot.waitUntil(lambda: "cannot be [" in dialog.rows["exclude"].note.text())
    assert Settings(kept.file)["exclude"] == ("*.tmp", "old/")


def test_a_setting_goes_back_to_its_default(dialog: SettingsDialog, kept: Settings) -> None:
    row = dialog.rows["text_scale"]
    assert row.reset.isHidden()
    _control(dialog, "text_scale").setValue(150)
    assert not row.reset.isHidden()
    row.reset.click()
    assert kept["text_scale"] == 100
    assert _control(dialog, "text_scale").value() == 100
    assert not kept.is_set("text_scale")


def test_changes_from_elsewhere_are_shown(dialog: SettingsDialog, kept: Settings) -> None:
    kept.set("theme", "dark")
    assert _control(dialog, "theme").looks["dark"].isChecked()


def test_an_invalid_value_is_reported_beside_the_setting(
    dialog: SettingsDialog, kept: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = dialog.rows["viewer"]

    def refuse(name: str, value: object) -> None:
        raise WorldError("bad_setting", name=name, value=value, reason="there is none")

    monkeypatch.setattr(kept, "set", refuse)
    row.editor.changed.emit("nonsense")
    assert "nonsense" in row.note.text()
    assert not row.note.isHidden()


def test_changes_that_need_a_restart_are_counted(
    dialog: SettingsDialog, kept: Settings, qtbot: QtBot
) -> None:
    assert not dialog.restart.isVisible()
    kept.set("dark_pages", value=True)
    assert not dialog.restart.isVisible(), "it counts at once"
    kept.set("hidden", value=True)
    kept.set("ocr", value=False)
    assert dialog.pending.text() == "Restart to apply 2 change(s)"
    with qtbot.waitSignal(dialog.ending_chosen) as chosen:
        dialog.restart.click()
    assert chosen.args == [Ending(EndAction.RESTART)]
    kept.reset("hidden")
    kept.reset("ocr")
    assert not dialog.restart.isVisible()
    assert not dialog.pending.isVisible()


def test_the_wheel_scrolls_the_page_and_changes_nothing(
    dialog: SettingsDialog, kept: Settings
) -> None:
    dialog.show_page(dialog.rows["text_scale"].declaration.group)
    before = {name: kept[name] for name in dialog.rows}
    window = dialog.windowHandle()
    assert window is not None
    turned = 0
    for row in dialog.rows.values():
        control = row.editor.control
        if control.isVisible() and isinstance(control, QComboBox | QDoubleSpinBox):
            middle = control.mapTo(dialog, control.rect().center())
            for angle in (-120, 120, -120):
                QTest.wheelEvent(window, middle, QPoint(0, angle))
            assert not control.hasFocus()
            turned += 1
    assert turned > 1
    assert {name: kept[name] for name in dialog.rows} == before


def test_the_wheel_turns_a_field_that_has_the_focus(dialog: SettingsDialog, kept: Settings) -> None:
    spin = _control(dialog, "text_scale")
    dialog.show_page(dialog.rows["text_scale"].declaration.group)
    dialog.activateWindow()
    spin.setFocus()
    window = dialog.windowHandle()
    assert window is not None
    QTest.wheelEvent(window, spin.mapTo(dialog, spin.rect().center()), QPoint(0, 120))
    assert kept["text_scale"] != 100


def test_starting_at_login_reaches_the_system(
    dialog: SettingsDialog, qtbot: QtBot, canned: Canned
) -> None:
    _control(dialog, "start_at_login").click()
    assert desktop.starts_at_login()
    _control(dialog, "start_at_login").click()
    assert not desktop.starts_at_login()
    _control(dialog, "start_at_login").click()
    desktop.set_start_at_login(False)  # as the desktop's own settings do it
    again = SettingsDialog(canned[0])
    qtbot.addWidget(again)
    assert not _control(again, "start_at_login").isChecked()


def test_privacy_lists_folders_and_connections(
    dialog: SettingsDialog, qtbot: QtBot, canned: Canned
) -> None:
    link = canned[1]
    made = ConnectionMade("2026-01-02T03:04:05+00:00", "pip download x", "connected")
    status = replace(EMPTY, bytes=2_000_000, connections=(made,))
    link.answers[GetStatus] = lambda _request: status
    page = dialog.privacy
    assert not page.no_connections.isHidden()
    dialog.show_page(PRIVACY)
    qtbot.waitUntil(page.connections.isVisible)
    item = page.connections.topLevelItem(0)
    assert item is not None
    assert (item.text(1), item.text(2)) == ("pip download x", "done")
    page.connections.actions()[0].trigger()  # of its menu
    assert QApplication.clipboard().text() == f"{item.text(0)}\tpip download x\tdone"
    assert fact(page.facts, "Size on disk:") == "2.0 MB"
    assert page.no_connections.isHidden()


def test_deleting_everything_needs_the_typed_word(dialog: SettingsDialog, qtbot: QtBot) -> None:
    page = dialog.privacy
    assert not page.delete.isEnabled()
    page.confirm.setText("DELET")
    assert not page.delete.isEnabled()
    page.confirm.setText(" delete ")
    with qtbot.waitSignal(dialog.ending_chosen) as chosen:
        page.delete.click()
    assert chosen.args == [Ending(EndAction.DELETE)]
    assert page.confirm.text() == ""
    assert not page.delete.isEnabled()


def test_fields_for_numbers_are_as_high_as_choices(dialog: SettingsDialog) -> None:
    controls = [row.editor.control for row in dialog.rows.values()]
    choices = {each.sizeHint().height() for each in controls if isinstance(each, QComboBox)}
    numbers = {each.sizeHint().height() for each in controls if isinstance(each, QDoubleSpinBox)}
    assert abs(max(numbers) - max(choices)) <= 3
    assert abs(min(numbers) - min(choices)) <= 3
