"""Names in archives of old programs, which do not say in which encoding they are."""

from __future__ import annotations

import io
import tarfile
import zipfile
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from indexer.config import Limits
from indexer.extract.embedded.archive import open_source

if TYPE_CHECKING:
    from pathlib import Path


def texts(path: Path) -> str:
    with closing(open_source(path, None, Limits())) as source:
        return "\n".join(page.text for page in source.pages())


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("Übersicht Müller.txt", "cp437"), ("Übersicht Müller.txt", "cp850"),
        ("Договор.txt", "cp866"), ("合同文本.txt", "gbk"), ("表紙と契約書.txt", "cp932"),
        ("Účet Žižka.txt", "cp852"), ("계약서.txt", "cp949"), ("Größe.txt", "utf-8"),
    ],
)  # fmt: skip
def test_names_of_zip_files(tmp_path: Path, name: str, encoding: str) -> None:
    raw, packed = name.encode(encoding), io.BytesIO()
    holder = "x" * (len(raw) - 4) + ".txt"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(holder, "The lamp burns.")
    path = tmp_path / "old.zip"
    path.write_bytes(packed.getvalue().replace(holder.encode(), raw))
    assert texts(path) == f"{name}\nThe lamp burns."


@pytest.mark.parametrize("encoding", ["cp1251", "utf-8"])
def test_names_of_tar_files(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "old.tar"
    with tarfile.open(path, "w", encoding=encoding, format=tarfile.GNU_FORMAT) as archive:
        info = tarfile.TarInfo("Договор аренды.txt")
        info.size = 4
        archive.addfile(info, io.BytesIO(b"Lamp"))
    assert texts(path) == "Договор аренды.txt\nLamp"
