"""Kinds of files that people keep beside documents: chats, cards, subtitles, references, places."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from tests.fuzz.samples import BOOK, OUTLINE, PLACES, SENTENCE, iwork, samples, zipped
from tests.unit.extract.reading import read

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.extract.reading import Read


def reading(folder: Path, name: str, data: bytes | str = b"") -> Read:
    data = data or samples()[name]
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return read(folder / name)


def test_subtitles_are_joined_below_their_time(tmp_path: Path) -> None:
    found = reading(tmp_path, "a.srt")
    assert found.blocks() == [("heading1", "00:01:02"), ("paragraph", SENTENCE)]


VTT = """WEBVTT - x

NOTE
not said

c1
01:02.500 --> 01:04.000 align:start
<v Mina>The <c.red>lamp</c>

01:04.000 --> 01:05.000
The lamp
burns &amp; burns"""
ASS = r"""[Script Info]
Title: none
[Events]
Format: Layer, Start
Dialogue: 0,0:01:02.50,0:01:04.00,Default,Mina,0,0,0,,{\an8\i1}The lamp\Nburns, & burns"""


TTML = """<tt:tt xmlns:tt="http://www.w3.org/ns/ttml"><tt:head><tt:title>x</tt:title></tt:head>
<tt:p begin="01:02.5">Mina: The <tt:span>lamp</tt:span></tt:p>
<tt:p begin="64s">burns<tt:br/>&amp; burns</tt:p></tt:tt>"""
SAMI = """<SAMI><STYLE>P {margin: 0}</STYLE><BODY><SYNC Start=62500><P Class=EN>Mina: The lamp
<SYNC Start=64000><P Class=EN>burns<br>&amp; burns<SYNC Start=65000><P>&nbsp;</BODY></SAMI>"""


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.ttml", TTML),
        ("a.smi", SAMI),
        ("a.vtt", VTT),
        ("a.ass", ASS),
        ("a.sbv", "0:01:02.500,0:01:04.000\nMina: The lamp\nburns & burns\n"),
        ("a.lrc", "[ar:none]\n[00:01:02.50]Mina: The lamp\n[00:01:05]burns & burns\n"),
    ],
)
def test_every_kind_of_subtitles_is_read(tmp_path: Path, name: str, data: str) -> None:
    said = reading(tmp_path, name, data).text.split("\n")
    assert said[0] in ("01:02", "0:01:02", "00:01:02")
    assert said[1].startswith("Mina: The lamp")
    assert said[1].endswith("& burns")
    assert not {"not said", "none"} & set(said)


def test_long_speech_is_cut_at_a_sentence(tmp_path: Path) -> None:
    cues = [f"{n}\n00:{n:02}:00,000 --> 00:{n:02}:30,000\n{SENTENCE}\n" for n in range(1, 30)]
    blocks = reading(tmp_path, "a.srt", "\n".join(cues)).blocks()
    # What is said again word for word is not repeated, as in captions of live speech.
    assert blocks == [("heading1", "00:01:00"), ("paragraph", SENTENCE)]
    cues = [cue.replace("lamp", f"lamp {n}") for n, cue in enumerate(cues)]
    blocks = reading(tmp_path, "b.srt", "\n".join(cues)).blocks()
    assert len(blocks) > 3
    assert all(text.endswith("harbour.") for kind, text in blocks if kind == "paragraph")


def test_contacts_and_events_are_read(tmp_path: Path) -> None:
    assert reading(tmp_path, "a.vcf").blocks() == [
        ("heading1", "Dr. Mina Härker"),
        ("paragraph", "Email: mina@example.org"),
        ("paragraph", "Address: 4 Quay Lane, Whitby, YO21, England"),
        ("paragraph", "Keeps the lamp, always.\nThe lamp burns all night above the quiet harbour."),
        ("heading1", "Oil delivery"),
        ("paragraph", "Start: 2024-05-01 09:00"),
        ("paragraph", "Location: The quay"),
    ]


def test_a_card_that_is_cut_off_is_read(tmp_path: Path) -> None:
    found = reading(tmp_path, "a.ics", "BEGIN:VEVENT\nSUMMARY:One\nBEGIN:VEVENT\nSUMMARY:Two\n")
    assert found.text == "One\nTwo"


def test_references_are_below_their_titles(tmp_path: Path) -> None:
    found = reading(tmp_path, "a.bib").blocks()
    assert found[:3] == [
        ("heading1", "On Lamps and Schrödinger's Café"),
        ("paragraph", "Harker, Mina; Seward, John (1897). Pharology Letters. harker1897"),
        ("paragraph", "The lamp burns all night above the quiet harbour."),
    ]
    assert [text for kind, text in found if kind == "heading1"][1:] == [
        "Never closed", "The last one",
    ]  # fmt: skip
    assert reading(tmp_path, "a.ris").blocks() == [
        ("heading1", "Lamps of the harbour"),
        ("paragraph", "Harker, Mina (1897)"),
        ("paragraph", SENTENCE.removesuffix(".") + "."),
    ]
    nbib = "PMID- 12\nTI  - Lamps\n      of oil\nFAU - Harker, Mina\n"
    assert reading(tmp_path, "a.nbib", nbib).text == "Lamps of oil\nHarker, Mina"
    assert reading(tmp_path, "a.enw", "%0 Book\n%T Lamps\n%A Mina\n").text == "Lamps\nMina"


def test_an_exported_chat_has_days_times_and_senders(tmp_path: Path) -> None:
    found = reading(tmp_path, "chat.txt")
    assert found.form == "chat"
    assert found.blocks() == [
        ("heading1", "2024-02-28"),
        ("paragraph", f"21:10:11 Mina: {SENTENCE.replace(' above', chr(10) + 'above')}"),
        ("heading1", "2024-03-01"),
        ("paragraph", "08:01:00 Jon: Who lit it?"),
    ]


@pytest.mark.parametrize(
    ("lines", "days"),
    [
        ("1/2/24, 9:10\u202fPM - Mina: a\n1/13/24, 9:11 AM - Jon: b", ["2024-01-02", "2024-01-13"]),
        ("01/02/2024, 21:10 - Mina: a\n13/02/2024, 21:11 - Jon: b", ["2024-02-01", "2024-02-13"]),
        ("2024-02-01, 21:10 - Mina: a\n2024/02/13 21:11 - Jon: b", ["2024-02-01", "2024-02-13"]),
    ],
)
def test_the_order_of_day_and_month_is_found(tmp_path: Path, lines: str, days: list[str]) -> None:
    blocks = reading(tmp_path, "chat.txt", lines).blocks()
    assert [text for kind, text in blocks if kind == "heading1"] == days


def test_a_log_is_no_chat(tmp_path: Path) -> None:
    assert reading(tmp_path, "a.txt", "2024-02-01 21:10:11 ERROR no lamp\n").form == "text"


def test_exported_records_are_read_as_sentences(tmp_path: Path) -> None:
    assert reading(tmp_path, "a.json").blocks() == [
        ("heading1", "Night watch"),
        ("paragraph", f"2024-03-01 08:00\n{SENTENCE}"),
        ("paragraph", "Mina · 2024-03-01 08:00\ngrüne Lampen"),
    ]


def test_data_without_sentences_has_no_text(tmp_path: Path) -> None:
    found = reading(tmp_path, "a.json", json.dumps({"name": "lamp", "deps": {"oil": "^1.2"}}))
    assert found.text == ""
    with pytest.raises(WorldError) as caught:
        reading(tmp_path, "b.json", "not at all")
    assert caught.value.code == "unreadable"


def test_a_line_each_is_read_and_depth_is_survived(tmp_path: Path) -> None:
    lines = '{"text": "The first line"}\n{broken\n{"text": "The other line"}\n'
    assert reading(tmp_path, "a.jsonl", lines).text == "The first line\nThe other line"
    with pytest.raises(WorldError):
        reading(tmp_path, "a.json", "[" * 200_000)


def test_places_are_read_with_what_is_said_of_them(tmp_path: Path) -> None:
    right = [
        ("heading2", "Lights"),
        ("heading3", "Whitby Light"),
        ("paragraph", f"{SENTENCE}\nSince 1858."),
        ("paragraph", "Keeper: Mina"),
        ("paragraph", "54.47, -0.57"),
    ]
    assert reading(tmp_path, "a.kml").blocks() == right
    assert reading(tmp_path, "a.kmz", zipped({"doc.kml": PLACES})).blocks() == right


def test_ways_and_notes_are_read(tmp_path: Path) -> None:
    points = '<trkpt lat="1" lon="2"><ele>3</ele></trkpt>' * 1_000
    gpx = (f'<gpx><wpt lat="54.4" lon="-0.5"><name>Quay</name><desc>Oil is here</desc></wpt><trk>'
           f"<name>Round</name><trkseg>{points}</trkseg></trk></gpx>")  # fmt: skip
    assert reading(tmp_path, "a.gpx", gpx).text == "Quay\n54.4, -0.5\nOil is here\nRound"
    enex = (
        "<en-export><note><title>Oil</title><created>20240501T090000Z</created><content>"
        f"<![CDATA[<?xml version='1.0'?><!DOCTYPE en-note SYSTEM 'x'><en-note><div>{SENTENCE}"
        "</div></en-note>]]></content><resource><data>QUJD</data></resource></note></en-export>"
    )
    assert reading(tmp_path, "a.enex", enex).text == f"Oil\n2024-05-01 09:00\n{SENTENCE}"


def test_a_fiction_book_has_sections_and_notes(tmp_path: Path) -> None:
    for name, data in (
        ("a.fb2", BOOK), ("a.fb2.zip", zipped({"b.fb2": BOOK})), ("a.fbz", zipped({"b.fb2": BOOK})),
    ):  # fmt: skip
        found = reading(tmp_path, name, data)
        assert found.form == "fb2"
        assert found.metadata.title == "The Keeper"
        assert found.metadata.author == "Mina Harker"
        assert found.metadata.created == "1897-05-26"
        assert found.blocks() == [
            ("heading2", "Oil"),
            ("heading3", "The first night"),
            ("paragraph", f"{SENTENCE}¹"),
            ("paragraph", "A lamp\na light"),
            ("heading2", "1"),
            ("paragraph", "A note below."),
        ]


def test_texts_and_cells_of_iwork_are_read(tmp_path: Path) -> None:
    found = reading(tmp_path, "a.pages", iwork("One\u2028two", "\ufffcThree"))
    assert found.text.split("\n") == ["One", "two", "Three", "A cell of oil"]
    older = zipped({"index.xml": '<a xmlns:sf="b"><sf:p>An <sf:b>old</sf:b> page</sf:p></a>'})
    assert reading(tmp_path, "old.pages", older).text == "An old page"


def test_a_lost_archive_of_iwork_costs_only_itself(tmp_path: Path) -> None:
    parts = {"Index/A.iwa": b"\x00\x05\x00\x00\xff\xff\xff\xff\xff"}
    with zipfile.ZipFile(io.BytesIO(iwork(SENTENCE))) as file:
        parts |= {name: file.read(name) for name in file.namelist()}
    found = reading(tmp_path, "a.pages", zipped(parts))
    assert SENTENCE in found.text
    assert found.unreadable == [1]


def test_entries_of_an_outline_have_their_notes_below_them(tmp_path: Path) -> None:
    found = reading(tmp_path, "a.opml")
    assert found.blocks() == [
        ("heading1", "Watches"), ("heading2", "Roof & lamp"), ("list_item", "Slates"),
        ("paragraph", SENTENCE), ("heading3", "Wick"), ("list_item", "Cotton"),
        ("list_item", "A feed"), ("paragraph", "https://example.org/feed.xml"),
    ]  # fmt: skip
    assert (found.metadata.title, found.metadata.author) == ("Watches", "Mina Harker")


def test_a_damaged_outline_keeps_what_stands_before_the_damage(tmp_path: Path) -> None:
    found = reading(tmp_path, "a.opml", OUTLINE[: OUTLINE.index(b"Cotton")])
    assert SENTENCE in found.text
    with pytest.raises(WorldError):
        reading(tmp_path, "b.opml", b"<opml")


XMIND = {"title": "Bees", "children": {"attached": [
    {"title": "Swarms", "notes": {"plain": {"content": SENTENCE}}, "labels": ["urgent"]},
    {"title": 1, "children": [[None]]},
]}}  # fmt: skip
OLD_XMIND = f"""<xmap-content xmlns="urn:xmind"><sheet><topic><title>Bees</title><children><topics>
<topic><title>Swarms</title><notes><html>no</html><plain>{SENTENCE}</plain></notes><labels>
<label>urgent</label></labels></topic></topics></children></topic></sheet></xmap-content>"""
FREEMIND = f"""<map version="1.0.1"><node TEXT="Bees"><node TEXT="Swarms">
<richcontent TYPE="NOTE"><html><p>{SENTENCE}</p></html></richcontent><icon/></node></node></map>"""


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.xmind", zipped({"content.json": json.dumps([{"rootTopic": XMIND}, 1])})),
        ("b.xmind", zipped({"content.xml": OLD_XMIND})),
        ("a.mm", FREEMIND),
    ],
)
def test_mind_maps_are_outlines(tmp_path: Path, name: str, data: bytes | str) -> None:
    found = reading(tmp_path, name, data)
    assert found.form == "opml"
    assert found.blocks()[1:3] == [("list_item", "Swarms"), ("paragraph", SENTENCE)]
    assert found.text.startswith("Bees\n")


def test_damaged_mind_maps_end_with_a_reason_or_nothing(tmp_path: Path) -> None:
    with pytest.raises(WorldError):
        reading(tmp_path, "a.xmind", zipped({"content.json": "[" * 100_000}))
    for content in ("{}", '{"rootTopic": {"children": 1}}', "1"):
        assert reading(tmp_path, "a.xmind", zipped({"content.json": content})).text == ""


ZOTERO = f"""<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="r" xmlns:bib="b" xmlns:dc="d" xmlns:dcterms="t" xmlns:foaf="f">
<bib:Article><dc:title>Tidal creeks</dc:title><dcterms:isPartOf><bib:Journal>
<dc:title>Coasts</dc:title></bib:Journal></dcterms:isPartOf><rdf:Seq><foaf:Person>
<foaf:surname>Okonkwo</foaf:surname><foaf:givenName>Ada</foaf:givenName></foaf:Person></rdf:Seq>
<dc:date>2019</dc:date><dcterms:abstract>{SENTENCE}</dcterms:abstract></bib:Article>
<bib:Memo><rdf:value>&lt;p&gt;Compare both&lt;/p&gt;</rdf:value></bib:Memo>
<z:Attachment xmlns:z="z"><dc:title>Full Text PDF</dc:title></z:Attachment></rdf:RDF>"""


def test_works_and_notes_of_an_export_in_rdf_are_references(tmp_path: Path) -> None:
    assert reading(tmp_path, "a.rdf", ZOTERO).blocks() == [
        ("heading1", "Tidal creeks"),
        ("paragraph", "Ada Okonkwo (2019). Coasts"),
        ("paragraph", SENTENCE),
        ("paragraph", "Compare both"),
    ]
