"""Makes stand-ins: small libraries that replace others of which linked files use hardly anything.

A stand-in has the functions that the linked files name and the replaced library has.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from command import run

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

RETURN_NULL = "{ return 0; }"
# The body of functions that must never be called: it ends the program.
STOP = "{ __builtin_trap(); }"


def make_standin(library: Path, target: Path, users: Iterable[Path], body: str) -> None:
    """Compile a library that replaces another.

    Args:
        library: The library to replace.
        target: The file to write, which may be ``library``; files are linked with its name.
        users: The files that are linked with it.
        body: The body of every function, in C.

    Raises:
        SystemExit: If there is no C compiler.
    """
    found = re.findall(r" [TWi] (\w+)", run("nm", "-D", "--defined-only", library, capture=True))
    has, versions = set(found), defaultdict[str, set[str]](set)
    for path in users:
        named = run("nm", "-D", "--undefined-only", path, capture=True)
        for symbol, version in re.findall(r" U (\w+)(?:@(\w+))?", named):
            if symbol in has:
                versions[version].add(symbol)
    source, script = target.with_suffix(".c"), target.with_suffix(".map")
    symbols = sorted(set().union(*versions.values()))
    source.write_text("".join(f"void *{each}() {body}\n" for each in symbols), "utf-8")
    nodes = [f"{v} {{ {'; '.join(sorted(names))}; }};\n" for v, names in versions.items() if v]
    script.write_text("".join(nodes), "utf-8")
    options = [f"-Wl,--version-script={script}"] if nodes else []
    run("cc", "-shared", "-O", "-w", f"-Wl,-soname={target.name}", *options, "-o", target, source)
    source.unlink()
    script.unlink()
