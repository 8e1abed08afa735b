"""Every text of the window has a German translation, and the compiled files are up to date."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from PySide6.QtCore import QCoreApplication, QLocale, Qt, QTranslator
from PySide6.QtWidgets import QComboBox

from tests.ui.engines import ROOT
from ui.application import use_language
from ui.help import HelpWindow
from ui.search.query_text import quoted_phrases
from ui.settings_dialog.rows import SettingEditor
from ui.words.amounts import files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

FOLDER = ROOT / "resources" / "i18n"
PLACEHOLDER = re.compile(r"\{\w+\}|%L?n")


def script() -> Any:
    spec = importlib.util.spec_from_file_location(
        "translations", ROOT / "packaging" / "translations.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def speaking(qapp: QApplication) -> Iterator[QApplication]:
    """The application, whose language is restored afterwards."""
    before = set(qapp.findChildren(QTranslator))
    yield qapp
    for each in set(qapp.findChildren(QTranslator)) - before:
        qapp.removeTranslator(each)
        each.setParent(None)
    qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    QLocale.setDefault(QLocale("en_US"))


def test_no_text_is_untranslated_missing_or_out_of_date() -> None:
    lacking = script().missing(FOLDER)
    assert not lacking, "run `make translations`:\n" + "\n".join(lacking)


def messages() -> list[tuple[str, list[str]]]:
    tree = ET.parse(FOLDER / "lectern_de.ts")  # noqa: S314  # our own file
    found = []
    for message in tree.iter("message"):
        translation = message.find("translation")
        assert translation is not None
        forms = [form.text or "" for form in translation] or [translation.text or ""]
        found.append((message.findtext("source") or "", forms))
    return found


def test_translations_keep_placeholders_and_accelerators() -> None:
    for source, forms in messages():
        for form in forms:
            assert sorted(PLACEHOLDER.findall(form)) == sorted(PLACEHOLDER.findall(source)), source
            assert form.replace("&&", "").count("&") <= 1, source


def test_german_has_its_quotation_marks_and_the_formal_address() -> None:
    for source, forms in messages():
        for form in forms:
            assert form.count("„") == form.count("“"), source
            assert not re.search(r"[”‘]|\w'\w", form), source
            words = form.replace("&", "")
            assert not re.search(r"\b([Dd]u|[Dd]eine?[nmrs]?|[Dd]ich|[Dd]ir)\b", words), source


# What sentences of the interface said once that nobody understood at the first reading.
ODD = (
    "Nothing in it:", "What means the same", "just these words", "the box completes", "embedded",
    "Go to the search\\b(?! box)", "All you can type", "days, months or years", "No document names",
    "Every part of", "with other values", "Choose a statement", "is not indexed yet",
    "is read again with", "capital", "Lectern trusts", "is in its state", "not here:",
    "do for most", "stands for a", "has just told", "Where else the library",
    "has no other provider",
    "decided at the first", "passages left", "Enter it", "eingebettet", "nicht hier:", "Die Engine",
)  # fmt: skip


def test_no_sentence_that_reads_oddly_came_back() -> None:
    for source, forms in messages():
        for text in (source, *forms):
            assert not re.search("|".join(ODD), text.replace("&", "")), text
            assert not re.search(r"[^\s\xa0]…", "".join(forms)), "German has a gap before the dots"


def test_the_window_is_translated_to_german(speaking: QApplication) -> None:
    use_language(speaking, "de")
    assert QCoreApplication.translate("MainWindow", "Settings") == "Einstellungen"
    assert files(1) == "1 Datei"
    assert files(1234) == "1.234 Dateien"
    assert quoted_phrases('roof "the tenant"') == "„the tenant“"
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "Abbrechen"


def test_english_has_plurals_and_is_what_other_languages_get(speaking: QApplication) -> None:
    for language in ("en", "fr"):
        use_language(speaking, language)
        assert files(1) == "1 file"
        assert files(2) == "2 files"


@pytest.mark.parametrize(("system", "settings"), [("de_AT", "Einstellungen"), ("fr", "Settings")])
def test_the_system_chooses_unless_the_person_does(
    speaking: QApplication, system: str, settings: str
) -> None:
    QLocale.setDefault(QLocale(system))
    use_language(speaking, "system")
    assert QCoreApplication.translate("MainWindow", "Settings") == settings
    assert QLocale().territory() == QLocale(system).territory()


def test_digits_follow_the_language_of_the_texts(speaking: QApplication) -> None:
    QLocale.setDefault(QLocale("ar_EG"))
    use_language(speaking, "system")
    assert files(12) == "12 files"


def test_the_list_of_keys_is_in_the_language_of_the_window(
    speaking: QApplication, qtbot: QtBot
) -> None:
    use_language(speaking, "de")
    found = HelpWindow()
    qtbot.addWidget(found)
    found.show_page("keys")
    text = found.text.toPlainText()
    assert text.startswith("Tasten")
    assert "Zum Suchfeld" in text


def test_every_language_offered_is_there(qtbot: QtBot) -> None:
    from app.settings import SETTINGS

    translated = {path.stem.removeprefix("lectern_") for path in FOLDER.glob("*.ts")}
    assert set(SETTINGS["language"].choices) == {"system", *translated}
    row = SettingEditor(SETTINGS["language"])
    qtbot.addWidget(row)
    offered = row.control
    assert isinstance(offered, QComboBox)
    names = {offered.itemText(at) for at in range(offered.count())}
    assert names >= {"Deutsch", "English"}


def test_a_new_language_begins_with_every_text(tmp_path: Path) -> None:
    for path in FOLDER.glob("*.ts"):
        shutil.copy(path, tmp_path)
    script().gather(tmp_path, "ru")
    made = ET.parse(tmp_path / "lectern_ru.ts")  # noqa: S314  # our own file
    forms = {len(list(one.iter("numerusform"))) for one in made.iter("message")}
    assert forms == {0, 3}  # Russian has three
    assert len(list(made.iter("message"))) == len(messages())


@pytest.mark.skipif(sys.platform != "linux", reason="set by the environment on Linux")
def test_a_right_to_left_language_mirrors_the_window(
    speaking: QApplication,
) -> None:
    use_language(speaking, "ar")
    # The texts are English, so the window keeps the direction of English.
    assert speaking.layoutDirection() is Qt.LayoutDirection.LeftToRight
