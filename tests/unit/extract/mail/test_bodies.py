"""Bodies of mails as programs send them: alternatives, calendars, reports, broken lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.config import Limits
from indexer.extract.mail.body import enriched_text, unflowed
from indexer.extract.mail.eml import open_source
from indexer.extract.mail.mbox import open_source as open_mailbox
from indexer.extract.plain.cards import calendar_text

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "From: mina@example.org\r\nSubject: Lamps\r\n"


def read(folder: Path, data: bytes | str) -> str:
    path = folder / "a.eml"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    source = open_source(path, None, Limits())
    try:
        return "\n".join(page.text for page in source.pages())
    finally:
        source.close()


def several(kind: str, *parts: tuple[str, str]) -> str:
    """A mail with parts: each its content type, with more of its head, and its body."""
    inner = "".join(f"--b\r\nContent-Type: {head}\r\n\r\n{body}\r\n" for head, body in parts)
    return f"{HEAD}Content-Type: {kind}; boundary=b\r\n\r\n{inner}--b--\r\n"


STUB = "Your program shows no HTML. Open https://example.org/view instead."
LONG = "The keeper climbed the stair every night and lit the lamp with a match of his own."


@pytest.mark.parametrize(
    ("plain", "html", "found", "absent"),
    [
        (STUB, f"<p>{LONG}", LONG, "shows no HTML"),
        ("", f"<p>{LONG}", LONG, "Attachments"),
        (LONG, f"<p>{LONG}", LONG, "<p>"),
        (LONG, f"<p><b>{LONG}</b> Unsubscribe", LONG, "Unsubscribe"),
        (LONG, "<img src=x>", LONG, "img"),
    ],
)
def test_of_alternatives_the_one_that_says_all_is_read(
    tmp_path: Path, plain: str, html: str, found: str, absent: str
) -> None:
    text = read(
        tmp_path, several("multipart/alternative", ("text/plain", plain), ("text/html", html))
    )
    assert found in text
    assert absent not in text


def test_a_stub_gives_way_to_a_script_without_spaces(tmp_path: Path) -> None:
    html = "<p>\u706f\u5854\u7684\u706f\u6bcf\u665a\u68c0\u67e5\u3002"
    stub = "This message needs a reader of HTML."
    mail = several(
        "multipart/alternative", ("text/plain", stub), ("text/html; charset=utf-8", html)
    )
    text = read(tmp_path, mail)
    assert "\u706f\u5854\u7684\u706f" in text
    assert stub not in text


def test_alternatives_that_say_different_things_are_both_read(tmp_path: Path) -> None:
    other = " ".join(f"word{number}" for number in range(60))
    mail = several("multipart/alternative", ("text/plain", other), ("text/html", f"<p>{LONG}"))
    assert LONG in read(tmp_path, mail)
    assert other in read(tmp_path, mail)


CALENDAR = (
    "BEGIN:VCALENDAR\r\nPRODID:-//x//EN\r\nBEGIN:VTIMEZONE\r\nTZID:Berlin\r\nDTSTART:19700101T020000"
    "\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\n"
    "SUMMARY;LANGUAGE=en:Lamp\r\n  review\\, first\r\n"
    'DTSTART;TZID="Berlin:x":20260304T093000\r\nLOCATION:Tower\r\n'
    'ORGANIZER;CN="Mina H":MAILTO:m@x.org\r\n'
    "DESCRIPTION:Bring oil.\\nAnd wicks.\r\nBEGIN:VALARM\r\nDESCRIPTION:Reminder\r\nEND:VALARM\r\n"
    "END:VEVENT\r\nEND:VCALENDAR"
)


def test_an_invitation_is_read_once(tmp_path: Path) -> None:
    shown = calendar_text(CALENDAR)
    assert shown.splitlines() == [
        "Lamp review, first", "Start: 2026-03-04 09:30", "Location: Tower",
        "Organizer: Mina H <m@x.org>", "Bring oil.", "And wicks.",
    ]  # fmt: skip
    calendar = ("text/calendar; method=REQUEST", CALENDAR)
    attached = ('application/ics; name="invite.ics"', CALENDAR)
    inner = several("multipart/alternative", ("text/plain", "You are invited."), calendar)
    for mail in (inner, several("multipart/mixed", calendar, attached)):
        assert read(tmp_path, mail).count("Bring oil.") == 1
    assert "You are invited." in read(tmp_path, inner)


@pytest.mark.parametrize("kind", ["delivery-status", "disposition-notification", "feedback-report"])
def test_reports_are_read(tmp_path: Path, kind: str) -> None:
    status = (
        "Reporting-MTA: dns; mx\r\n\r\nFinal-Recipient: rfc822; mina@example.org\r\nStatus: 5.1"
    )
    fields = status if kind == "delivery-status" else status.replace("\r\n\r\n", "\r\n")
    mail = several("multipart/report", ("text/plain", "Not sent."), (f"message/{kind}", fields))
    assert "Final-Recipient: rfc822; mina@example.org" in read(tmp_path, mail)


@pytest.mark.parametrize(
    "head",
    ["text/x-patch", "text/x-diff; name=a.patch\r\nContent-Disposition: inline; filename=a.patch",
     "text/markdown", "text/x-unheard-of", "text/rfc822-headers",
     "text/x-patch; name=a.unheard\r\nContent-Disposition: attachment; filename=a.unheard",
     "application/octet-stream; name=a.diff\r\nContent-Disposition: attachment; filename=a.diff"],
)  # fmt: skip
def test_parts_of_text_are_read_whatever_they_are_called(tmp_path: Path, head: str) -> None:
    mail = several("multipart/mixed", ("text/plain", "See below."), (head, "+ the lamp burns oil"))
    assert "the lamp burns oil" in read(tmp_path, mail)


@pytest.mark.parametrize("kind", ["text/css", "text/javascript"])
def test_style_and_programs_are_not_read(tmp_path: Path, kind: str) -> None:
    mail = several("multipart/mixed", ("text/plain", "See below."), (kind, "body { lamp: oil }"))
    assert "oil" not in read(tmp_path, mail)


def test_enriched_text_has_no_commands() -> None:
    source = "<bold>Lamps</bold> burn\r\noil <<here>.\r\n\r\n<color><param>red</param>Red</color>"
    assert enriched_text(source) == "Lamps burn oil <here>.\nRed"


@pytest.mark.parametrize(
    ("text", "delete", "shown"),
    [
        ("The goose \r\nberry came.", True, "The gooseberry came."),
        ("The lamp \r\nburns.\r\n\r\nOil.", False, "The lamp burns.\n\nOil."),
        ("> a \n> b\n>> c \nd", False, "> a b\n>> c \nd"),
        ("End \n-- \nMina", False, "End \n-- \nMina"),
        (" From x \ny", False, "From x y"),
    ],
)
def test_lines_that_a_program_broke_are_joined(text: str, *, delete: bool, shown: str) -> None:
    assert unflowed(text, delete=delete) == shown


def test_what_follows_the_mail_in_an_emlx_file_is_no_text(tmp_path: Path) -> None:
    mail = f"{HEAD}\r\nThe lamp burns.\r\n".encode()
    trailer = b"<?xml version='1.0'?><plist><dict><key>flags</key></dict></plist>\n"
    text = read(tmp_path, b"%-10d\n" % len(mail) + mail + trailer)
    assert text.endswith("The lamp burns.")


@pytest.mark.parametrize(
    ("head", "subject"),
    [
        ("Subject: Договор на поставку\r\n".encode("cp1251"), "Договор на поставку"),
        ("Subject: Größe\r\n".encode(), "Größe"),
        ("Subject: 見積書\r\n".encode("iso2022_jp"), "見積書"),
        ("Subject: Größe =?utf-8?q?f=C3=BCr?= alle\r\n".encode("cp1252"), "Größefür alle"),
    ],
)
def test_headers_in_bytes_of_their_own(tmp_path: Path, head: bytes, subject: str) -> None:
    text = read(tmp_path, b"From: a@example.org\r\n" + head + b"\r\nWords.\r\n")
    assert text.splitlines()[0].replace(" ", "") == subject.replace(" ", "")


def test_headers_are_in_the_encoding_of_the_body(tmp_path: Path) -> None:
    for charset in ("koi8-r", "windows-1251", "iso-8859-5"):
        text = f"Subject: Мир\r\nContent-Type: text/plain; charset={charset}\r\n\r\nПривет, мир."
        lines = read(tmp_path, text.encode(charset)).splitlines()
        assert (lines[0], lines[-1]) == ("Мир", "Привет, мир.")


BORDER = "From mina@example.org Tue Mar  4 10:00:00 2025\n"


def mails(folder: Path, text: str) -> list[str]:
    path = folder / "a.mbox"
    path.write_text(text)
    return [page.text for page in open_mailbox(path, None, Limits()).pages()]


@pytest.mark.parametrize(
    "line",
    ["From June 1999 to May 2001 the works were closed.", "From 2019 on, see below: 2020",
     "From here on it is 10:00 in March 2024", "From: is no field 2024"],
)  # fmt: skip
def test_a_sentence_that_begins_with_from_is_no_border(tmp_path: Path, line: str) -> None:
    text = (
        f"{BORDER}Subject: One\n\nFirst.\n\n{line}\nMore words.\n\n{BORDER}Subject: Two\n\nEnd.\n"
    )
    first, second = mails(tmp_path, text)
    assert line in first
    assert "More words." in first
    assert "Two" in second


@pytest.mark.parametrize(
    "border",
    [BORDER, "From - Tue Mar 04 10:00:00 2025\n", "From ???@??? Tue Mar 04 10:00:00 2025\n",
     "From 18@xxx Tue Mar 04 10:00:00 +0000 2025\n", "From MAILER-DAEMON 2025-03-04 10:00\n"],
)  # fmt: skip
@pytest.mark.parametrize("gap", ["\n", ""])
def test_borders_of_several_programs(tmp_path: Path, border: str, gap: str) -> None:
    found = mails(tmp_path, f"{border}Subject: One\n\nFirst.\n{gap}{border}Subject: Two\n\nEnd.\n")
    lenient = "Mar" not in border and not gap
    assert len(found) == (1 if lenient else 2)


def test_a_signature_of_openpgp_is_no_text(tmp_path: Path) -> None:
    around = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{}\n-----BEGIN PGP SIGNATURE-----\n"
    )
    body = around.format("The contract stands.") + "\niQEzBAEBCAAdFiEE\n=abcd\n{}\nBye.\n"
    text = read(tmp_path, "Subject: deed\n\n" + body.format("-----END PGP SIGNATURE-----"))
    assert "The contract stands." in text
    assert "Bye." in text
    assert not any(sign in text for sign in ("PGP", "SHA256", "iQEz"))
