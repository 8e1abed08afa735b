"""Mails with attachments, written by hand."""

from __future__ import annotations

import base64


def part(name: str, data: bytes, kind: str = "application/octet-stream", more: str = "") -> bytes:
    """A part of a mail that is attached; ``more`` are lines of its head, each with its end."""
    head = (
        f'Content-Type: {kind}; name="{name}"\r\nContent-Disposition: attachment; '
        f'filename="{name}"\r\n{more}Content-Transfer-Encoding: base64\r\n\r\n'
    )
    return head.encode() + base64.encodebytes(data)


def forwarded(mail: bytes) -> bytes:
    """A part that is a mail."""
    return b"Content-Type: message/rfc822\r\n\r\n" + mail


def mail(
    *parts: bytes, subject: str = "Outer", body: str = "Own words.", border: str = "b"
) -> bytes:
    """A mail of a plain body and parts; mails inside need another border."""
    head = (
        f"From: mina@example.org\r\nSubject: {subject}\r\nContent-Type: multipart/mixed; "
        f"boundary={border}\r\n\r\n--{border}\r\nContent-Type: text/plain\r\n\r\n{body}\r\n"
    )
    middle = b"".join(f"--{border}\r\n".encode() + each + b"\r\n" for each in parts)
    return head.encode() + middle + f"--{border}--\r\n".encode()
