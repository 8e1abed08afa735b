"""The papers of a small law office, as the tasks of the walk need them.

Owns what the files say; each is made by the writer of its format that other tests use.
"""

from __future__ import annotations

from email.message import EmailMessage
from typing import TYPE_CHECKING

import pymupdf

from tests.fuzz.samples import docx, epub, xlsx

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SECRET = "Open Sea 7"
READING_PAGES = 20

_MSA = (
    "Master services agreement between Harbour Freight Services and the Port Authority.",
    (
        "Either party may terminate this agreement for convenience by giving {days} days of "
        "written notice to the other party, without stating a reason."
    ),
    (
        "The total liability of the supplier under this agreement is capped at {cap} % of the fees "
        "paid in the twelve months before the claim arose."
    ),
    (
        "The supplier keeps all personal data within the European Union and deletes them thirty "
        "days after the end of the agreement."
    ),
    (
        "Invoices are payable within {pay} days of receipt; late payments bear interest of five "
        "percent a year."
    ),
    (
        "Neither party is liable for delays that are caused by storms, strikes or acts of "
        "government beyond its control."
    ),
)
_LEASE = (
    "Mietvertrag über Gewerberäume in der Speicherstadt.",
    (
        "Der Mieter hinterlegt eine Kaution in Höhe von drei Monatsmieten auf einem Sparkonto, das "
        "der Vermieter verwaltet."
    ),
    "Schönheitsreparaturen führt der Vermieter auf eigene Kosten alle fünf Jahre aus.",
    "Das Mietverhältnis kann mit einer Frist von sechs Monaten zum Jahresende gekündigt werden.",
    "Haustiere darf der Mieter nur mit schriftlicher Erlaubnis des Vermieters halten.",
)
_BAIL = (
    "Contrat de travail à durée indéterminée entre la société Portuaire et le salarié.",
    (
        "La période d'essai est de trois mois et peut être renouvelée une fois avec l'accord du "
        "salarié."
    ),
    "Le salarié a droit à vingt-cinq jours de congés payés par année complète de travail.",
    "Toute invention faite par le salarié pendant son service appartient à la société.",
)
_REPORT = (
    "The harbour handled more containers than in any year before, and the cranes worked through "
    "the winter without a longer pause. The board thanks the crews of the pilot boats. "
)
_BALANCE = (
    ("Balance sheet of the port, in thousands of euros", "2021", "2022", "2023"),
    ("Cash and equivalents at the end of the year", "9,889", "8,574", "7,441"),
    ("Accounts receivable from shipping companies", "4,463", "4,667", "4,131"),
    ("Inventories of spare parts and of fuel oil", "6,854", "8,420", "8,454"),
    ("Prepaid expenses and other current assets", "1,498", "2,129", "1,942"),
)
_RATES = (
    ("Role", "What the role does", "Hourly rate in euros", "Office"),
    ("Partner", "leads the case and speaks in court", "420", "Hamburg"),
    ("Associate", "drafts the pleadings and the contracts", "260", "Lyon"),
    ("Paralegal", "collects and numbers the evidence", "115", "Leith"),
    ("Translator", "translates contracts from German", "95", "Lisbon"),
)
# Read by the sentence by a person who works through a long paper.
TIDES = (
    "The tide gauges of the estuary were read by hand until 1957, every quarter of an hour. ",
    "A float in a well moved a pen over a drum of paper. ",
    "Silt that the river carries settles where salt water meets fresh, and the channel fills. ",
    "Dredgers keep it open at a cost that grows with the draught of the ships. ",
)
# Long enough for a passage of its own.
_NIGHT = (
    "<p>{who} walked along the quay and listened to the water below the planks until the bell "
    "of the customs house struck, and then wrote a page of the log by the light of a candle.</p>"
)
CHAPTERS = {
    "one.xhtml": "<h1>The Harbour</h1><p>Mina arrived at the harbour on a windless morning and "
    "counted forty masts.</p><p>The inn had one free room, above the stables.</p>"
    + _NIGHT.format(who="Mina")
    * 6,
    "two.xhtml": "<h1>The Storm</h1><p>The storm tore the roof from the customs house and "
    "carried it over the breakwater.</p><p>Nobody slept before dawn.</p>"
    + _NIGHT.format(who="The keeper")
    * 6,
    "three.xhtml": "<h1>The Verdict</h1><p>The judge acquitted the pilot because the lamp had "
    "been dark for an hour.</p>" + _NIGHT.format(who="The pilot") * 6,
}


