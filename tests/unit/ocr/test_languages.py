"""Which languages pages are read in, and what is said where they cannot be."""

from __future__ import annotations

import pytest

from indexer.api.phrases import PHRASES
from indexer.ocr.tesseract import (
    SCRIPTS,
    default_languages,
    for_document,
    install_command,
    language_to_install,
    languages_of,
    needed_script,
    package_of_system,
    places,
    reason_of_script,
    system_language,
)

MANY = ("afr", "ara", "ces", "chi_sim", "deu", "eng", "fra", "ita", "jpn")


@pytest.mark.parametrize(
    ("installed", "wanted", "system", "expected"),
    [
        (("deu", "eng"), (), "de", ["deu", "eng"]),
        (("deu", "eng"), (), "fr", ["eng", "deu"]),
        (MANY, (), "de", ["deu", "eng"]),
        (MANY, (), "sw", ["eng"]),
        (MANY, ("fr", "ita", "xyz"), "de", ["fra", "ita"]),
        (MANY, ("zh",), "de", ["chi_sim"]),
        (("fra",), (), "de", ["fra"]),
        (("fra",), ("de",), "de", ["fra"]),
    ],
)
def test_what_is_set_then_the_systems_then_what_somebody_installed(
    installed: tuple[str, ...], wanted: tuple[str, ...], system: str, expected: list[str]
) -> None:
    assert default_languages(installed, wanted, system) == expected


def test_a_documents_own_language_goes_first() -> None:
    assert for_document(["eng", "deu"], MANY, "de") == ["deu", "eng"]
    assert for_document(["eng"], MANY, "fr") == ["fra", "eng"]
    assert for_document(["eng"], ("eng",), "fr") == ["eng"]
    assert for_document(["eng"], MANY, "") == ["eng"]


def test_the_systems_language_is_the_first_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.setenv("LC_MESSAGES", "de_AT.UTF-8")
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    assert (system_language(), package_of_system()) == ("de", "deu")
    monkeypatch.setenv("LC_ALL", "C")
    assert package_of_system() == "eng"


@pytest.mark.parametrize(
    ("platform", "there", "command"),
    [
        ("linux", "apt-get", "sudo apt install tesseract-ocr tesseract-ocr-deu"),
        ("linux", "dnf", "sudo dnf install tesseract tesseract-langpack-deu"),
        ("linux", "", "tesseract-ocr-deu"),
        ("darwin", "", "brew install tesseract tesseract-lang"),
        ("win32", "", "winget install --id UB-Mannheim.TesseractOCR"),
    ],
)
def test_each_system_has_its_command(platform: str, there: str, command: str) -> None:
    assert install_command("deu", platform, lambda name: name if name == there else None) == command


def test_on_windows_it_is_looked_for_where_its_installers_put_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.frozen", True, raising=False)
    given = {"PROGRAMFILES": "D:\\Programme", "LOCALAPPDATA": r"C:\Users\A\AppData\Local"}
    *installed, own = places("win32", given)
    assert installed == [
        r"D:\Programme\Tesseract-OCR\tesseract.exe",
        r"C:\Users\A\AppData\Local\Programs\Tesseract-OCR\tesseract.exe",
    ]
    assert own.endswith("tesseract.exe")
    assert places("darwin", {})[0] == "/opt/homebrew/bin/tesseract"


def test_a_script_has_its_languages_and_the_likely_one_is_to_be_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    installed = ("deu", "eng", "rus", "ukr")
    assert languages_of("Cyrillic", installed, ["deu", "ukr"]) == ["ukr", "rus"]
    assert languages_of("Greek", installed, ["deu"]) == []
    assert language_to_install("Cyrillic") == "rus"
    assert language_to_install("Cyrillic", ["bg"]) == "bul"
    assert language_to_install("Other") == "deu"
    assert {reason_of_script(script) for script in (*SCRIPTS, "Runic")} <= set(PHRASES)


@pytest.mark.parametrize(
    ("told", "needed"),
    [("Bopomofo", ""), ("Han", ""), ("Latin", ""), ("Cyrillic", "Cyrillic"), ("Tamil", "Tamil")],
)
def test_a_page_of_chinese_taken_for_bopomofo_needs_no_language(told: str, needed: str) -> None:
    output = f"Rotate: 0\nScript: {told}\nScript confidence: 1.20\n"
    assert needed_script(output) == needed
