"""Answers of an engine with nothing to say, for ``dataclasses.replace`` to fill in."""

from __future__ import annotations

from indexer.api.answers import RootStatus, ScanStatus, Speed, Status

ROOT = RootStatus(path="/a", files=0, states={}, bytes=0, patterns=(), offline=False)

STATUS = Status(
    library="/lib",
    bytes=0,
    tables={},
    roots=(),
    files={},
    documents=0,
    pages=0,
    passages=0,
    model="tiny",
    precision="fp32",
    space="tiny/1",
    changing=None,
    previous=None,
    rebuilding=False,
    embedded_share=1.0,
    device="CPU",
    device_notes=(),
    languages=(),
    running=None,
    scans=ScanStatus(0, 0, 0, "", (), "", ""),
    connections=(),
    free_bytes=5_000_000_000,
    speed=Speed.NORMAL,
    paused=False,
    reason="",
    pending=0,
    set_aside=0,
)
