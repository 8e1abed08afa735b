"""``make confine-trace``: which system calls confined readers make, and which are refused.

Documents are read by an extraction child under strace. What a reader calls after it was confined is
counted by name; a call that its filter refused is listed with an example.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from indexer.api.errors import LecternError
from indexer.extract.process.sandbox import ExtractionChild
from tests.corpora import BENCH
from tests.trust.tracing import is_available

_CALL = re.compile(r"(\w+)\(.*\) += (-?\w+)(?: (E\w+))?")
# What a filter returns for calls that it does not allow (``indexer.confine.kernel``).
_REFUSED = {"EPERM", "ENOSYS", "ENOTTY", "EINVAL", "EAFNOSUPPORT", "ECONNREFUSED"}
_FOLDERS = ("hard-files", "people-files")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="*", help="instead of those of the benches")
    parser.add_argument("--read", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    files = options.files or [
        path for name in _FOLDERS for path in sorted((BENCH / name).rglob("*")) if path.is_file()
    ]
    if options.read:
        return _read(files)
    if not is_available() or not files:
        sys.exit("strace is not installed (apt-get install strace), or there are no files to read")
    with tempfile.TemporaryDirectory(prefix="calls-") as folder:
        traced = ["strace", "-ff", "-qq", "-e", "signal=none", "-o", f"{folder}/calls"]
        reading = [sys.executable, "-m", "tests.trust.calls", "--read", *map(str, files)]
        subprocess.run([*traced, *reading], check=True, env=dict(os.environ))
        made, refused = _counted(sorted(Path(folder).iterdir()))
    for name, number in made.most_common():
        print(f"{number:9} {name}")
    for name, line in refused.items():
        print(f"refused   {name}: {line}")
    return 0


def _read(files: list[Path]) -> int:
    with ExtractionChild() as child:
        for path in files:
            try:
                for _passages in child.extract(path, "", None, lambda _info: True):
                    pass
            except LecternError as error:
                print(f"{path.name}: {error.code}", file=sys.stderr)
    return 0


def _counted(traces: list[Path]) -> tuple[Counter[str], dict[str, str]]:
    made: Counter[str] = Counter()
    refused: dict[str, str] = {}
    for trace in traces:
        after_landlock = confined = False
        for line in trace.read_text(errors="replace").splitlines():
            if (found := _CALL.match(line)) is None:
                continue
            name, error = found[1], found[3]
            if confined:
                made[name] += 1
                if error in _REFUSED:
                    refused.setdefault(f"{name} {error}", line[:120])
            after_landlock = after_landlock or name == "landlock_restrict_self"
            confined = confined or (after_landlock and name == "seccomp")
    return made, refused


if __name__ == "__main__":
    sys.exit(main())
