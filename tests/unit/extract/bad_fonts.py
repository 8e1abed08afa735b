"""Makes PDFs whose fonts have wrong or no character maps.

Owns the thirty samples by which the detection of illegible text is tested. With a standard font the
page can be recognised.
"""

from __future__ import annotations

import random
import string
from functools import partial
from typing import TYPE_CHECKING

import pymupdf

from tests.unit.extract.pdfs import raw_pdf, save, stream

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

ENGLISH = (
    "The harbour master kept a ledger in which every vessel was entered with the day on which it "
    "had come and the cargo that it brought. During the second winter the storms were so heavy "
    "that eleven ships were lost between the island and the mainland, and the merchants asked the "
    "council for another lighthouse on the northern point. The council refused, because the tower "
    "would have cost more than the town had earned in three years, but it allowed the keeper to "
    "hire two men who should walk along the beach at night with lanterns. Nobody was drowned in "
    "the following year, and the merchants paid for the oil without another word of complaint."
)
GERMAN = (
    "Der Hafenmeister schrieb jeden Abend in ein Buch, welche Schiffe gekommen waren und was sie "
    "geladen hatten. Im zweiten Winter gingen elf von ihnen zwischen der Insel und dem Festland "
    "verloren, und die Kaufleute baten den Rat um einen weiteren Leuchtturm auf der Landspitze. "
    "Der Rat lehnte ab, weil der Turm mehr gekostet haette, als die Stadt in drei Jahren einnahm, "
    "erlaubte aber, dass zwei Wächter in der Nacht mit Laternen am Strand entlang gehen durften."
)
FRENCH = (
    "Le maître du port écrivait chaque soir dans un livre quels navires étaient arrivés et ce que "
    "leurs cales contenaient. Pendant le deuxième hiver, onze bateaux furent perdus entre cette "
    "terre et la côte, et les marchands demandèrent au conseil un autre phare sur la pointe du "
    "nord. Le conseil refusa parce que la tour aurait coûté plus que toute la ville ne gagnait en "
    "trois ans, mais il permit que deux hommes marchent sur la plage avec des lanternes."
)
_LINE = 88
_LETTERS = string.ascii_letters


def show_mapped(path: Path, *pieces: tuple[str, Mapping[str, str] | None]) -> Path:
    """Save one page with texts in Helvetica, each with a character map of its own.

    Args:
        path: Where to save.
        pieces: Texts as drawn and their maps from drawn to extracted characters; None: the true
            ones.
    """
    content, fonts, objects = [], [], []
    y = 760
    for place, (text, letters) in enumerate(pieces):
        fonts.append(b"/F%d %d 0 R" % (place, 5 + 2 * place))
        extra = b"/ToUnicode %d 0 R" % (6 + 2 * place) if letters is not None else b""
        objects += [
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding%b>>" % extra,
            stream(_unicode_map(letters or {})),
        ]
        for line in _lines(text):
            shown = line.encode("cp1252").replace(b"\\", rb"\\")
            shown = shown.replace(b"(", rb"\(").replace(b")", rb"\)")
            content.append(b"BT /F%d 11 Tf 50 %d Td (%b) Tj ET" % (place, y, shown))
            y -= 16
    page = (
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<<%b>>>>>>"
    )
    path.write_bytes(
        raw_pdf(
            [
                b"<</Type/Catalog/Pages 2 0 R>>",
                b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
                page % b"".join(fonts),
                stream(b"\n".join(content)),
                *objects,
            ]
        )
    )
    return path


def _lines(text: str) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > _LINE:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _unicode_map(letters: Mapping[str, str]) -> bytes:
    rows = b"\n".join(
        b"<%02X> <%b>" % (shown.encode("cp1252")[0], to.encode("utf-16-be").hex().encode())
        for shown, to in letters.items()
    )
    return (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def\n"
        b"1 begincodespacerange <00> <FF> endcodespacerange\n"
        b"%d beginbfchar\n%b\nendbfchar\nendcmap end end" % (len(letters), rows)
    )


def _to(character: Callable[[int], int], shown: str = _LETTERS) -> dict[str, str]:
    return {each: chr(character(ord(each))) for each in shown}


def rotated(by: int) -> dict[str, str]:
    """A character map that shifts each letter by a number of places."""
    return {
        each: letters[(letters.index(each) + by) % 26]
        for letters in (string.ascii_lowercase, string.ascii_uppercase)
        for each in letters
    }


def mapped(text: str, letters: Mapping[str, str]) -> str:
    """The text as it is extracted with a character map."""
    return "".join(letters.get(each, each) for each in text)


def shuffled(seed: int) -> dict[str, str]:
    """A character map that permutes small letters and capitals."""
    chosen = random.Random(seed)
    return {
        each: to
        for letters in (string.ascii_lowercase, string.ascii_uppercase)
        for each, to in zip(letters, chosen.sample(letters, 26), strict=True)
    }


def numbered(first: int, last: int, seed: int = 0) -> dict[str, str]:
    """A character map to random characters of a range."""
    numbers = random.Random(seed).sample(range(first, last), len(_LETTERS))
    return {each: chr(number) for each, number in zip(_LETTERS, numbers, strict=True)}


# Character codes in place of letters: TrueType fonts often number their glyphs from 3, the space.
_GLYPHS = _to(lambda code: code - 29, "".join(map(chr, range(35, 127))))
_CYRILLIC = {each: chr(0xC0 + place) for place, each in enumerate(_LETTERS)}

