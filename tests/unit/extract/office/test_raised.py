"""Raised and lowered figures, which are no part of the number before them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fuzz.samples import pptx, slide, xlsx
from tests.unit.extract.reading import read

if TYPE_CHECKING:
    from pathlib import Path

FIGURES = "of section 14³ use 10⁻⁶ of H₂O on the 1st"
RUNS = (
    ("of section 14", 0), ("3", 1), (" use 10", 0), ("-6", 1), (" of H", 0), ("2", -1),
    ("O on the 1", 0), ("st", 1),
)  # fmt: skip


def slides() -> bytes:
    written = "".join(
        f'<a:r><a:rPr baseline="{30_000 * place}"/><a:t>{text}</a:t></a:r>' for text, place in RUNS
    )
    return pptx([slide(("body", "HERE")).replace("<a:r><a:t>HERE</a:t></a:r>", written)])


def workbook() -> bytes:
    names = {1: "superscript", -1: "subscript", 0: "baseline"}
    runs = "".join(
        f'<r><rPr><vertAlign val="{names[place]}"/></rPr><t>{text}</t></r>' for text, place in RUNS
    )
    return xlsx({"A": '<row><c t="s"><v>0</v></c></row>'}, strings=f"<si>{runs}</si>")


def rich_text() -> bytes:
    words = {1: r"{\super ", -1: r"{\dn6 ", 0: "{"}
    return (r"{\rtf1 " + "".join(f"{words[place]}{text}}}" for text, place in RUNS) + "}").encode()


def rich_text_without_groups() -> bytes:
    words = {1: r"\up6 ", -1: r"\sub ", 0: r"\up0\nosupersub "}
    return (r"{\rtf1 " + "".join(f"{words[place]}{text}" for text, place in RUNS) + "}").encode()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.pptx", slides()), ("a.xlsx", workbook()), ("a.rtf", rich_text()),
        ("b.rtf", rich_text_without_groups()),
    ],
)  # fmt: skip
def test_raised_and_lowered_figures_are_written_as_such(
    tmp_path: Path, name: str, data: bytes
) -> None:
    (tmp_path / name).write_bytes(data)
    assert FIGURES in read(tmp_path / name).text
