"""Answers of an engine at rest, to be changed with ``msgspec.structs.replace``."""

from __future__ import annotations

from typing import Any

from msgspec.structs import asdict

from indexer.api.answers import Document, Estimate
from indexer.api.phrases import Note
from indexer.api.progress import Progress, Step
from indexer.api.status import Activity, RootStatus, Running, ScannedPagesStatus, Speed, Status
from indexer.api.types import FileState

IDLE = Activity(
    running=None, pages_per_second=0.0, changes=0, device="CPU",
    device_notes=(Note("device_only"),), speed=Speed.NORMAL, paused=False, reason="",
    embedded_share=1.0, pending=0, set_aside=0,
)  # fmt: skip
EMPTY = Status(
    **{**asdict(IDLE), "device_notes": ()},
    library="/lib", bytes=0, tables={}, roots=(), files={}, documents=0, pages=0, passages=0,
    model="", precision="", space="", previous=None, languages=(),
    scanned_pages=ScannedPagesStatus(0, 0, 0, "", (), ""), connections=(),
    free_bytes=5_000_000_000,
)  # fmt: skip
NOTHING = Estimate(
    files=0, bytes=0, formats={}, left_out={}, known=0, pages=0, seconds_words=0.0,
    seconds_meaning=0.0, measured=False,
)  # fmt: skip
UNTITLED = Document(
    path="/a", root="/", file="a", title="", author="", created="", language="", pages=0,
    format="", size=0, mtime_ns=0, state=FileState.INDEXED, code="", bad_pages=(),
)  # fmt: skip


def running(step: Step, **progress: Any) -> Running:
    return Running("index", Progress(step, **progress))


def root(path: str, files: int = 1, **more: Any) -> RootStatus:
    given: dict[str, Any] = {"states": {}, "bytes": 0, "patterns": (), "offline": False, **more}
    return RootStatus(path, files, **given)
