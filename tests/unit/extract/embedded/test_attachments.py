"""Attachments of mails: read as documents, damage is contained, and limits hold."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

import pymupdf
import pytest

from indexer.api.phrases import english, read_detail
from indexer.config import Limits
from indexer.extract import registry
from indexer.extract.document import CanonicalText, Spool
from indexer.render.requests import TextDocument
from indexer.text.passages import cut
from tests.fuzz.ole import ole_file
from tests.fuzz.samples import SENTENCE, docx, pptx, samples, slide, xlsx, zipped
from tests.locked import locked, word
from tests.mails import forwarded, mail, part
from tests.unit.extract.reading import Read, read

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.types import DocumentInfo, Passage

PNG = b"\x89PNG\r\n\x1a\n" + bytes(50)
LONG = f"<w:p><w:r><w:t>{SENTENCE * 20}</w:t></w:r></w:p>"


def pdf(text: str = SENTENCE) -> bytes:
    with pymupdf.open() as document:
        page = document.new_page()
        if text:
            page.insert_text((72, 72), text)
        else:
            page.draw_rect((72, 72, 300, 300), fill=(0, 0, 0))
        return bytes(document.tobytes())


def read_mail(tmp_path: Path, data: bytes, limits: Limits | None = None) -> Read:
    (tmp_path / "a.eml").write_bytes(data)
    return read(tmp_path / "a.eml", limits)


def unread(found: Read) -> list[tuple[str, str]]:
    return [(page.part, page.unreadable) for page in found.pages if page.unreadable]


def document(path: Path) -> tuple[DocumentInfo, list[Passage]]:
    source = registry.opener(registry.identify(path))(path, None, Limits())
    try:
        with Spool() as spool:
            made = CanonicalText(spool)
            made.read_pages(source, lambda _page: None)
            info = made.info(source, "", lambda _text: "")
            return info, list(cut(made.pages(), target_words=60))
    finally:
        source.close()


@pytest.mark.parametrize("name", sorted(samples()))
def test_every_format_is_read_as_an_attachment(tmp_path: Path, name: str) -> None:
    data = samples()[name]
    found = read_mail(tmp_path, mail(part(name, data)))
    assert found.pages[0].text.splitlines()[-2:] == ["Own words.", f"Attachments: {name}"]
    (tmp_path / name).write_bytes(data)
    alone = "\n".join(page.text for page in read(tmp_path / name).pages if page.text)
    inside = "\n".join(page.text for page in found.pages if page.number == 2 and page.text)
    assert inside == f"{name}\n{alone}"


def test_a_passage_has_its_attachment_as_heading(tmp_path: Path) -> None:
    inner = mail(part("inner.docx", docx(LONG)), subject="Forwarded", border="c")
    deck = pptx([slide(("title", "Oil"), ("body", SENTENCE * 20))])
    data = mail(part("talk.pptx", deck), forwarded(inner), part("bill.pdf", pdf()))
    (tmp_path / "a.eml").write_bytes(data)
    info, passages = document(tmp_path / "a.eml")
    assert info.title == "Outer"
    assert list(dict.fromkeys(each.heading_path for each in passages)) == [
        ("Outer",),
        ("Outer", "talk.pptx", "Oil"),
        ("Outer", "Forwarded"),
        ("Outer", "Forwarded", "inner.docx"),
        ("Outer", "bill.pdf"),
    ]
    assert {each.page_first for each in passages} == {1, 2, 3, 4}


def test_offsets_match_the_text_of_the_preview(tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    path.write_bytes(mail(part("bill.pdf", pdf()), part("a.docx", docx()), part("x.zip", PNG)))
    shown = TextDocument(path, registry.EML, None, Limits())
    _, passages = document(path)
    for passage in passages:
        window, shown_text = shown.window(passage.char_start, passage.char_end, 200)
        at = passage.char_start - window.offset
        assert shown_text[at : at + len(passage.text)] == passage.text
    shown.close()


def test_a_document_keeps_its_headings_below_its_name(tmp_path: Path) -> None:
    body = "".join(
        f'<w:p><w:pPr><w:outlineLvl w:val="{level}"/></w:pPr><w:r><w:t>H{level}</w:t></w:r></w:p>'
        for level in range(7)
    )
    found = read_mail(tmp_path, mail(part("deep.docx", docx(body + LONG))))
    headings = [kind for kind, _ in found.blocks(2) if kind.startswith("heading")]
    assert headings[0] == "heading2"
    assert {int(kind[7:]) for kind in headings[1:]} <= {3, 4, 5, 6}
    (tmp_path / "a.eml").write_bytes(mail(part("deep.docx", docx(body + LONG))))
    assert "deep.docx" in document(tmp_path / "a.eml")[1][-1].heading_path


def test_mails_attached_as_files_are_read_with_what_is_attached_to_them(tmp_path: Path) -> None:
    innermost = mail(part("bill.docx", docx(LONG)), subject="Innermost")
    data = mail(part("fw.eml", mail(part("fw2.eml", innermost), subject="Inner")))
    (tmp_path / "a.eml").write_bytes(data)
    path = document(tmp_path / "a.eml")[1][-1].heading_path
    assert path == ("Outer", "fw.eml", "Inner", "fw2.eml", "Innermost", "bill.docx")


def test_an_unread_attachment_is_reported_by_name_and_others_are_read(tmp_path: Path) -> None:
    bomb = zipped({"[Content_Types].xml": "<Types/>"})
    data = mail(
        part("photo.png", PNG, "image/png"),
        part("locked.docx", locked(word(SENTENCE), "oil")),
        part("broken.pdf", b"%PDF-1.7\nnothing"),
        part("empty.txt", b""),
        part("scan.pdf", pdf("")),
        part("a.xlsx", xlsx({"Sheet1": ""})),
        part("things.zip", bomb),
        part("fine.txt", SENTENCE.encode()),
    )
    found = read_mail(tmp_path, data)
    assert unread(found) == [
        ("photo.png", "part_of_pictures"),
        ("locked.docx", "part_locked"),
        ("broken.pdf", "pdf_damaged"),
        ("scan.pdf", "part_of_pictures"),
        ("a.xlsx", "part_without_text"),
        ("things.zip", "part_unsupported"),
    ]
    assert "Own words." in found.pages[0].text
    assert found.text.endswith(f"fine.txt\n{SENTENCE}")
    info, _ = document(tmp_path / "a.eml")
    assert info.bad_pages == (2, 3, 4, 6, 7, 8)
    detail = read_detail(info.lost)
    told = english(detail["reason"], detail)
    assert "photo.png (its pages are pictures, which" in told


def test_unread_parts_of_an_attachment_are_reported_under_its_name(tmp_path: Path) -> None:
    deck = pptx([slide(("title", "One")), "<broken"])
    inner = mail(part("photo.png", PNG))
    found = read_mail(tmp_path, mail(part("talk.pptx", deck), part("fw.eml", inner)))
    assert unread(found) == [
        ("talk.pptx", "xml_damaged"),
        ("fw.eml \u203a photo.png", "part_of_pictures"),
    ]


def test_attachments_with_wrong_or_no_names_are_read(tmp_path: Path) -> None:
    data = mail(
        part("bill.txt", pdf("Named text.")),
        part("bill.xyz", pdf("Named nothing.")),
        part("notes.foo", b"Plain after all.", "text/plain"),
        part("../../etc/passwd.txt", b"No path."),
        part("a" * 500 + ".pdf", pdf("Long.")),
    )
    text = read_mail(tmp_path, data).text
    for words in ("Named text.", "Named nothing.", "Plain after all.", "No path.", "Long."):
        assert words in text


def test_inline_pictures_and_signatures_are_not_reported(tmp_path: Path) -> None:
    related = (
        b"Content-Type: multipart/related; boundary=r\r\n\r\n--r\r\nContent-Type: text/html\r\n\r\n"
        b'<p>Body<img src="cid:logo">\r\n--r\r\n' + part("logo.png", PNG, "image/png")
        + b"\r\n--r--\r\n"
    )  # fmt: skip
    shown = (
        b"Content-Type: text/html\r\n\r\n<p>More<img src='cid:second'>\r\n",
        part("second.png", PNG, "image/png", "Content-ID: <second>\r\n"),
        part("smime.p7s", b"\x30\x80", "application/pkcs7-signature"),
    )
    found = read_mail(tmp_path, mail(related, *shown))
    assert unread(found) == []
    assert found.count == 1
    attached = part("third.png", PNG, "image/png", "Content-ID: <third>\r\n")
    assert unread(read_mail(tmp_path, mail(attached))) == [("third.png", "part_of_pictures")]


def test_all_bodies_and_one_of_alternatives_are_read(tmp_path: Path) -> None:
    forms = (
        b"Content-Type: multipart/alternative; boundary=f\r\n\r\n--f\r\n\r\nplain form\r\n--f\r\n"
        b"Content-Type: text/html\r\n\r\n<p>html form\r\n--f--\r\n"
    )
    data = mail(
        b"Content-Type: text/html\r\n\r\n<p>Only in HTML.\r\n", forms,
        b"Content-Type: text/plain\r\n\r\nFooter of the list.\r\n", body="",
    )  # fmt: skip
    text = read_mail(tmp_path, data).text
    assert text.endswith("Only in HTML.\nplain form\nFooter of the list.")


def test_a_bomb_does_not_use_the_budget_of_others(tmp_path: Path) -> None:
    limits = Limits(unpacked_bytes=8 * 1024**2, elements=1_000_000)
    bomb = docx("<w:p><w:r><w:t>word</w:t></w:r></w:p>" * 220_000)
    bombs = [part(f"{n}.docx", bomb) for n in range(3)]
    found = read_mail(tmp_path, mail(*bombs, part("fine.docx", docx())), limits)
    assert {name for name, _ in unread(found)} == {"0.docx", "1.docx", "2.docx"}
    assert {reason for _, reason in unread(found)} == {"unpacks_too_much"}
    assert found.text.endswith(f"fine.docx\n{SENTENCE}")
    assert "Own words." in found.text


def test_an_endless_attachment_does_not_affect_the_mail(tmp_path: Path) -> None:
    data = mail(part("long.txt", b"word " * 4_000), part("fine.txt", b"fine"))
    found = read_mail(tmp_path, data, Limits(characters=20_000))
    assert unread(found) == [("long.txt", "unpacks_too_much"), ("fine.txt", "unpacks_too_much")]
    assert "Own words." in found.text


def test_the_number_of_attachments_is_limited(tmp_path: Path) -> None:
    found = read_mail(tmp_path, mail(*(part(f"{n}.txt", b"few words") for n in range(1_000))))
    assert found.text.count("few words") == 256
    assert len(unread(found)) == 1_000 - 256
    assert {reason for _, reason in unread(found)} == {"too_many_inside"}
    info, _ = document(tmp_path / "a.eml")
    assert read_detail(info.lost)["more"] == 1_000 - 256 - 20


def test_the_nesting_of_mails_is_limited(tmp_path: Path) -> None:
    data = mail(subject="0")
    for n in range(1, 12):
        data = mail(part("in.eml", data), part("in2.eml", data[:3_000]), subject=str(n))
    found = read_mail(tmp_path, data)
    assert any(reason == "part_too_deep" for _, reason in unread(found))
    assert "Own words." in found.pages[0].text


def test_a_long_body_in_the_spool_is_read_completely(tmp_path: Path) -> None:
    lines = [f"Line {n} of it." for n in range(20_000)]
    found = read_mail(
        tmp_path, mail(part("a.txt", "\n".join(lines).encode()), body="\r\n".join(lines))
    )
    pages = [page.text for page in found.pages]
    own = "\n".join(page.text for page in found.pages if page.number == 1)
    assert own.split("\n")[2:-1] == lines
    inside = "\n".join(text for text in pages[1:] if "Line" in text)
    assert all(line in inside for line in (lines[0], lines[9_999], lines[-1]))


@pytest.mark.parametrize("encoding", ["quoted-printable", "8bit", "x-uuencode"])
def test_long_attachments_in_other_encodings(tmp_path: Path, encoding: str) -> None:
    text = "\r\n".join(f"Größe {n}" for n in range(20_000)).encode()
    if encoding == "quoted-printable":
        body = text.replace("ö".encode(), b"=C3=B6").replace("ß".encode(), b"=C3=\r\n=9F")
    elif encoding == "8bit":
        body = text
    else:
        rows = (text[at : at + 45] for at in range(0, len(text), 45))
        body = b"begin 644 a\r\n" + b"".join(map(uu, rows)) + b"`\r\nend\r\n"
    head = (
        'Content-Type: text/csv; name="a.csv"\r\nContent-Disposition: attachment\r\n'
        f"Content-Transfer-Encoding: {encoding}\r\n\r\n"
    )
    found = read_mail(tmp_path, mail(head.encode() + body))
    words = found.text.split()
    assert [word for word in words if word.isdigit()] == [str(n) for n in range(20_000)]
    assert words.count("Größe") == 20_000


def uu(row: bytes) -> bytes:
    import binascii

    return binascii.b2a_uu(row)


def test_attachments_in_a_mailbox_are_on_the_page_of_their_mail(tmp_path: Path) -> None:
    border = b"From mina@example.org Mon May  3 10:20:30 2021\n"
    mails = [
        mail(part("one.pdf", pdf("First file."))),
        mail(part("x.png", PNG), subject="Second"),
        mail(),
    ]
    (tmp_path / "a.mbox").write_bytes(b"\n".join(border + each for each in mails))
    found = read(tmp_path / "a.mbox")
    assert found.count == 3
    assert found.blocks(1)[-2:] == [("heading2", "one.pdf"), ("paragraph", "First file.")]
    assert unread(found) == [("x.png", "part_of_pictures")]
    info, _ = document(tmp_path / "a.mbox")
    assert info.bad_pages == (2,)


def test_a_mailbox_of_bombs_ends_at_the_budget(tmp_path: Path) -> None:
    border = b"From mina@example.org Mon May  3 10:20:30 2021\n"
    bomb = border + mail(part("long.txt", b"word " * 3_000)) + b"\n"
    (tmp_path / "a.mbox").write_bytes(bomb * 40)
    found = read(tmp_path / "a.mbox", Limits(unpacked_bytes=20_000))
    assert found.text.count("Own words.") == 40
    assert 20 < found.text.count("word word") / 1_500 < 30
    assert {reason for _, reason in unread(found)} == {"unpacks_too_much"}


def outlook(**files: bytes) -> bytes:
    def wide(text: str) -> bytes:
        return text.encode("utf-16-le")

    tree: dict[str, Any] = {
        "__properties_version1.0": bytes(32),
        "__substg1.0_0037001F": wide("Outer"),
        "__substg1.0_1000001F": wide("Own words."),
    }
    for number, (name, data) in enumerate(files.items()):
        tree[f"__attach_version1.0_#{number:08X}"] = {
            "__substg1.0_3707001F": wide(name.replace("_", ".")),
            "__substg1.0_37010102": data,
        }
    return ole_file(tree)


def test_attachments_of_outlook(tmp_path: Path) -> None:
    data = outlook(
        bill_pdf=pdf("The bill."), photo_png=PNG, in_eml=mail(subject="Inner", body="word " * 1000)
    )
    (tmp_path / "a.msg").write_bytes(data)
    found = read(tmp_path / "a.msg")
    assert found.count == 4
    assert found.blocks(2) == [("heading2", "bill.pdf"), ("paragraph", "The bill.")]
    assert unread(found) == [("photo.png", "part_of_pictures")]
    assert ("heading3", "Inner") in found.blocks(4)


def test_ole_objects_in_outlook_mails_are_reported(tmp_path: Path) -> None:
    sent = struct.pack("<LLQ", 0x00390040, 6, 132_500_000_000_000_000)
    data = ole_file({
        "__properties_version1.0": bytes(32) + sent,
        "__substg1.0_0037001F": "S".encode("utf-16-le"),
        "__attach_version1.0_#00000000": {
            "__substg1.0_3001001F": "Chart".encode("utf-16-le"),
            "__substg1.0_3701000D": {"CONTENTS": b"x"},
        },
    })  # fmt: skip
    (tmp_path / "a.msg").write_bytes(data)
    assert unread(read(tmp_path / "a.msg")) == [("Chart", "part_unsupported")]


def test_the_text_of_a_mail_is_read_when_its_attachments_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(mail(part("bill.pdf", pdf()), part("fine.txt", b"fine")))
    source = registry.opener(registry.EML)(tmp_path / "a.eml", None, Limits())
    pages = list(source.pages({1, 2}))
    source.close()
    assert "Own words." in pages[0].text
    assert [(p.number, p.part) for p in pages if p.unreadable == "stops_reader"] == [
        (2, "bill.pdf")
    ]
    assert pages[-1].text == "fine.txt\nfine"


def test_after_three_crashing_attachments_the_rest_is_skipped(tmp_path: Path) -> None:
    parts = [part(f"{n}.txt", b"fine") for n in range(8)]
    (tmp_path / "a.eml").write_bytes(mail(*parts))
    source = registry.opener(registry.EML)(tmp_path / "a.eml", None, Limits())
    pages = list(source.pages({2, 4, 6}))
    source.close()
    assert [page.number for page in pages if not page.unreadable] == [1, 3, 5]
    assert json.dumps([page.number for page in pages if page.unreadable]) == "[2, 4, 6, 7, 8, 9]"
