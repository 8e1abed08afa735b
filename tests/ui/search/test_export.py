"""Hits as files, and passages with their citation."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from indexer.api.types import Why
from tests.answers import UNTITLED
from tests.ui.search.hits import hit, many
from ui.citations import CitedSource, citable, citation, distinct, passage, quoted
from ui.export import ExportFormat, export_text

pytestmark = pytest.mark.usefixtures("qapp")

KNOWN = replace(
    UNTITLED, title="Lease", author="Doe, Jane", created="2021-05-04T00:00:00", language="en"
)


def test_a_citation_says_what_is_known() -> None:
    one = hit(start=1100)
    assert citation(one, CitedSource.from_hit(one, KNOWN)) == "Doe, Jane, Lease, 2021, p. 12"
    assert citation(one, CitedSource.from_hit(one)) == "lease, p. 12"
    assert quoted(one, CitedSource.from_hit(one)).text().startswith("“Rent is due on the first.")
    name = hit(text="", why=Why.NAME, page=0)
    assert quoted(name, CitedSource.from_hit(name)).text() == "lease"
    assert CitedSource.from_hit(one, replace(UNTITLED, created="unknown")).year == ""


ROE = "Doe, Jane Q.; Roe, Jean-Luc"


@pytest.mark.parametrize(
    ("style", "author", "year", "text"),
    [
        ("apa", ROE, "2021", "Doe, J. Q., & Roe, J.-L. (2021). *Lease*, p. 12."),
        ("apa", "", "", "*Lease*. (n.d.), p. 12."),
        ("apa", "ACME", "", "ACME. (n.d.). *Lease*, p. 12."),
        (
            "apa",
            "Roe, a part of J. Doe & Co.",
            "",
            "Roe, a part of J. Doe & Co. (n.d.). *Lease*, p. 12.",
        ),
        ("apa", "Jane Doe", "2021", "Jane Doe. (2021). *Lease*, p. 12."),
        ("chicago", ROE, "2021", "Jane Q. Doe and Jean-Luc Roe, *Lease* (2021), 12."),
        ("chicago", "A; B; C", "", "A, B, and C, *Lease* (n.d.), 12."),
        ("mla", ROE, "2021", "Doe, Jane Q., and Jean-Luc Roe. *Lease*. 2021, p. 12."),
        ("mla", "Doe, Jane; B; C", "", "Doe, Jane, et al. *Lease*. P. 12."),
        ("oscola", "Doe, Jane", "2021", "Jane Doe, *Lease* (2021) 12."),
        ("oscola", "Doe, J. Q.; Jean U. Roe", "", "JQ Doe and Jean U Roe, *Lease* 12."),
        ("oscola", "A; B; C; D", "2021", "A and others, *Lease* (2021) 12."),
        ("[{author}: ]{title} [{year}|undated]", "", "", "Lease undated"),
        ("{title}, {nothing}", "", "", "Lease, {nothing}"),
        ("[[{year}, ]{file}]", "", "", "lease.txt"),
    ],
)
def test_the_styles_of_citations(style: str, author: str, year: str, text: str) -> None:
    one, source = hit(start=1100), CitedSource("Lease", author, year)
    assert citation(one, source, style).startswith(text.replace("*", ""))
    rich = text.replace("&", "&amp;").replace("*Lease*", "<i>Lease</i>")
    assert citation(one, source, style, rich=True).startswith(rich)


@given(st.text("{}[]|*<&title.", max_size=30), st.text("{}[]|*titleyar ", max_size=40))
def test_no_title_is_taken_for_a_part_of_the_template(title: str, template: str) -> None:
    source = CitedSource(title)
    assert title.rstrip(".") in citation(hit(), source, "{year}|{title}[{title}|x]")
    assert "<b" not in citation(hit(), source, f"{template}{{title}}", rich=True)
    data = quoted(hit(text="a <b>bold</b> text"), CitedSource(f"<b>{title}</b>"), "apa")
    assert "<b>" not in data.html()
    assert "<b>bold</b>" in data.text()


@pytest.mark.parametrize(
    ("style", "whole", "labelled", "roman", "text"),
    [
        ("simple", "pp. 11–13", "pp. 4–6", "p. iv (sheet 12)", "Lease, "),
        ("apa", "pp. 11–13.", "pp. 4–6.", "p. iv.", "Lease. (n.d.), "),
        ("chicago", "11–13.", "4–6.", "iv.", "Lease (n.d.), "),
        ("mla", "Pp. 11–13.", "Pp. 4–6.", "P. iv.", "Lease. "),
        ("oscola", "11–13.", "4–6.", "iv.", "Lease "),
    ],
)
def test_a_passage_is_cited_with_all_its_pages(
    style: str, whole: str, labelled: str, roman: str, text: str
) -> None:
    """By the numbers that are printed on them, as far as these are numbers."""
    one = replace(hit(start=1100), page_last=13, pages_before=1)
    sheet = hit(start=1100, page_label="iv")
    for found, pages in (
        (one, whole), (replace(one, page_label="5"), labelled), (sheet, roman),
    ):  # fmt: skip
        assert citation(found, CitedSource("Lease"), style) == text + pages


def test_a_title_that_ends_with_a_sign_gets_no_stop() -> None:
    asked = CitedSource("Who pays?", "ACME Inc.", "2021")
    assert citation(hit(), asked, "mla", rich=True) == "ACME Inc. <i>Who pays?</i> 2021, p. 1."
    assert citation(hit(), asked, "apa") == "ACME Inc. (2021). Who pays?, p. 1."


def test_what_has_no_pages_is_cited_by_its_heading() -> None:
    one = hit(page=0, heading_path=("Lease", "Rent"))
    assert citation(one, CitedSource.from_hit(one, KNOWN)) == "Doe, Jane, Lease, 2021, Rent"


def test_the_names_of_files_are_cited_where_titles_clash() -> None:
    sources = {path: CitedSource("Lease") for path in ("/d/a.docx", "/d/b.docx")}
    sources["/d/c.docx"] = CitedSource("Deed")
    titles = [source.title for source in distinct(sources).values()]
    assert titles == ["Lease (a.docx)", "Lease (b.docx)", "Deed"]


def test_a_table_holds_the_hits() -> None:
    hits = many(3, 2)
    sources = {hits[0].path: CitedSource.from_hit(hits[0], KNOWN)}
    rows = list(csv.DictReader(io.StringIO(export_text(hits, sources, ExportFormat.CSV))))
    assert [row["path"] for row in rows] == [each.path for each in hits]
    assert (rows[0]["author"], rows[1]["author"]) == ("Doe, Jane", "")
    assert rows[0]["passage"] == passage(hits[0])
    assert rows[0]["best_sentence"] == "It rises with the index."
    assert rows[0]["heading"] == "Lease / Rent"


@given(st.text(), st.text(), st.text(max_size=20))
def test_nothing_becomes_a_formula_or_breaks_a_row(text: str, title: str, path: str) -> None:
    hits = [hit(f"/d/{path}", text="=cmd|" + text, title="+" + title)] * 2
    rows = list(csv.reader(io.StringIO(export_text(hits, {}, ExportFormat.CSV))))
    assert len({len(row) for row in rows}) == 1
    assert len(rows) == 3
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)
    export_text(hits, {}, ExportFormat.CSV).encode()


def test_bibtex_has_one_entry_for_each_document_that_says_who_wrote_it() -> None:
    hits = [hit("/d/a.pdf", start=start) for start in (0, 300)]
    hits += [hit("/d/b.pdf"), hit("/d/c.pdf")]
    sources = {
        "/d/a.pdf": CitedSource("Law & {Order}", "Jane Doe", "2021"),
        "/d/b.pdf": CitedSource("More", "Doe, J.", "2021"),
        "/d/c.pdf": CitedSource("Nobody's"),
    }
    text = export_text(hits, sources, ExportFormat.BIBTEX)
    assert text.count("@misc{") == 2
    assert "@misc{doe2021,\n  title = {Law \\& \\{Order\\}},\n  author = {Jane Doe}," in text
    assert "  pages = {1, 4}," in text
    assert "@misc{doe2021-2," in text
    assert not citable(sources["/d/c.pdf"])
