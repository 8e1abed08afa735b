"""Documents, workers and object storage for tests of libraries of many shards."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.shards.build import BuildOptions
from tests.object_storage import MOTO, environment, new_bucket
from tests.tiny_model import TINY, install_tiny_model

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).resolve().parents[2]
READER = f"{TINY} fp32 1"
SUBJECTS = ("lease", "harbour", "engine", "orchard", "violin", "glacier", "market", "library")
QUESTIONS = (
    "who mends the roof of the harbour",
    "the engine of the orchard",
    '"number 3"',
    "violin market ext:txt",
    "glacier -lease",
    "when is the libary open",
)


def text(number: int) -> str:
    first, second = SUBJECTS[number % 8], SUBJECTS[number // 2 % 8]
    return "\n\n".join(
        f"This is number {number} on the {first}, part {part}. The keeper of the {second} mends "
        f"the roof on day {number * part}. Nobody but the {first} knows of the {second}."
        for part in range(1, 6)
    )


def make_documents(folder: Path) -> Path:
    (folder / "below").mkdir(parents=True)
    for number in range(12):
        name = f"{'below/' * (number % 2)}{SUBJECTS[number % 8]}-{number}"
        (folder / f"{name}.txt").write_text(text(number))
    (folder / "copy.txt").write_text(text(3))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    return folder


def make_options(folder: Path, monkeypatch: pytest.MonkeyPatch) -> BuildOptions:
    """Options of two workers that have the tiny model, whose data is below a folder."""
    for name in ("DATA", "CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(folder / name.lower()))
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.delenv("LECTERN_LIBRARY", raising=False)
    install_tiny_model(folder / "data" / "lectern" / "models")
    (folder / "config" / "lectern").mkdir(parents=True)
    (folder / "config" / "lectern" / "settings.json").write_text('{"min_free_gb": 0}')
    command = (sys.executable, "-m", "app", "--offline")
    scratch = str(folder / "scratch")
    return BuildOptions(command, READER, workers=2, scratch=scratch, shard_bytes=3_000)


def new_uri(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, folder: Path) -> str:
    """A URI of S3, whose server the environment names; of a folder where moto is not there."""
    if not MOTO.is_dir():
        return f"file://{folder / 'published'}"
    port: int = request.getfixturevalue("s3")
    for name, value in environment(port).items():
        monkeypatch.setenv(name, value)
    return f"s3://{new_bucket(port)}/archive"
