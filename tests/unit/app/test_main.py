"""The program can be its own extraction child, as a frozen one must be."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, BinaryIO, cast

from indexer.api.protocol import Hello, check_hello, read_frame
from indexer.config import Limits
from indexer.extract.process.process import FROZEN_ARGUMENT, command

if TYPE_CHECKING:
    from pathlib import Path


def test_the_frozen_command_line_starts_a_child(tmp_path: Path) -> None:
    plain = command(Limits(), str(tmp_path))
    arguments = plain[plain.index("-m") + 2 :]
    started = [sys.executable, "-m", "app", FROZEN_ARGUMENT, *arguments]
    with subprocess.Popen(started, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        frame = read_frame(cast("BinaryIO", child.stdout))
        assert frame is not None
        assert check_hello(frame[0], Hello).role == "extract"
        assert child.stdin is not None
        child.stdin.close()
        assert child.wait() == 0
