"""Reads spoilt files in real extraction children, and says what should never have happened."""

from __future__ import annotations

import random
import time
import zlib
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from indexer.api.errors import LecternError
from indexer.config import Limits
from indexer.extract.process.sandbox import ExtractionChild
from tests.fuzz.mutate import mutate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from indexer.api.types import Passage

# A reader that dies, hangs or raises what is no outcome is a mistake of ours, and so is to blame
# the drive for a damage inside the file.
FINDINGS = frozenset({"internal", "child_died", "out_of_time", "out_of_memory", "read_error"})
# Small, so that what has no end is found out soon.
LIMITS = Limits(
    unpacked_bytes=64 * 1024**2,
    elements=2_000_000,
    characters=8 * 1024**2,
)
# MuPDF's table of the objects of a PDF is as long as the highest number of one, which damage can
# raise to 8 million: 611 MB. So only what needs more than this is a finding.
MOST_MEMORY = replace(LIMITS, resident_bytes=1024**3)


@dataclass
class Report:
    """How spoilt files ended, and those that ended as none should."""

    outcomes: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    slowest: str = ""


def run(
    files: Mapping[str, bytes],
    folder: Path,
    seed: int,
    more: Callable[[int], bool],
) -> Report:
    """Spoil each file in turn, round after round.

    Args:
        files: Valid files by name.
        folder: Where spoilt ones are written; those with findings stay there.
        seed: Of the first round; the next has the next.
        more: Asked before each round.
    """
    report = Report()
    with ExtractionChild(LIMITS) as child:
        rounds = 0
        while more(rounds):
            for name, data in files.items():
                chance = random.Random(seed + rounds * 1_000_003 + zlib.crc32(name.encode()))
                _try(child, folder, f"{seed}-{rounds}-{name}", mutate(data, chance), report)
            rounds += 1
    return report


def _try(child: ExtractionChild, folder: Path, name: str, data: bytes, report: Report) -> None:
    path = folder / name
    path.write_bytes(data)
    begun = time.monotonic()
    code = outcome(child, path)
    seconds = time.monotonic() - begun
    report.outcomes[code.partition(":")[0]] += 1
    if seconds > report.slowest_s:
        report.slowest_s, report.slowest = seconds, name
    if code.partition(":")[0] in FINDINGS and not _fits(code, path):
        report.findings.append(f"{name}: {code}")
    else:
        path.unlink()


def _fits(code: str, path: Path) -> bool:
    """Whether the reader ended at its limit of memory, and the file stays under ``MOST_MEMORY``."""
    if not code.startswith("out_of_memory"):
        return False
    with ExtractionChild(MOST_MEMORY) as child:
        return not outcome(child, path).startswith("out_of_memory")


def outcome(child: ExtractionChild, path: Path) -> str:
    """Read a file and return how that ended, with the reason where there is one."""
    before, repeats = 0, False
    try:
        for group in child.extract(path, "", None, lambda _info: True):
            for passage in group:
                if passage.char_start < before and not repeats:
                    before, repeats = 0, True  # running heads and the like come last
                check(passage, before)
                before = passage.char_end
    except LecternError as error:
        return f"{error.code}: {error.message}"
    return "indexed"


def check(passage: Passage, before: int) -> None:
    """The offsets of a passage are those of its text, and it begins after the one before."""
    assert before <= passage.char_start < passage.char_end
    assert len(passage.text) == passage.char_end - passage.char_start
    assert 1 <= passage.page_first <= passage.page_last
    for starts, text in ((passage.text_starts, passage.text), (passage.view_starts, passage.view)):
        assert list(starts) == sorted(set(starts))
        assert starts[0] == 0
        assert starts[-1] < len(text)
