"""Code that runs in a process of its own, as what confines a process cannot be undone."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

# Tells the name of the error that an action ends with, or "done".
TOLD = """
import errno, os, socket, sys

def told(action):
    try:
        action()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"
"""


def run(code: str, *arguments: object, keep: Collection[int] = ()) -> str:
    """Run some code that must not fail, and give what it prints; ``keep`` are open descriptors."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, pass_fds=keep)
    assert done.returncode == 0, done.stderr
    return done.stdout
