"""``python -m tests.trust``: watch every kind of process for two minutes (``make trust``)."""

from __future__ import annotations

import argparse
import sys
import tempfile
from importlib import metadata
from pathlib import Path

from tests.trust.tracing import is_available
from tests.trust.watched import World, watch
from tests.ui.engines import make_home


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0, help="for each process")
    parser.add_argument("--python", default="", help="folder of another onnxruntime")
    parser.add_argument("--together", action="store_true", help="all at once, which is quicker")
    options = parser.parse_args()
    if not is_available():
        sys.exit("strace is not installed (apt-get install strace)")
    path = [options.python] if options.python else None
    flavours = [
        f"{each.metadata['Name']} {each.version}"
        for each in (metadata.distributions(path=path) if path else metadata.distributions())
        if each.metadata["Name"].startswith("onnxruntime")
    ]
    print(f"{', '.join(flavours)}, {options.seconds:.0f} s each", flush=True)
    with tempfile.TemporaryDirectory(prefix="trust-") as folder:
        world = World(
            make_home(Path(folder, "home")), Path(folder), options.seconds, options.python
        )
        world.make()
        found = watch(world, together=options.together)
    for name, broken in found.items():
        print(
            f"{name:8}  {'nothing left' if not broken else ''}", *broken, sep="\n  " * bool(broken)
        )
    return int(any(found.values()))


if __name__ == "__main__":
    sys.exit(main())
