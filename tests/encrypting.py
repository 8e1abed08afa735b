"""Encrypted libraries for tests: whether this machine can have them, and what lies on its disk."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.vault import mounting
from indexer.vault.place import place_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

PASSPHRASE = "correct horse of the harbour"
NOT_CONTENT = {"lock", "lock.json", "engine.json"}
needs_gocryptfs = pytest.mark.usefixtures("gocryptfs")


def why_no_encryption(folder: Path) -> str:
    """Say why no library can be encrypted here, by a try; "" if one can."""
    place = place_of(folder / "library")
    place.folder.mkdir()
    try:
        mounting.check_possible()
        mounting.make(place, PASSPHRASE)
        mounting.unlock(place, PASSPHRASE)
        mounting.lock(place)
    except WorldError as error:
        return error.message
    return ""


def planted_in(folder: Path, planted: Iterable[bytes]) -> list[str]:
    """Name what lies open on the disk: in names, in links and in every byte of every file."""
    wanted = [*planted]
    found = []
    for place, folders, names in os.walk(os.fsencode(folder)):
        for name in (*folders, *names):
            path = os.path.join(place, name)  # noqa: PTH118  # of bytes
            seen = name
            if os.path.islink(path):  # noqa: PTH114  # of bytes
                seen += os.readlink(path)  # noqa: PTH115  # of bytes
            elif os.path.isfile(path):  # noqa: PTH113  # of bytes
                with open(path, "rb") as file:  # noqa: PTH123  # of bytes
                    seen += file.read()
            found += [f"{os.fsdecode(path)}: {each!r}" for each in wanted if each in seen]
    return found


def content_of(library: Path) -> dict[str, str]:
    """The files of a library, each with a digest."""
    return {
        str(path.relative_to(library)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(library.rglob("*"))
        if path.is_file() and path.name not in NOT_CONTENT
    }