MAPPED: dict[str, tuple[tuple[str, Mapping[str, str] | None], ...]] = {
    "rotated by 1": ((ENGLISH, rotated(1)),),
    "rotated by 3": ((ENGLISH, rotated(3)),),
    "rotated by 13": ((ENGLISH, rotated(13)),),
    "rotated German": ((GERMAN, rotated(5)),),
    "rotated French": ((FRENCH, rotated(7)),),
    "shuffled 1": ((ENGLISH, shuffled(1)),),
    "shuffled 2": ((ENGLISH, shuffled(2)),),
    "shuffled 3": ((ENGLISH, shuffled(3)),),
    "shuffled German": ((GERMAN, shuffled(4)),),
    "numbers of glyphs": ((ENGLISH, _GLYPHS),),
    "numbers of glyphs, the blank too": ((ENGLISH, _GLYPHS | {" ": "\x03"}),),
    "numbers of glyphs, German": ((GERMAN, _GLYPHS),),
    "private use": ((ENGLISH, _to(lambda code: 0xF000 + code)),),
    "private use from its start": ((FRENCH, numbered(0xE000, 0xE100)),),
    "private use beyond the first plane": ((ENGLISH, numbered(0xF0000, 0xF0100)),),
    "not assigned": ((ENGLISH, numbered(0x2FE0, 0x3018)),),
    "ideographs": ((ENGLISH, numbered(0x4E00, 0x9FA5)),),
    "syllables": ((ENGLISH, numbered(0xAC00, 0xD7A3)),),
    "letters of many scripts": ((ENGLISH, numbered(0x0100, 0x1200)),),
    "letters of many scripts, German": ((GERMAN, numbered(0x0250, 0x0E00, 1)),),
    "western letters for Cyrillic ones": ((ENGLISH, _CYRILLIC),),
    "half of it rotated": ((ENGLISH, None), (ENGLISH, rotated(3))),
    "half of it shuffled": ((FRENCH, None), (GERMAN, shuffled(2))),
    "half of it in private use": ((ENGLISH, None), (ENGLISH, numbered(0xE000, 0xE100))),
}


def without_map(path: Path) -> Path:
    """Save a page in an embedded font without character map."""
    made = path.with_suffix(".whole.pdf")

    def draw(page: pymupdf.Page) -> None:
        page.insert_font(fontname="F0", fontbuffer=pymupdf.Font("tiro").buffer)
        for place, line in enumerate(_lines(ENGLISH)):
            page.insert_text((50, 60 + 16 * place), line, fontname="F0", fontsize=11)

    save(made, draw)
    with pymupdf.open(made) as document:
        for number in range(1, document.xref_length()):
            if document.xref_get_key(number, "ToUnicode")[0] != "null":
                document.xref_set_key(number, "ToUnicode", "null")
        document.save(path)
    made.unlink()
    return path


def drawn_letters(path: Path, first: int = 1, heading: str = "") -> Path:
    """Save a page in a Type 3 font, whose glyphs are drawings named by numbers.

    Args:
        path: Where to save.
        first: The code of the first letter; others are numbered in order of use.
        heading: A heading in Helvetica, which can be extracted.
    """
    codes = {letter: first + place for place, letter in enumerate(dict.fromkeys(ENGLISH))}
    encoding = b"".join(b"%d/g%d" % (code, code) for code in codes.values())
    procedures = b"".join(b"/g%d 6 0 R" % code for code in codes.values())
    font = (
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 600 700]/FontMatrix[.001 0 0 .001 0 0]"
        b"/FirstChar %d/LastChar %d/Widths[%b]/CharProcs<<%b>>/Resources<<>>"
        b"/Encoding<</Type/Encoding/Differences[%b]>>>>"
    )
    widths = b" ".join([b"600"] * len(codes))
    return _coded(
        path,
        lambda text: bytes(codes[each] for each in text).hex().encode(),
        font % (first, first + len(codes) - 1, widths, procedures, encoding),
        stream(b"600 0 0 0 600 700 d1 100 0 400 500 re f"),
        heading,
    )


def glyph_numbers(path: Path, heading: str = "") -> Path:
    """Save a page in a font that numbers its glyphs in order of use, without character map."""
    codes = {letter: 1 + place for place, letter in enumerate(dict.fromkeys(ENGLISH))}
    return _coded(
        path,
        lambda text: b"".join(b"%04X" % codes[each] for each in text),
        b"<</Type/Font/Subtype/Type0/BaseFont/Own/Encoding/Identity-H/DescendantFonts[6 0 R]>>",
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/Own/CIDSystemInfo"
        b"<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 500>>",
        heading,
    )


def _coded(
    path: Path, code: Callable[[str], bytes], font: bytes, more: bytes, heading: str
) -> Path:
    lines = [
        b"BT /F 9 Tf 50 %d Td <%b> Tj ET" % (720 - 16 * place, code(line))
        for place, line in enumerate(_lines(ENGLISH))
    ]
    lines.append(b"BT /H 16 Tf 50 750 Td (%b) Tj ET" % heading.encode())
    resources = b"<</Font<</F 5 0 R/H<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources %b>>"
    path.write_bytes(
        raw_pdf(
            [
                b"<</Type/Catalog/Pages 2 0 R>>",
                b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
                page % resources,
                stream(b"\n".join(lines)),
                font,
                more,
            ]
        )
    )
    return path


def _mapped(name: str, path: Path) -> Path:
    return show_mapped(path, *MAPPED[name])


_HEADING = "The Ledger of the Harbour Master"
SAMPLES: dict[str, Callable[[Path], Path]] = {
    **{name: partial(_mapped, name) for name in MAPPED},
    "an embedded font without a map": without_map,
    "letters that are drawings": drawn_letters,
    "letters that are drawings, further up": lambda path: drawn_letters(path, 150),
    "letters that are drawings, below a heading": lambda path: drawn_letters(path, 1, _HEADING),
    "a font that numbers its glyphs": glyph_numbers,
    "a font that numbers its glyphs, below a heading": lambda path: glyph_numbers(path, _HEADING),
}
