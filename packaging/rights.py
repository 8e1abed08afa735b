"""The licences of libraries that come from Debian's packages and not from wheels.

It finds the package of a library, and makes the package's entry in the bill of materials. It must
not know what the libraries are for.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from command import run

if TYPE_CHECKING:
    from collections.abc import Iterable

_COPYRIGHT = "/usr/share/doc/{}/copyright"


def packages_of(libraries: Iterable[str]) -> dict[str, str]:
    """Return the names and versions of the installed packages that own some libraries.

    Args:
        libraries: File names, such as ``libz.so.1``; unknown ones are left out.
    """
    patterns = [f"*/{name}" for name in libraries]
    owned = run("sh", "-c", 'dpkg-query -S "$@" 2>/dev/null || true', "sh", *patterns, capture=True)
    names = sorted({line.split(":")[0] for line in owned.splitlines() if ": /" in line})
    listed = run("dpkg-query", "-W", "-f", "${Package} ${Version}\n", *names, capture=True)
    versions = dict(line.split() for line in listed.splitlines())
    return {name: versions[name] for name in names if Path(_COPYRIGHT.format(name)).exists()}


def component(name: str, version: str) -> dict[str, Any]:
    """Return the entry of a package, with the text of its copyright file."""
    text = Path(_COPYRIGHT.format(name)).read_text("utf-8", "replace")
    named = sorted(set(re.findall(r"^License: *(\S.*)$", text, re.MULTILINE)))
    return {
        "type": "library",
        "name": name,
        "version": version,
        "purl": f"pkg:deb/debian/{name}@{version}",
        "licenses": [
            {"license": {"name": ", ".join(named) or "see its text", "text": {"content": text}}}
        ],
    }
