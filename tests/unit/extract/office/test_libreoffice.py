"""Office files from before 2007: running LibreOffice, and its failures."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from indexer.api.errors import WorldError
from indexer.config import Limits
from indexer.extract.office.libreoffice import find_program, open_source
from tests.fuzz.ole import ole_file
from tests.fuzz.samples import SENTENCE, docx
from tests.locked import word, workbook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DOC = ole_file({"WordDocument": b"old words"})
needs_scripts = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script")


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "a.doc"
    path.write_bytes(DOC)
    return path


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A replacement of LibreOffice in PATH, and a temporary folder."""
    folder = tmp_path / "bin"
    folder.mkdir()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    yield folder / "soffice"
    assert list(temporary.iterdir()) == []


def replacement_text(path: Path, body: str) -> None:
    path.write_text(f"#!{sys.executable}\nimport sys, os, time, pathlib, subprocess\n{body}")
    path.chmod(0o755)


CONVERTS = """
made = pathlib.Path(sys.argv[sys.argv.index("--outdir") + 1])
made.mkdir()
assert pathlib.Path(sys.argv[-1]).read_bytes() == pathlib.Path({source!r}).read_bytes()
assert sys.argv[sys.argv.index("--convert-to") + 1] == "docx"
profile = next(a for a in sys.argv if a.startswith("-env:UserInstallation=file:///"))
assert "MacroSecurityLevel" in pathlib.Path(profile.partition("file://")[2],
                                            "user/registrymodifications.xcu").read_text()
(made / "document.docx").write_bytes(bytes.fromhex({converted!r}))
"""


@needs_scripts
def test_the_converted_file_is_read(program: Path, document: Path) -> None:
    replacement_text(program, CONVERTS.format(source=str(document), converted=docx().hex()))
    source = open_source(document, None, Limits())
    assert [page.text for page in source.pages()] == [SENTENCE]
    assert source.metadata.title == "Nights at the Harbour"
    source.close()


def _dead(pid: int) -> bool:
    """Whether a process has ended, or is a zombie."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


@pytest.mark.slow
@needs_scripts
def test_a_program_that_hangs_is_killed_with_what_it_started(
    program: Path, document: Path, tmp_path: Path
) -> None:
    told = tmp_path / "pids"
    replacement_text(
        program,
        "inner = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"pathlib.Path({str(told)!r}).write_text(f'{{os.getpid()}} {{inner.pid}}')\n"
        "time.sleep(600)\n",
    )
    begun = time.monotonic()
    with pytest.raises(WorldError) as caught:
        open_source(document, None, Limits(silence_s=2.5))
    assert caught.value.code == "out_of_time"
    assert time.monotonic() - begun < 30
    outer, inner = map(int, told.read_text().split())
    assert _dead(outer)
    deadline = time.monotonic() + 30  # it is a grandchild, which ``wait`` does not cover
    while not _dead(inner):
        assert time.monotonic() < deadline


@needs_scripts
def test_a_document_that_libreoffice_cannot_convert_is_reported(
    program: Path, document: Path
) -> None:
    replacement_text(program, "sys.exit(1)")
    with pytest.raises(WorldError) as caught:
        open_source(document, None, Limits())
    assert caught.value.code == "unreadable"


def test_without_libreoffice_the_error_says_to_install_it(
    document: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("indexer.extract.office.libreoffice._PLACES", {})
    with pytest.raises(WorldError) as caught:
        open_source(document, None, Limits())
    assert caught.value.code == "needs_libreoffice"
    assert "LibreOffice" in caught.value.next_step


def made_old(name: str, content: bytes, folder: Path) -> Path:
    """A document converted to the format of before 2007 by LibreOffice."""
    (folder / name).write_bytes(content)
    profile = (folder / "profile").as_uri()
    command = [find_program(), f"-env:UserInstallation={profile}", "--headless", "--convert-to"]
    old = (folder / name).with_suffix(Path(name).suffix[:-1])
    subprocess.run(
        [*command, old.suffix[1:], "--outdir", str(folder), str(folder / name)],
        check=True,
        capture_output=True,
    )
    return old


@pytest.mark.skipif(not find_program(), reason="LibreOffice is not installed")
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("name", "content"), [("a.docx", word), ("a.xlsx", workbook)])
def test_the_real_program_converts(
    tmp_path: Path, name: str, content: Callable[[str], bytes]
) -> None:
    source = open_source(made_old(name, content(SENTENCE), tmp_path), None, Limits())
    try:
        assert SENTENCE in "\n".join(page.text for page in source.pages())
    finally:
        source.close()
