"""Mails: single ones, mailboxes, those of Outlook, and web archives."""

from __future__ import annotations

import base64
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import compressed_rtf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.errors import WorldError
from indexer.config import Limits
from indexer.extract.mail.eml import BodySpool, read_mail
from tests.fuzz.ole import ole_file
from tests.fuzz.samples import EML, MBOX, SENTENCE, msg
from tests.unit.extract.reading import read

if TYPE_CHECKING:
    from pathlib import Path


PEOPLE = (
    "From: Mina Härker <mina@example.org>\nTo: Jonathan <jon@example.org>\nDate: 2021-05-03 10:20"
)
MELA = b"\x1e\0\0\0\x12\0\0\0MELA\0\0\0\0{\\rtf1 Rich words}"
PACKED = compressed_rtf.compress(rb"{\rtf1 Rich words, rich words}")


def mail(*lines: str, body: bytes = b"") -> bytes:
    return "\r\n".join([*lines, "", ""]).encode() + body


def text_of(tmp_path: Path, data: bytes, name: str = "a.eml") -> str:
    (tmp_path / name).write_bytes(data)
    return read(tmp_path / name).text


def test_a_mail_with_an_attachment(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(EML)
    found = read(tmp_path / "a.eml")
    assert found.blocks() == [
        ("heading1", "Lämpchen"),
        ("paragraph", PEOPLE),
        ("paragraph", "Dear Jonathan,"),
        ("paragraph", f"{SENTENCE} It is grün."),
        ("paragraph", "Attachments: bill.pdf"),
    ]
    assert (found.metadata.title, found.metadata.created) == ("Lämpchen", "2021-05-03")


@pytest.mark.parametrize(
    ("header", "body", "expected"),
    [
        ("Content-Type: text/plain; charset=koi8-r", "Лампа".encode("koi8-r"), "Лампа"),
        ("Content-Type: text/plain; charset=no-such", "Größe".encode("cp1252"), "Größe"),
        ("Content-Type: text/plain; charset=utf-7", b"Gr+APYA3w-e", "Größe"),
        ("Content-Type: text/plain; charset=iso-2022-jp", "灯台".encode("iso-2022-jp"), "灯台"),
        ("Content-Type: text/html; charset=utf-8", "<p>Größe<script>x</script>".encode(), "Größe"),
        ("Content-Type: image/png", b"\x89PNG", ""),
        ("Content-Type: multipart/mixed", b"--x\r\n\r\nfound", "--x\n\nfound"),
        ("Content-Type: /;;=\r\n\tx=", b"kept", "kept"),
        ("Content-Transfer-Encoding: base64", b"b2ls", "oil"),
        ("Content-Transfer-Encoding: base64", b"b2ls!!!", "oil"),
        ("Content-Transfer-Encoding: x-uuencode", b"begin 644 a\r\n#;VEL\r\n`\r\nend", "oil"),
    ],
)
def test_bodies_and_their_encodings(
    tmp_path: Path, header: str, body: bytes, expected: str
) -> None:
    text = text_of(tmp_path, mail("Subject: S", header, body=body))
    assert text.removeprefix("S").strip() == expected


def test_plain_text_is_preferred_and_mails_in_mails_are_read(tmp_path: Path) -> None:
    inner = b"Subject: Inner\r\n\r\nThe words inside."
    data = mail(
        "Subject: Outer", "Content-Type: multipart/mixed; boundary=b",
        body=b"--b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n--c\r\n\r\nplain\r\n"
        b"--c\r\nContent-Type: text/html\r\n\r\n<p>html\r\n--c--\r\n--b\r\n"
        b"Content-Type: message/rfc822\r\n\r\n" + inner + b"\r\n--b--",
    )  # fmt: skip
    assert text_of(tmp_path, data) == "Outer\nplain\nInner\nThe words inside."


def test_a_mail_that_is_attached_in_base64_is_read(tmp_path: Path) -> None:
    inner = base64.encodebytes(
        b"Subject: Inner\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nThe caf\xc3\xa9 inside."
    )
    data = mail(
        "Subject: Outer", "Content-Type: multipart/mixed; boundary=b",
        body=b"--b\r\n\r\nplain\r\n--b\r\nContent-Type: message/rfc822\r\n"
        b"Content-Transfer-Encoding: base64\r\n\r\n" + inner + b"\r\n--b--",
    )  # fmt: skip
    assert text_of(tmp_path, data).endswith("Inner\nThe caf\u00e9 inside.")


@pytest.mark.parametrize("subject", ["=?utf-8?b?4pi4?=", "=?nope?q?x?=", "=?utf-8?b?!!?=", "é", ""])
def test_subjects(tmp_path: Path, subject: str) -> None:
    assert "kept" in text_of(tmp_path, mail(f"Subject: {subject}", "From: a@b", body=b"kept"))


def test_the_nesting_of_mime_parts_is_limited(tmp_path: Path) -> None:
    opened = b"".join(
        b"--%d\r\nContent-Type: multipart/mixed; boundary=%d\r\n\r\n" % (n, n + 1)
        for n in range(3000)
    )
    data = mail("Subject: Deep", "Content-Type: multipart/mixed; boundary=0", body=opened)
    with pytest.raises(WorldError) as caught:
        text_of(tmp_path, data)
    assert caught.value.code == "unreadable"


def test_large_attachments_are_dropped_unread() -> None:
    line = b"QUJD" * 19 + b"\r\n"
    head = b'Subject: S\r\nContent-Type: application/zip; name="a.zip"\r\n'
    lines = [*head.splitlines(keepends=True), b"\r\n", *([line] * 100_000)]
    with closing(BodySpool()) as aside:
        assert read_mail(lines, aside).names == ["a.zip"]


def test_the_length_line_of_emlx_files_is_skipped(tmp_path: Path) -> None:
    data = b"57        \n" + b"Subject: Apple\n\nwords\n" + b'<?xml version="1.0"?>'
    assert text_of(tmp_path, data, "a.emlx").startswith("Apple\nwords")


def test_web_archives_are_read(tmp_path: Path) -> None:
    data = mail(
        "Subject: Page", "MIME-Version: 1.0", "Content-Type: multipart/related; boundary=b",
        body=b"--b\r\nContent-Type: text/html\r\n\r\n<h1>Lamps</h1><p>Oil.\r\n--b--",
    )  # fmt: skip
    assert text_of(tmp_path, data, "a.mht") == "Page\nLamps\nOil."


@given(st.binary(max_size=300))
def test_any_bytes_are_read_as_a_mail_or_rejected(data: bytes) -> None:
    with suppress(WorldError), closing(BodySpool()) as aside:
        head = b"Content-Type: multipart/mixed; boundary=b\r\n\r\n"
        read_mail([b"Subject: x\r\n", head, data], aside)


def test_each_mail_of_a_mailbox_is_a_page(tmp_path: Path) -> None:
    (tmp_path / "a.mbox").write_bytes(MBOX)
    found = read(tmp_path / "a.mbox")
    assert found.count == 2
    assert found.blocks(1)[0] == ("heading1", "First")
    assert found.pages[0].text.endswith("From here it goes on.")
    assert found.blocks(2)[0] == ("heading1", "Second")


def test_a_mailbox_without_extension_is_detected_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "Inbox").write_bytes(MBOX)
    assert read(tmp_path / "Inbox").form == "mbox"


