"""Archives: each document is a page, damage is contained, and limits hold."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import lzma
import random
import stat
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.config import Limits
from indexer.extract import registry
from indexer.extract.embedded import archive
from tests.mails import mail, part
from tests.unit.extract.reading import check

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from indexer.extract.base import RawPage

WORDS = b"The ferry leaves the northern harbour at dawn."
MORE = b"# Prices\n\nA ticket costs seven crowns."
FILES = {"trip/plan.txt": WORDS, "trip/prices.md": MORE, "trip/photo.jpg": b"\xff\xd8\xff" * 20}
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "tar": bytes,
    "tgz": gzip.compress,
    "tar.bz2": bz2.compress,
    "tar.xz": lzma.compress,
}


def zipped(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return made.getvalue()


def tarred(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as packed:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            packed.addfile(info, io.BytesIO(data))
    return made.getvalue()


def pages(path: Path, limits: Limits | None = None, password: str | None = None) -> list[RawPage]:
    source = registry.opener(registry.identify(path))(path, password, limits or Limits())
    try:
        read = list(source.pages())
        check(read, source.page_count)
        return read
    finally:
        source.close()


def headings(read: list[RawPage]) -> list[str]:
    return [
        page.text[block.start : block.end]
        for page in read
        for block in page.blocks
        if block.level == 1
    ]


def test_each_document_in_a_zip_is_a_page_under_its_path(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(FILES))
    read = pages(path)
    assert headings(read) == ["trip/plan.txt", "trip/prices.md"]
    assert [page.number for page in read] == [1, 2]
    assert WORDS.decode() in read[0].text
    assert "seven crowns" in read[1].text
    assert not any(page.unreadable for page in read)


@pytest.mark.parametrize("form", PACKERS)
def test_each_document_in_a_tar_of_any_compression_is_a_page(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"a.{form}"
    path.write_bytes(PACKERS[form](tarred(FILES)))
    assert headings(pages(path)) == ["trip/plan.txt", "trip/prices.md"]


@pytest.mark.parametrize(("form", "pack"), [("gz", gzip.compress), ("xz", lzma.compress)])
def test_a_single_compressed_file_is_named_without_the_extension(
    tmp_path: Path, form: str, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / f"notes.txt.{form}"
    path.write_bytes(pack(WORDS * 30))
    read = pages(path)
    assert headings(read) == ["notes.txt"]
    assert WORDS.decode() in read[0].text


def test_an_unread_member_is_reported_and_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    broken = {"bad.docx": b"PK\x03\x04" + bytes(300), "old.wpd": b"WPC" * 10, **FILES}
    path.write_bytes(zipped({**broken, "program.exe": b"MZ" * 10, ".hidden.txt": b"hidden"}))
    read = pages(path)
    assert {page.part for page in read if page.unreadable} == {"bad.docx", "old.wpd"}
    assert headings(read) == ["trip/plan.txt", "trip/prices.md"]


def test_documents_in_archives_in_mails_in_archives(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    inner = zipped({"deep.txt": WORDS})
    path.write_bytes(zipped({"post/a.eml": mail(part("inner.zip", inner)), "b.zip": inner}))
    text = "\n".join(page.text for page in pages(path))
    assert text.count(WORDS.decode()) == 2
    assert "post/a.eml" in text


def test_the_nesting_of_archives_is_limited(tmp_path: Path) -> None:
    data = zipped({"deepest.txt": WORDS})
    for level in range(8):
        data = zipped({f"{level}.zip": data, f"{level}.txt": b"Level words here."})
    path = tmp_path / "a.zip"
    path.write_bytes(data)
    read = pages(path)
    text = "\n".join(page.text for page in read)
    assert "Level words" in text
    assert WORDS.decode() not in text
    assert "part_too_deep" in {page.unreadable for page in read}


@pytest.mark.parametrize("form", ["a.zip", "a.tgz"])
def test_unpacking_a_zip_bomb_ends_at_the_budget(tmp_path: Path, form: str) -> None:
    files = {"first.txt": WORDS, "bomb.txt": bytes(40 << 20), "last.txt": WORDS}
    path = tmp_path / form
    path.write_bytes(zipped(files) if form == "a.zip" else gzip.compress(tarred(files)))
    read = pages(path, Limits(unpacked_bytes=20 << 20))
    assert headings(read) == ["first.txt"]
    assert read[-1].unreadable == "unpacks_too_much"


def test_skipping_a_bomb_is_limited_too(tmp_path: Path) -> None:
    path = tmp_path / "a.tgz"
    path.write_bytes(
        gzip.compress(tarred({"a.txt": WORDS, "b.iso": bytes(60 << 20), "c.txt": WORDS}))
    )
    read = pages(path, Limits(unpacked_bytes=10 << 20))
    assert headings(read) == ["a.txt"]
    assert read[-1].unreadable == "unpacks_too_much"


def test_the_number_of_documents_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "_MAX_DOCUMENTS", 5)
    path = tmp_path / "a.zip"
    path.write_bytes(zipped({f"{number}.txt": WORDS for number in range(20)}))
    read = pages(path)
    assert len(headings(read)) == 5
    assert [page.number for page in read if page.unreadable] == [6, 6]


def test_paths_in_an_archive_are_not_written_to(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    named = {f"../../..{outside}": WORDS, str(outside): WORDS, "C:\\windows\\x.txt": WORDS}
    for name, data in (("a.zip", zipped(named)), ("a.tar", tarred(named))):
        path = tmp_path / name
        path.write_bytes(data)
        assert len(headings(pages(path))) == 3
    assert not outside.exists()


def test_links_and_devices_are_ignored(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as packed:
        for number, kind in enumerate((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE)):
            info = tarfile.TarInfo(f"{number}.txt")
            info.type, info.linkname = kind, "/etc/passwd"
            packed.addfile(info)
    with pytest.raises(WorldError) as caught:
        pages(path)
    assert caught.value.code == "empty"
    zipped_link = tmp_path / "a.zip"
    with zipfile.ZipFile(zipped_link, "w") as packed_too:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed_too.writestr(link, "/etc/passwd")
    with pytest.raises(WorldError) as caught:
        pages(zipped_link)
    assert caught.value.code == "empty"


def test_an_encrypted_archive_needs_its_password(tmp_path: Path) -> None:
    path = tmp_path / "locked.zip"
    path.write_bytes(LOCKED)
    right = "harbour"
    for password in (None, "wrong"):
        with pytest.raises(WorldError) as caught:
            pages(path, password=password)
        assert caught.value.code == "needs_password"
    assert WORDS.decode() in pages(path, password=right)[0].text


@pytest.mark.parametrize("form", ["a.zip", "a.tar", "a.tgz", "a.tar.xz", "a.txt.bz2"])
def test_half_an_archive_is_read_up_to_the_damage(tmp_path: Path, form: str) -> None:
    chance = random.Random(1)
    files = {f"{n}.txt": WORDS + base64.b64encode(chance.randbytes(900)) for n in range(9)}
    pack = PACKERS.get(form[2:], bz2.compress)
    whole = zipped(files) if form == "a.zip" else pack(tarred(files))
    path = tmp_path / form
    for kept in (len(whole) // 2 + 700, 600, 30):
        path.write_bytes(whole[:kept])
        try:
            read = pages(path)
        except WorldError as error:
            outcome = error.code
        else:
            outcome = "unreadable" if any(page.unreadable for page in read) else "whole"
        assert outcome in {"unreadable", "empty", "unsupported"}


# By Info-ZIP: trip.txt with the password "harbour".
LOCKED = base64.b64decode(
    "UEsDBBQACQAIAFYJdl1h94MZOQAAAC4AAAAIAAAAdHJpcC50eHS7FDsy9j1aK6pVPRZhVE/evzRDSZvRI06dZt0P"
    "5iIO0WQKRnSNhtDcWPVZXDsk6v8qICNHvITY8HNQSwcIYfeDGTkAAAAuAAAAUEsBAh4DFAAJAAgAVgl2XWH3gxk5"
    "AAAALgAAAAgAAAAAAAAAAQAAAKSBAAAAAHRyaXAudHh0UEsFBgAAAAABAAEANgAAAG8AAAAAAA=="
)
