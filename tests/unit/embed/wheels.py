"""Wheels of the tiny test model."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.embed.models import ModelRecord


def write_wheel(record: ModelRecord, source: Path, folder: Path) -> Path:
    """Pack the files of a model from ``source`` into an installable wheel."""
    package = record.package
    stem = f"{package.name.replace('-', '_')}-{package.version}"
    info = f"{stem}.dist-info"
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{stem}-py3-none-any.whl"
    names = [file.member for file in package.files]
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in package.files:
            archive.write(source / file.name, file.member)
        archive.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {package.name}\nVersion: {package.version}\n",
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in names))
    return wheel
