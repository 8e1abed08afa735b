"""The render child as a process: what it answers, what it survives, and when it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pymupdf
import pytest

from indexer.api.errors import LecternError, WorldError
from indexer.api.pages import (
    DocumentSource,
    GetImage,
    GetLetters,
    GetMarks,
    GetOutline,
    GetSizes,
    GetText,
    Open,
    OpenedPages,
    Rest,
)
from indexer.api.types import BlockKind, OutlineEntry
from indexer.config import Limits
from indexer.confine.process import CHILD_ARGUMENT
from indexer.extract.document import PAGE_JOINT
from indexer.extract.pdf.reader import open_source
from indexer.render.pdf import MAX_IMAGE_BYTES
from tests.corpora import BENCH, needs_corpus
from tests.fuzz.ole import ole_file
from tests.fuzz.samples import SENTENCE, docx
from tests.integration.rendering import ROOT, Asker, render_child
from tests.unit.extract.pdfs import PROSE, box, raw_pdf, save, text_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.api.pages import PageRequest

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture(scope="module")
def ask() -> Iterator[Asker]:
    with render_child() as asker:
        yield asker


@pytest.fixture
def tale(tmp_path: Path) -> Path:
    return save(tmp_path / "tale.pdf", *(box(72, 90, 540, 700, f"{n}: {PROSE}") for n in range(5)))


def code_of(ask: Asker, request: PageRequest[Any]) -> str:
    with pytest.raises(LecternError) as caught:
        ask(request)
    return caught.value.code


def test_opening_tells_the_shape_of_a_document(ask: Asker, tmp_path: Path) -> None:
    document = pymupdf.open()
    for size in ((300, 400), (400, 300), (300, 400)):
        document.new_page(width=size[0], height=size[1])
    document[2].set_rotation(90)
    document[1].set_cropbox(pymupdf.Rect(10, 20, 110, 220))
    document.set_page_labels([{"startpage": 0, "style": "r"}])
    document.set_toc([[1, "One", 1], [2, "Two", 3]])
    path = tmp_path / "a.pdf"
    document.save(path)
    opened, _ = ask(Open(DocumentSource(path), page=3))
    assert opened.format == "pdf"
    assert opened.pages == OpenedPages(
        count=3,
        page=3,
        size=(400, 300),
        sizes=((300, 400), (100, 200), (400, 300)),
        labels=("i", "ii", "iii"),
        outlined=True,
    )
    assert ask(GetOutline(DocumentSource(path)))[0] == (
        OutlineEntry(1, "One", 1),
        OutlineEntry(2, "Two", 3),
    )
    assert ask(GetSizes(DocumentSource(path), first=2, count=9))[0].sizes == (
        (100, 200),
        (400, 300),
    )


def test_bands_of_a_page_are_the_page(ask: Asker, tale: Path) -> None:
    whole, data = ask(GetImage(DocumentSource(tale), page=2, width=701))
    assert whole.columns in (701, 702)
    rows = [data[i : i + whole.stride] for i in range(0, len(data), whole.stride)]
    assert len(rows) == whole.rows == whole.height
    for top, count in ((0, 100), (100, 333), (433, 0)):
        band, part = ask(GetImage(DocumentSource(tale), page=2, width=701, top=top, rows=count))
        assert band.top in (top, top - 1)
        last = band.top + band.rows
        assert part == b"".join(rows[band.top : last])


def test_an_image_that_fits_no_message_is_refused(ask: Asker, tale: Path) -> None:
    assert code_of(ask, GetImage(DocumentSource(tale), page=1, width=8_000)) == "bad_request"
    found, data = ask(GetImage(DocumentSource(tale), page=1, width=8_000, top=5_000, rows=500))
    assert (found.rows, len(data)) == (500, 500 * found.stride)
    assert len(data) < MAX_IMAGE_BYTES


def test_letters_are_those_of_extraction(ask: Asker, tale: Path) -> None:
    pages = [page.text for page in open_source(tale, None, Limits()).pages()]
    for number, expected in enumerate(pages, 1):
        text, boxes = ask.letters(tale, number)
        assert text == expected
        for character, (x0, y0, x1, y1) in zip(text, boxes, strict=True):
            placed = x1 > x0 and y1 > y0
            assert placed or character.isspace()


def test_text_formats_come_as_their_canonical_text(ask: Asker, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# Títle 🕯️\n\nBody.\n" * 10, encoding="utf-8")
    assert ask(Open(DocumentSource(path)))[0].pages is None
    found, data = ask(GetText(DocumentSource(path), start=0, end=0, room=100_000))
    assert data.decode() == path.read_text(encoding="utf-8")
    assert (found.offset, found.more, found.pages) == (0, False, (0,))
    heading, body = (each for each in found.blocks[:3] if each.kind is not BlockKind.FURNITURE)
    text = data.decode()
    assert (text[heading.start : heading.end], heading.kind) == ("Títle 🕯️", BlockKind.HEADING)
    assert (text[body.start : body.end], body.kind) == ("Body.", BlockKind.PARAGRAPH)
    assert code_of(ask, GetImage(DocumentSource(path), page=1, width=10)) == "bad_request"


def test_a_file_that_changes_is_opened_again(ask: Asker, tmp_path: Path) -> None:
    path = save(tmp_path / "a.pdf", text_at((72, 72, "before")))
    first, _ = ask(Open(DocumentSource(path)))
    assert ask.letters(path, 1)[0] == "before"
    save(tmp_path / "b.pdf", text_at((72, 72, "after")), text_at((72, 72, "more"))).rename(path)
    again, _ = ask(Open(DocumentSource(path)))
    assert (ask.letters(path, 1)[0], again.pages and again.pages.count) == ("after", 2)
    assert first.stamp != again.stamp


def test_a_password_opens_what_it_should(ask: Asker, tmp_path: Path) -> None:
    path = save(
        tmp_path / "a.pdf", text_at((72, 72, "secret")),
        encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="door", owner_pw="owner",
    )  # fmt: skip
    assert code_of(ask, Open(DocumentSource(path))) == "needs_password"
    wrong, right = (DocumentSource(path, "", password) for password in ("wrong", "door"))
    assert code_of(ask, Open(wrong)) == "needs_password"
    assert ask(Open(right))[0].pages is not None
    assert code_of(ask, Open(DocumentSource(path))) == "needs_password"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty"),
        (b"%PDF-1.7 and nothing else", "unreadable"),
        (b"PK\x03\x04 a zip", "unsupported"),
        (
            raw_pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[]/Count 0>>"]),
            "unreadable",
        ),
    ],
)
def test_failures_have_codes(ask: Asker, tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(content)
    assert code_of(ask, Open(DocumentSource(path))) == code
    assert code_of(ask, Open(DocumentSource(tmp_path / "nowhere.pdf"))) == "vanished"


@pytest.mark.parametrize(
    "header",
    [
        {"type": "dance"},
        {"type": "get_image", "page": "one", "width": 5},
        {"type": "get_image", "page": 1, "width": 0},
        {"type": "get_image", "page": 1, "width": 100, "top": 999},
        {"type": "get_text", "room": 5},
        {"type": "get_marks", "page": 1, "last": 1, "text": "a", "spans": [["x"]]},
    ],
)
def test_requests_that_make_no_sense(ask: Asker, tale: Path, header: dict[str, Any]) -> None:
    with pytest.raises(WorldError) as caught:
        ask.send({"source": {"path": str(tale)}, **header})
    assert caught.value.code == "bad_request"


def test_a_page_that_is_not_there(ask: Asker, tale: Path) -> None:
    assert code_of(ask, GetImage(DocumentSource(tale), page=6, width=100)) == "unreadable"
    assert code_of(ask, GetLetters(DocumentSource(tale), page=0)) == "unreadable"


def test_a_passage_that_is_gone_is_not_found(ask: Asker, tale: Path) -> None:
    found, _ = ask(
        GetMarks(DocumentSource(tale), page=1, last=1, text="Never said.", start=0, spans=((0, 5),))
    )
    assert not found.found
    assert found.spans == ()


def test_counting_far_comes_in_slices(ask: Asker, tmp_path: Path) -> None:
    pages = 1600
    path = save(tmp_path / "a.pdf", *([box(72, 90, 540, 700, PROSE)] * pages))
    one = ask.letters(path, 1)[0]
    sentence = one[: one.index(".") + 1]
    doubled = save(
        tmp_path / "b.pdf",
        *([box(72, 90, 540, 700, PROSE)] * (pages - 1)),
        text_at((72, 72, "Again."), (72, 200, "Again.")),
    )
    start = (pages - 1) * len(one + PAGE_JOINT) + len("Again.\n")
    request = GetMarks(DocumentSource(doubled), pages, pages, "Again.", start, ((0, 6),))
    asked = 0
    while True:
        found, _ = ask(request)
        asked += 1
        if not found.pending:
            break
    assert sentence in one
    assert asked > 1
    assert found.spans[0][0].y0 > 150


def test_resting_lets_go_of_the_files(ask: Asker, tale: Path) -> None:
    ask(Open(DocumentSource(tale)))
    if sys.platform == "linux":
        assert tale in open_files(ask.process.pid)
    ask(Rest())
    if sys.platform == "linux":
        assert tale not in open_files(ask.process.pid)


def open_files(pid: int) -> set[Path]:
    """What a render child has open, and what the readers have that it started."""
    child = psutil.Process(pid)
    found = [file for each in (child, *child.children()) for file in each.open_files()]
    return {Path(file.path) for file in found}


def test_names_that_are_not_utf8(ask: Asker, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt"))
    try:
        path.write_text("coffee")
    except OSError:
        pytest.skip("this file system knows UTF-8 only")
    assert ask(GetText(DocumentSource(path), start=0, end=0, room=9))[1] == b"coffee"


def test_it_has_the_priority_of_a_window() -> None:
    with render_child() as ask:
        assert psutil.Process(ask.process.pid).nice() == psutil.Process().nice()


def test_it_ends_when_the_pipe_is_closed() -> None:
    with render_child() as ask:
        assert ask.process.stdin is not None
        ask.process.stdin.close()
        assert ask.process.wait(60) == 0


@linux_only
def test_it_ends_when_the_window_is_killed(tmp_path: Path) -> None:
    code = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-P', '-m', 'indexer.render.child',"
        " f'--engine={os.getpid()}'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "child.stdout.read(8)\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    # The pipe's writing end is kept open here too, so that only the signal can tell the child.
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment
    ) as window:
        assert window.stdout is not None
        child = psutil.Process(int(window.stdout.readline()))
        window.send_signal(signal.SIGKILL)
        window.wait()
        child.wait(60)


@linux_only
def test_absurd_pages_cost_an_error_and_no_memory(tmp_path: Path) -> None:
    picture = b"/Type/XObject/Subtype/Image/Width 60000/Height 60000/BitsPerComponent 8"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        (
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
            b"/Resources<</XObject<</X 5 0 R>>>>>>"
        ),
        b"<</Length 25>>\nstream\n612 0 0 792 0 0 cm /X Do  \nendstream",
        b"<<" + picture + b"/ColorSpace/DeviceRGB/Length 4>>\nstream\nabcd\nendstream",
    ]
    path = tmp_path / "a.pdf"
    path.write_bytes(raw_pdf(objects))
    with render_child("--address-space=2147483648") as ask:
        try:
            ask(GetImage(DocumentSource(path), page=1, width=800))
        except WorldError as error:
            assert error.code in {"unreadable", "out_of_memory"}  # noqa: PT017  # or an image
        assert psutil.Process(ask.process.pid).memory_info().rss < 700 * 1024**2


@needs_corpus
@pytest.mark.corpus
def test_hard_files_never_end_the_child(ask: Asker) -> None:
    files = sorted((BENCH / "hard-files").iterdir())
    for path in files:
        try:
            opened, _ = ask(Open(DocumentSource(path)))
            if opened.pages is not None:
                ask(GetImage(DocumentSource(path), page=1, width=400))
                ask.letters(path, 1)
            else:
                ask(GetText(DocumentSource(path), start=0, end=0, room=10_000))
        except WorldError as error:
            assert error.code in {  # noqa: PT017  # or an image
                "unreadable", "needs_password", "empty", "unsupported", "too_large",
                "out_of_memory", "bad_request", "no_text", "needs_libreoffice",
            }, path  # fmt: skip


def test_the_frozen_program_can_be_it() -> None:
    started = [sys.executable, "-m", "app", CHILD_ARGUMENT, "indexer.render.child"]
    with subprocess.Popen(
        started, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    ) as process:
        Asker(process)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0


CONVERTS = """
made = pathlib.Path(sys.argv[sys.argv.index("--outdir") + 1])
made.mkdir()
(made / "document.docx").write_bytes(bytes.fromhex({converted!r}))
"""


@linux_only
def test_a_confined_preview_may_start_what_converts_a_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "soffice"
    program.write_text(
        f"#!{sys.executable}\nimport sys, pathlib\n{CONVERTS.format(converted=docx().hex())}"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    document = tmp_path / "a.doc"
    document.write_bytes(ole_file({"WordDocument": b"words"}))
    with render_child() as own:
        for _ in range(2):
            _part, text = own(GetText(DocumentSource(document), 0, 10, 1_000))
            assert text.decode() == SENTENCE
