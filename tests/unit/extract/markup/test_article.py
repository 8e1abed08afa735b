"""Articles, editions and manuals in XML."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.extract.reading import read

if TYPE_CHECKING:
    from pathlib import Path

JATS = """<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) v1.2//EN" "JATS-archivearticle1.dtd">
<article><front><journal-meta><journal-title>Tides</journal-title></journal-meta><article-meta>
<title-group><article-title>Silt in <italic>shallow</italic> bays</article-title></title-group>
<contrib-group><contrib><name><surname>Doe</surname><given-names>Jane</given-names></name></contrib>
<contrib><name><surname>Roe</surname><given-names>John</given-names></name></contrib></contrib-group>
<pub-date><day>5</day><month>3</month><year>2021</year></pub-date>
<abstract><title>Abstract</title><p>We measured silt.</p></abstract>
<kwd-group><kwd>silt</kwd><kwd>tide</kwd></kwd-group></article-meta></front>
<body><sec><title>Methods</title><p>Cores of 10<sup>3</sup> mm<xref ref-type="fn">1</xref> were
taken <fn><p>By hand.</p></fn>[<xref ref-type="bibr">2</xref>].</p>
<sec><title>Sampling</title><table-wrap><caption><p>Depths</p></caption><table><tr><th>Bay</th>
<th>m</th></tr><tr><td>North</td><td>4.5</td></tr></table></table-wrap></sec></sec></body>
<back><ref-list><title>References</title><ref><label>1</label><mixed-citation>Poe A. Mud. 2001.
</mixed-citation></ref><ref><label>2</label><mixed-citation>Moe B. Clay.</mixed-citation></ref>
</ref-list></back></article>"""

TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title>Letters</title><author>Anna Doe</author></titleStmt>
<publicationStmt><date when="1897-05-02"/></publicationStmt>
</fileDesc></teiHeader><text><body><div><head>To her brother</head><p>Dear
<persName>Karl</persName>,
<lb/>the <ref target="#a">boat</ref> has sailed<note>On the second of May.</note>.</p>
<lg><l>The sea is wide,</l><l>the night is long.</l></lg>
<list><item>bread</item><item>salt</item></list></div></body></text></TEI>"""

DOCBOOK = """<book xmlns="http://docbook.org/ns/docbook"><info><title>Manual</title><author>
<personname><firstname>Jane</firstname><surname>Doe</surname></personname></author></info>
<chapter><title>Setting up</title><para>Press <guilabel>Start</guilabel>:
<itemizedlist><listitem><para>first</para></listitem></itemizedlist>then wait.</para>
<programlisting>run --all</programlisting></chapter></book>"""


@pytest.mark.parametrize(
    ("name", "text", "blocks"),
    [
        (
            "a.nxml",
            JATS,
            [
                ("heading9", "Abstract"),
                ("paragraph", "We measured silt."),
                ("paragraph", "silt tide"),
                ("heading2", "Methods"),
                ("paragraph", "Cores of 10³ mm¹ were taken [2]."),
                ("paragraph", "By hand."),
                ("heading3", "Sampling"),
                ("paragraph", "Depths"),
                ("table", "Bay\tm\nNorth\t4.5"),
                ("heading9", "References"),
                ("paragraph", "1 Poe A. Mud. 2001."),
                ("paragraph", "2 Moe B. Clay."),
            ],
        ),
        (
            "a.xml",
            TEI,
            [
                ("heading2", "To her brother"),
                ("paragraph", "Dear Karl, the boat has sailed."),
                ("paragraph", "On the second of May."),
                ("paragraph", "The sea is wide,\nthe night is long."),
                ("list_item", "bread"),
                ("list_item", "salt"),
            ],
        ),
        (
            "b.xml",
            DOCBOOK,
            [
                ("heading2", "Setting up"),
                ("paragraph", "Press Start:"),
                ("list_item", "first"),
                ("paragraph", "then wait."),
                ("paragraph", "run --all"),
            ],
        ),
    ],
)
def test_sections_paragraphs_tables_and_notes(
    name: str, text: str, blocks: list[tuple[str, str]], tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    assert read(tmp_path / name).blocks() == blocks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (JATS, ("Silt in shallow bays", "Jane Doe, John Roe", "2021-03-05")),
        (TEI, ("Letters", "Anna Doe", "1897-05-02")),
        (DOCBOOK, ("Manual", "Jane Doe", "")),
    ],
)
def test_title_authors_and_date(text: str, expected: tuple[str, str, str], tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(text, "utf-8")
    found = read(tmp_path / "a.xml").metadata
    assert (found.title, found.author, found.created) == expected


def test_of_a_damaged_article_the_beginning_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.nxml").write_text(JATS[: JATS.index("taken")], "utf-8")
    found = read(tmp_path / "a.nxml")
    assert "We measured silt." in found.text
    assert found.unreadable


def test_verses_code_and_tables_of_a_fiction_book(tmp_path: Path) -> None:
    (tmp_path / "a.fb2").write_text(
        "<FictionBook><description><title-info><book-title>Sea</book-title><annotation><p>Of it."
        "</p></annotation></title-info></description><body><section><title><p>One</p></title>"
        "<p>See <code>x = 1</code>, and H<sub>2</sub>O.</p><subtitle>Later</subtitle>"
        "<cite><p>Cited.</p><text-author>Eve</text-author></cite>"
        "<poem><stanza><v>a</v><v>b</v></stanza><date>1900</date></poem>"
        "<table><tr><th>Bay</th><th>m</th></tr> <tr><td>North</td><td>4.5</td></tr></table>"
        '</section></body><binary id="a.png">iVBORw0KGgo=</binary></FictionBook>'
    )
    assert read(tmp_path / "a.fb2").blocks() == [
        ("paragraph", "Of it."),
        ("heading2", "One"),
        ("paragraph", "See x = 1, and H₂O."),
        ("heading9", "Later"),
        ("paragraph", "Cited."),
        ("paragraph", "Eve"),
        ("paragraph", "a\nb"),
        ("paragraph", "1900"),
        ("table", "Bay\tm\nNorth\t4.5"),
    ]


@pytest.mark.parametrize("name", ["a.fb2", "a.tei"])
def test_a_root_without_blocks_is_no_article(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("<kml>Quay</kml>")
    assert read(tmp_path / name).text == ""
