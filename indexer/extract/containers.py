"""Detects the format of a zip or OLE file by the names of its parts.

It must not know how formats are read.
"""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

from indexer.api.errors import WorldError
from indexer.api.formats import FORMATS, OLE_MAGIC, ZIP_MAGIC
from indexer.extract.office.package import MAX_DIRECTORY_BYTES, directory_bytes, zip_errors

if TYPE_CHECKING:
    from pathlib import Path

_FOLDERS = {known.inside: known.name for known in FORMATS if known.inside.endswith("/")}
_MIMETYPES = {
    known.inside.encode(): known.name
    for known in FORMATS
    if known.magic == ZIP_MAGIC and known.inside and known.inside not in _FOLDERS
}
_STREAMS = {
    "EncryptedPackage": "encrypted",
    **{known.inside: known.name for known in FORMATS if known.magic == OLE_MAGIC},
    "Book": "xls",  # of Excel 5
}


def inside_zip(path: Path, head: bytes, promised: str) -> str:
    """Return the format of a zip file, "" for a plain archive.

    Args:
        path: The file.
        head: Its first bytes.
        promised: The format of its extension. It is returned if the file is too damaged to tell,
            so that the reader can report what is wrong.
    """
    # In EPUB and OpenDocument the first part is the media type, uncompressed.
    if head[30:38] == b"mimetype":
        for name, form in _MIMETYPES.items():
            if head[38:].startswith(name):
                return form
    try:
        with path.open("rb") as file, zip_errors():
            if directory_bytes(file, path.stat().st_size) > MAX_DIRECTORY_BYTES:
                return promised
            container = zipfile.ZipFile(file)
            names = set(container.namelist())
            if "mimetype" in names and container.getinfo("mimetype").file_size < 200:
                return _MIMETYPES.get(container.read("mimetype").strip(), "")
    except WorldError:
        return promised
    if "[Content_Types].xml" in names:
        for folder, form in _FOLDERS.items():
            if any(name.startswith(folder) for name in names):
                return form
    return "epub" if "META-INF/container.xml" in names else ""


def inside_ole(path: Path, promised: str) -> str:
    """Return the format of an OLE file, "" if it is unknown.

    An ``encrypted`` package has any of the newer office formats inside.

    Args:
        path: The file.
        promised: As for ``inside_zip``.
    """
    import olefile

    try:
        with path.open("rb") as file, olefile.OleFileIO(file) as container:
            for stream, form in _STREAMS.items():
                if container.exists(stream):
                    return form
    except Exception:  # noqa: BLE001  # olefile raises many types for damaged files
        return promised
    return ""
