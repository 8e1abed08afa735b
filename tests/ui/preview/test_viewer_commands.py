"""The command lines of viewers: each gets the page in its own arguments, without a shell."""

from __future__ import annotations

import sys

import pytest

from ui.programs import VIEWERS, custom_command, filled, program_of, viewer_named

FOLDER = "C:/d/" if sys.platform == "win32" else "/d/"
PATH = f"{FOLDER}a b.pdf"
URL = f"file:///{FOLDER.removeprefix('/')}"


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("org.gnome.Evince.desktop", ["--page-index=7", PATH]),
        ("okularApplication_pdf.desktop", ["--page", "7", PATH]),
        ("org.pwmt.zathura-pdf-mupdf.desktop", ["--page=7", PATH]),
        ("SumatraPDF", ["-reuse-instance", "-page", "7", PATH]),
        ("AcroExch.Document.DC", ["/A", "page=7", PATH]),
        ("FoxitReader.Document", [PATH, "/A", "page=7"]),
        ("firefox.desktop", [f"{URL}a%20b.pdf#page=7"]),
        ("google-chrome.desktop", [f"{URL}a%20b.pdf#page=7"]),
        ("MSEdgePDF", [f"{URL}a%20b.pdf#page=7"]),
    ],
)
def test_each_viewer_is_told_the_page(name: str, command: list[str]) -> None:
    viewer = viewer_named(name)
    assert viewer is not None
    assert filled(viewer.arguments, PATH, 7) == command


def test_unknown_viewers_are_not_guessed_at() -> None:
    assert viewer_named("org.example.Reader.desktop") is None
    assert viewer_named("") is None
    assert all(viewer.programs and viewer.names for viewer in VIEWERS)


def test_what_is_filled_in_is_not_filled_in_again() -> None:
    path = f"{FOLDER}{{page}}.pdf"
    assert filled(["{path}", "{page}"], path, 7) == [path, "7"]
    assert filled(["{url}"], f"{FOLDER}50% #1?.pdf", 7) == [f"{URL}50%25%20%231%3F.pdf"]


@pytest.mark.skipif(sys.platform == "win32", reason="quotes as in a shell of POSIX")
@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("evince -i {page} {path}", ["evince", "-i", "7", "/d/a b.pdf"]),
        ("'/opt/my viewer' --at={page}", ["/opt/my viewer", "--at=7", "/d/a b.pdf"]),
        ("view {url}", ["view", "file:///d/a%20b.pdf"]),
        ("view; rm $(x)", ["view;", "rm", "$(x)", "/d/a b.pdf"]),
        ("'open", []),
        ("", []),
    ],
)
def test_the_persons_own_command(text: str, command: list[str]) -> None:
    assert custom_command(text, "/d/a b.pdf", 7) == command


@pytest.mark.parametrize(
    ("line", "program"),
    [
        ('"C:\\Program Files\\Sumatra PDF\\SumatraPDF.exe" "%1"',
         "C:\\Program Files\\Sumatra PDF\\SumatraPDF.exe"),
        ("C:\\Acro.EXE /u %1", "C:\\Acro.EXE"),
        ("", ""),
    ],
)  # fmt: skip
def test_the_program_of_a_registered_command(line: str, program: str) -> None:
    assert program_of(line) == program
