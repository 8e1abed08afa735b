"""The extraction child as the engine uses it: a real process, and every way it can end."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pymupdf
import pytest

from indexer.errors import Cancelled, WorldError
from indexer.extract.base import Limits
from indexer.extract.sandbox import ExtractionChild
from tests.unit.extract.pdfs import PROSE, box, endless_page, save, text_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indexer.types import DocumentInfo, Passage

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


class Seen:
    """Says yes to every document, and remembers what it was told."""

    def __init__(self, *, wanted: bool = True) -> None:
        self.wanted = wanted
        self.infos: list[DocumentInfo] = []
        self.terms: list[Mapping[str, int]] = []

    def __call__(self, info: DocumentInfo, terms: Mapping[str, int]) -> bool:
        self.infos.append(info)
        self.terms.append(terms)
        return self.wanted


@pytest.fixture
def child() -> Iterator[ExtractionChild]:
    with ExtractionChild() as one:
        yield one


def read(
    child: ExtractionChild, path: Path, password: str | None = None
) -> tuple[DocumentInfo, list[Passage]]:
    seen = Seen()
    passages = [passage for group in child.extract(path, "", password, seen) for passage in group]
    return seen.infos[0], passages


def code_of(child: ExtractionChild, path: Path, password: str | None = None) -> str:
    with pytest.raises(WorldError) as caught:
        read(child, path, password)
    return caught.value.code


@pytest.fixture
def tale(tmp_path: Path) -> Path:
    """Six pages of prose with a running head and page numbers."""
    pages = []
    for n in range(1, 7):

        def draw(page: pymupdf.Page, n: int = n) -> None:
            text_at((72, 40, "A Keeper's Tale"), (300, 800, str(n)))(page)
            box(72, 90, 540, 700, f"Night {n * n}. {PROSE}")(page)

        pages.append(draw)
    return save(tmp_path / "tale.pdf", *pages)


def test_a_document_comes_out_as_passages(child: ExtractionChild, tale: Path) -> None:
    seen = Seen()
    passages = [p for group in child.extract(tale, "pdf", None, seen) for p in group]
    (info,) = seen.infos
    assert (info.format, info.pages, info.language) == ("pdf", 6, "en")
    assert seen.terms[0]["lamp"] == 6
    assert [p.ordinal for p in passages] == list(range(len(passages)))
    assert all(0 <= p.char_start < p.char_end <= info.characters for p in passages)
    assert all(len(p.text) == p.char_end - p.char_start for p in passages)
    views = " ".join(p.view for p in passages)
    assert "Keeper's Tale" not in views
    assert views.count("keeper climbed the narrow stair") == 6
    assert all(p.stems for p in passages)
    assert {p.page_first for p in passages} <= set(range(1, 7))


def test_the_same_bytes_give_the_same_identity(child: ExtractionChild, tale: Path) -> None:
    first, _ = read(child, tale)
    with ExtractionChild() as other:
        assert read(other, tale) == read(child, tale)
    assert first.text_id == read(child, tale)[0].text_id


def test_an_unwanted_document_is_not_cut(child: ExtractionChild, tale: Path) -> None:
    assert list(child.extract(tale, "", None, Seen(wanted=False))) == []
    assert read(child, tale)[1]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "Größe first.\r\n\r\nSecond — paragraph.\r\n".encode()),
        ("a.md", "# Lamp\n\nIt *burns* oil.\n\n- wick\n".encode("utf-8-sig")),
        ("a.txt", "Größe in two bytes a letter.\n".encode("utf-16")),
    ],
)
def test_offsets_count_in_the_decoded_file(
    child: ExtractionChild, tmp_path: Path, name: str, content: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    decoded = content.decode("utf-16" if b"\xff\xfe" in content else "utf-8-sig")
    for passage in read(child, path)[1]:
        assert decoded[passage.char_start : passage.char_end] == passage.text


def test_a_text_of_many_sections_keeps_its_offsets(child: ExtractionChild, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    text = "\r\n\r\n".join(f"Paragraph {i}. {PROSE}" for i in range(2_000))
    path.write_bytes(text.encode())
    info, passages = read(child, path)
    assert info.characters == len(text)
    assert info.pages == 1
    assert {p.page_first for p in passages} == {1}
    assert all(text[p.char_start : p.char_end] == p.text for p in passages)


@posix_only
def test_names_that_are_no_utf8_are_read(child: ExtractionChild, tmp_path: Path) -> None:
    path = Path(os.fsdecode(bytes(tmp_path) + b"/l\xe4mp\xff.txt"))
    path.write_text("It burns oil all night.")
    assert read(child, path)[1]


def test_a_password_opens(child: ExtractionChild, tmp_path: Path) -> None:
    path = save(
        tmp_path / "a.pdf",
        box(72, 72, 540, 400, PROSE),
        encryption=pymupdf.PDF_ENCRYPT_AES_256,
        user_pw="oil",
    )
    assert code_of(child, path) == "needs_password"
    assert code_of(child, path, "water") == "needs_password"
    assert read(child, path, "oil")[1]


def test_files_that_are_not_there_or_not_ours(child: ExtractionChild, tmp_path: Path) -> None:
    assert code_of(child, tmp_path / "gone.pdf") == "vanished"
    (tmp_path / "empty.pdf").touch()
    assert code_of(child, tmp_path / "empty.pdf") == "empty"
    (tmp_path / "a.txt").symlink_to(tmp_path / "a.txt")
    assert code_of(child, tmp_path / "a.txt") == "read_error"
    assert code_of(child, tmp_path) in ("read_error", "path_denied")


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
def test_a_file_one_may_not_read(child: ExtractionChild, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("secret")
    path.chmod(0)
    assert code_of(child, path) == "path_denied"
    path.chmod(stat.S_IRUSR)


@pytest.mark.parametrize("name", ["sparse.pdf", "sparse.txt", "sparse.html"])
def test_a_sparse_file_of_four_gigabytes_is_refused_at_once(
    child: ExtractionChild, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    with path.open("wb") as file:
        file.write(b"%PDF-1.7\n" if name.endswith("pdf") else b"some text\n")
        file.truncate(4 * 1024**3)
    assert code_of(child, path) == "too_large"


def test_a_file_that_changes_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(endless_page(pages=40, endless=41))

    def touch(page: int, pages: int) -> None:
        os.utime(path, ns=(1, 1))

    with ExtractionChild() as child, pytest.raises(WorldError) as caught:
        list(child.extract(path, "", None, Seen(), watch=touch))
    assert caught.value.code == "changed_while_read"


def test_scans_say_so(child: ExtractionChild, tmp_path: Path) -> None:
    path = save(tmp_path / "a.pdf", lambda page: page.draw_rect((10, 10, 99, 99), fill=(1, 0, 0)))
    assert code_of(child, path) == "no_text"


def test_a_page_that_never_ends_costs_that_page(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(endless_page(pages=5, endless=3))
    with ExtractionChild(Limits(silence_s=4.0)) as child:
        info, passages = read(child, path)
    assert info.bad_pages == (3,)
    assert "Page 4 has words" in " ".join(p.view for p in passages)


@linux_only
def test_memory_does_not_grow_with_the_pages(tmp_path: Path) -> None:
    peaks = []
    for pages in (50, 3_000):
        path = tmp_path / f"{pages}.pdf"
        path.write_bytes(endless_page(pages=pages, endless=0))
        with ExtractionChild() as child:
            assert read(child, path)[0].pages == pages
            status = Path(f"/proc/{child.pid}/status").read_text(encoding="ascii")
        peaks.append(int(status.partition("VmHWM:")[2].split()[0]) // 1024)
    few, many = peaks
    assert many < few + 40


@posix_only
def test_a_child_that_falls_silent_is_killed(tmp_path: Path, tale: Path) -> None:
    with ExtractionChild(Limits(silence_s=4.0)) as child:
        read(child, tale)
        pid = child.pid
        assert pid is not None

        def freeze(info: DocumentInfo, terms: Mapping[str, int]) -> bool:
            os.kill(pid, signal.SIGSTOP)
            return True

        with pytest.raises(WorldError) as caught:
            list(child.extract(tale, "", None, freeze))
        assert caught.value.code == "out_of_time"
        assert not psutil.pid_exists(pid)
        assert read(child, tale)[1]  # by a fresh one


@posix_only
def test_a_child_that_dies_costs_its_document_only(child: ExtractionChild, tale: Path) -> None:
    def shoot(info: DocumentInfo, terms: Mapping[str, int]) -> bool:
        assert child.pid is not None
        os.kill(child.pid, signal.SIGSEGV)
        return True

    with pytest.raises(WorldError) as caught:
        list(child.extract(tale, "", None, shoot))
    assert caught.value.code == "child_died"
    assert "SIGSEGV" in str(caught.value)
    assert read(child, tale)[1]


def test_a_child_that_grows_too_large_is_killed(tale: Path) -> None:
    with ExtractionChild(Limits(resident_bytes=30 * 1024**2)) as child:
        assert code_of(child, tale) == "out_of_memory"


def test_extraction_is_cancelled_from_another_thread(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(endless_page(pages=2, endless=1))
    with ExtractionChild() as child:
        killer = threading.Timer(1.0, child.kill)
        killer.start()
        with pytest.raises(Cancelled):
            list(child.extract(path, "", None, Seen()))
        killer.join()


def test_a_consumer_that_stops_early_leaves_a_usable_child(
    child: ExtractionChild, tale: Path
) -> None:
    passages = child.extract(tale, "", None, Seen())
    next(passages)
    passages.close()  # type: ignore[attr-defined]  # a generator
    assert read(child, tale)[1]


def test_closing_leaves_no_process_and_no_thread(tale: Path) -> None:
    before = set(threading.enumerate())
    child = ExtractionChild()
    read(child, tale)
    pid = child.pid
    child.close()
    assert pid is not None
    assert not psutil.pid_exists(pid)
    assert set(threading.enumerate()) == before


@posix_only
def test_the_child_is_polite(child: ExtractionChild, tale: Path) -> None:
    read(child, tale)
    process = psutil.Process(child.pid)
    assert process.nice() >= psutil.Process().nice() + 10
    assert os.getpgid(process.pid) != os.getpgid(0)


ENGINE = """
import os, sys
from pathlib import Path
from indexer.extract.sandbox import ExtractionChild

child = ExtractionChild()
def decide(info, terms):
    print(child.pid, flush=True)
    return True
path, endless = map(Path, sys.argv[1:])
for _ in child.extract(path, "", None, decide):
    pass
for _ in child.extract(endless, "", None, decide):
    pass
"""


@linux_only
def test_no_process_survives_an_engine_that_is_killed(tmp_path: Path, tale: Path) -> None:
    endless = tmp_path / "endless.pdf"
    endless.write_bytes(endless_page(pages=2, endless=1))
    command = [sys.executable, "-c", ENGINE, str(tale), str(endless)]
    root = Path(__file__).resolve().parents[2]
    engine = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root)
    assert engine.stdout is not None
    orphan = psutil.Process(int(engine.stdout.readline()))
    engine.kill()
    engine.wait()
    engine.stdout.close()
    orphan.wait(timeout=10)


def test_one_child_serves_many_documents(
    child: ExtractionChild, tale: Path, tmp_path: Path
) -> None:
    read(child, tale)
    pid = child.pid
    bad = tmp_path / "bad.pdf"
    bad.write_bytes(b"%PDF-1.4 nothing")
    for _ in range(5):
        assert code_of(child, bad) == "unreadable"
        read(child, tale)
    assert child.pid == pid