def test_a_too_large_mail_is_an_unreadable_page(tmp_path: Path) -> None:
    (tmp_path / "a.mbox").write_bytes(MBOX.replace(b"other words", b"other words " * 200))
    found = read(tmp_path / "a.mbox", Limits(message_bytes=1000))
    assert found.unreadable == [2]


def test_a_mail_of_outlook(tmp_path: Path) -> None:
    (tmp_path / "a.msg").write_bytes(msg())
    found = read(tmp_path / "a.msg")
    assert found.blocks() == [
        ("heading1", "Of lamps"),
        ("paragraph", "From: Mina Harker <mina@example.org>\nTo: Jonathan\nDate: 2020-11-16 11:33"),
        ("paragraph", "Dear Jonathan,"),
        ("paragraph", SENTENCE),
        ("paragraph", "Attachments: bill.pdf"),
        ("heading2", "The inner mail"),
        ("paragraph", "Words inside."),
    ]


@pytest.mark.parametrize(
    ("streams", "expected"),
    [
        ({"__substg1.0_1000001E": "Größe".encode("cp1252")}, "Größe"),
        ({"__substg1.0_10130102": b"<p>Of <b>oil</b>"}, "Of oil"),
        ({"__substg1.0_10090102": MELA}, "Rich words"),
        ({"__substg1.0_10090102": PACKED}, "Rich words, rich words"),
        ({"__substg1.0_10090102": PACKED[:-3]}, ""),
        ({"__substg1.0_10090102": PACKED[:9]}, ""),
    ],
)  # fmt: skip
def test_bodies_of_outlook(tmp_path: Path, streams: dict[str, bytes], expected: str) -> None:
    data = ole_file({"__properties_version1.0": bytes(32), **streams})
    assert text_of(tmp_path, data, "a.msg") == expected


@pytest.mark.parametrize(
    ("name", "data", "sent"),
    [
        ("a.eml", EML, ("2021-05-03", "2021-05-03")),
        ("a.msg", msg(), ("2020-11-16", "2020-11-16")),
        (
            "a.mbox",
            b"".join(
                b"From a@b.org Fri Nov 20 13:32:27 2026\nSubject: S\n%s\nWords.\n\n" % line
                for line in (
                    b"Date: Mon, 04 Mar 2019 10:00:00 +0000\n",
                    b"Date: Fri, 02 Mar 2012 10:00:00 +0000\n",
                    b"",
                )
            ),
            ("2012-03-02", "2019-03-04"),
        ),
        ("b.eml", mail("Subject: S", "Date: soon", body=b"Words."), ("", "")),
    ],
)
def test_mails_are_dated(tmp_path: Path, name: str, data: bytes, sent: tuple[str, str]) -> None:
    (tmp_path / name).write_bytes(data)
    assert read(tmp_path / name).metadata.sent == sent