def make_papers(folder: Path) -> None:
    """Fill a folder with what a law office has collected."""
    for name in ("contracts", "reports", "mail", "notes", "books", "archive", "Downloads"):
        (folder / name).mkdir(parents=True)
    contracts, notes = folder / "contracts", folder / "notes"
    for version, values in (
        ("v1", {"days": 60, "cap": 100, "pay": 30}), ("v2", {"days": 90, "cap": 150, "pay": 30}),
    ):  # fmt: skip
        said = [line.format(**values) for line in _MSA]
        pages = [said[:3], said[3:]]
        _pdf(contracts / f"msa-harbour-{version}.pdf", pages, "Master services agreement")
    (contracts / "mietvertrag.docx").write_bytes(docx(_word(_LEASE)))
    (contracts / "contrat-travail.docx").write_bytes(docx(_word(_BAIL)))
    (contracts / "fees.xlsx").write_bytes(xlsx({"Rates": _rows(_RATES)}))
    _pdf(
        folder / "reports" / "annual-report-2023.pdf",
        [[_REPORT * 4], [_REPORT * 3], [], [_REPORT]],
        "Annual report 2023", table=3,
    )  # fmt: skip
    reading = [[TIDES[at % 4] * 6, TIDES[(at + 1) % 4] * 6] for at in range(READING_PAGES)]
    reading[0].insert(0, "A history of the tide gauges")
    _pdf(folder / "reports" / "tide-gauges.pdf", reading, "Tide gauges of the estuary")
    _mail(
        folder / "mail" / "dredging.eml",
        "Sat, 15 Nov 2025 09:10:00 +0100",
        "Dredging offer",
        "The dredging company offers to clear the channel for 84,000 euros before Christmas.",
    )
    _mail(
        folder / "mail" / "crane.eml",
        "Tue, 3 Jun 2025 11:00:00 +0200",
        "Crane inspection",
        "The inspector found rust on the third crane and wants it painted by autumn.",
    )
    (notes / "meeting.md").write_text(
        "# Meeting with the Port Authority\n\nThe crew spoke of the winter.\n\n## Privacy\n\n"
        "The supplier keeps all personal data within the European Union and deletes them thirty "
        "days after the end of the agreement.\n\n## Lunch\n\nFish soup for six people.\n"
    )  # fmt: skip
    (notes / "pilots.txt").write_text(
        "Pilots board incoming ships at the outer buoy. A pilot earns a fixed fee for each ship. "
        "In fog the pilot station closes and ships wait at anchor.\n"
    )
    (folder / "books" / "the-keeper.epub").write_bytes(epub(CHAPTERS))
    (folder / "archive" / "lighthouse-deed.txt").write_text(
        "By this deed the town of Leith sells the lighthouse to the Commissioners for 900 pounds.\n"
    )
    for number, text in enumerate(("sandwich menu", "printer manual", "parking permit"), 1):
        page = f"This is the {text} that somebody downloaded once and has never needed since."
        (folder / "Downloads" / f"download-{number}.txt").write_text(page)
    _locked(contracts / "settlement-draft.pdf")


def _pdf(path: Path, pages: Sequence[Sequence[str]], title: str, table: int = 0) -> None:
    with pymupdf.open() as document:
        for number, paragraphs in enumerate(pages, 1):
            page = document.new_page()
            top = 72.0
            for text in paragraphs:
                box = pymupdf.Rect(72, top, 523, 780)
                left = page.insert_textbox(box, text, fontsize=11)
                top += box.height - left + 14
            if number == table:
                for line, cells in enumerate(_BALANCE):
                    for x, cell in zip((72, 340, 400, 460), cells, strict=True):
                        page.insert_text((x, 90 + 18 * line), cell, fontsize=11)
        document.set_metadata({"title": title, "author": "Port Authority", "creationDate":
                               "D:20240215090000Z"})  # fmt: skip
        document.save(path)


def _locked(path: Path) -> None:
    with pymupdf.open() as document:
        text = "The parties settle the dispute about the sunken barge for 31,000 pounds."
        document.new_page().insert_text((72, 72), text)
        document.save(
            path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=SECRET, owner_pw="owner"
        )


def _word(paragraphs: Sequence[str]) -> str:
    return "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)


def _rows(rows: Sequence[Sequence[str]]) -> str:
    cell = '<c t="inlineStr"><is><t>{}</t></is></c>'
    return "".join(f"<row>{''.join(cell.format(each) for each in row)}</row>" for row in rows)


def _mail(path: Path, date: str, subject: str, body: str) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"] = "office@example.org", "mina@example.org"
    mail["Subject"], mail["Date"] = subject, date
    mail.set_content(body)
    path.write_bytes(bytes(mail))
