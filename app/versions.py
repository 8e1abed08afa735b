"""The versions of installed packages."""

from __future__ import annotations

import importlib.metadata

LIBRARIES = ("lancedb", "pymupdf", "tokenizers", "numpy")


def version(package: str) -> str:
    """Return the version of an installed package, "" if it is not there."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
