"""Whatever is found in a folder has a clear outcome, and costs nothing that was there before."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.api.errors import WorldError
from indexer.pipeline.parts import BatchSizes
from tests.integration import corpus, killing, rights
from tests.integration.world import (
    World,
    indexed_texts,
    quoted,
    search,
    states,
)


@pytest.fixture(scope="module")
def kept(tiny_models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    texts = {"kept.txt": "A quince keeps until March."}
    return indexed_texts(tmp_path_factory.mktemp("kept"), tiny_models_dir, texts)


@pytest.fixture
def world(kept: World, tmp_path: Path) -> World:
    """A library whose document must never be lost."""
    return kept.move(tmp_path)


def outcome(world: World) -> dict[str, str]:
    """Index, see that nothing was lost, and give what became of each file but the first."""
    with world.engine() as engine:
        world.index(engine)
        assert quoted(engine, "quince keeps") == ["kept.txt"]
        assert engine.store.verify() == []
        return {file: state for file, state in states(engine).items() if file != "kept.txt"}


def test_a_path_that_does_not_exist(world: World) -> None:
    with world.engine() as engine:
        before = engine.catalog.roots.all()
        with pytest.raises(WorldError) as caught:
            world.index(engine, world.documents, world.documents / "nowhere")
        assert caught.value.code == "path_missing"
        assert "nowhere" in caught.value.message
        assert engine.catalog.roots.all() == before
    assert outcome(world) == {}


def test_what_may_not_be_read(world: World) -> None:
    prefix = rights.bound_by_permissions()
    closed = world.documents / "closed"
    closed.mkdir()
    (closed / "inner.txt").write_text("Hidden by its folder.")
    listed = world.documents / "listed"
    listed.mkdir()
    (listed / "inner.txt").write_text("Its name can be listed, and that is all.")
    (world.documents / "private.txt").write_text("Hidden by itself.")
    (world.documents / "public.txt").write_text("A medlar is for anyone.")
    try:
        closed.chmod(0o000)
        listed.chmod(0o400)
        (world.documents / "private.txt").chmod(0o000)
        with killing.start(world, prefix=prefix) as process:
            killing.finish(process)
    finally:
        closed.chmod(0o700)
        listed.chmod(0o700)
        (world.documents / "private.txt").chmod(0o600)
    with world.engine() as engine:
        assert states(engine) == {
            "closed": "path_denied",
            "kept.txt": "indexed",
            "listed/inner.txt": "path_denied",
            "private.txt": "path_denied",
            "public.txt": "indexed",
        }
    # Permission given, the next run reads them; the folder's own row makes way for its files.
    assert outcome(world) == {
        "closed/inner.txt": "indexed",
        "listed/inner.txt": "indexed",
        "private.txt": "indexed",
        "public.txt": "indexed",
    }


def test_a_root_that_may_not_be_read(world: World) -> None:
    prefix = rights.bound_by_permissions()
    world.documents.chmod(0o000)
    try:
        with killing.start(world, prefix=prefix) as process:
            assert "path_denied" in killing.finish(process, status=1)
    finally:
        world.documents.chmod(0o700)
    assert outcome(world) == {}


def test_links_that_lead_in_circles(world: World) -> None:
    folder = world.documents / "folder"
    folder.mkdir()
    (folder / "real.txt").write_text("Once and once only.")
    (folder / "up").symlink_to(world.documents, target_is_directory=True)
    (folder / "self").symlink_to(folder / "self")
    (world.documents / "also.txt").symlink_to(folder / "real.txt")
    (world.documents / "nowhere.txt").symlink_to(world.documents / "gone.txt")
    assert outcome(world) == {
        "also.txt": "symlink",
        "folder/real.txt": "indexed",
        "folder/self": "symlink",
        "folder/up": "symlink",
        "nowhere.txt": "symlink",
    }


@pytest.mark.skipif(sys.platform != "linux", reason="other systems insist on Unicode")
def test_names_that_are_no_utf_8(world: World) -> None:
    name = os.fsdecode(b"caf\xe9 \xff.txt")
    folder = world.documents / os.fsdecode(b"d\xe9p\xf4t")
    folder.mkdir()
    (folder / name).write_text("A pomelo in a strange place.")
    (folder / "line\nbreak.txt").write_text("A kumquat between two lines.")
    states_now = outcome(world)
    assert set(states_now.values()) == {"indexed"}
    with world.engine() as engine:
        (hit, *_) = search(engine, '"strange place"')
        assert os.fsencode(hit.path) == os.fsencode(folder / name)
        assert quoted(engine, "two lines") == [f"{folder.name}/line\nbreak.txt"]
        assert world.index(engine).work == (0, 0, 0)


@pytest.mark.parametrize("year", [1901, 2300])
def test_dates_of_other_centuries(world: World, year: int) -> None:
    """64 bits hold nanoseconds until 2262; some programs write any date into a file."""
    path = world.documents / "dated.txt"
    path.write_text("A note of another century.")
    seconds = (year - 1970) * 31_556_952
    os.utime(path, ns=(seconds * 10**9, seconds * 10**9))
    assert outcome(world) == {"dated.txt": "indexed"}
    with world.engine() as engine:
        assert world.index(engine).work == (0, 0, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not let us make such a folder")
def test_a_path_that_is_too_long_for_the_system(world: World) -> None:
    here = Path.cwd()
    try:
        os.chdir(world.documents)
        for _ in range(25):
            Path("x" * 200).mkdir()
            os.chdir("x" * 200)
        Path("deep.txt").write_text("Out of reach.")
    finally:
        os.chdir(here)
    try:
        assert list(outcome(world).values()) == ["read_error"]
    finally:
        shutil.rmtree(world.documents)


def test_a_file_that_changes_while_it_is_read(world: World) -> None:
    changing = world.documents / "changing.txt"
    changing.write_text("The first version.")
    with killing.stopped_at(world, "file-hashed:1") as process:
        changing.write_text("The second version, with a persimmon.")
        process.send_signal(signal.SIGCONT)
        killing.finish(process)
    with world.engine() as engine:
        # Neither version under the name of the other, and it is known to be unread.
        assert states(engine)["changing.txt"] == "changed_while_read"
        assert quoted(engine, "first version") == []
        assert quoted(engine, "second version") == []
    assert outcome(world) == {"changing.txt": "indexed"}
    with world.engine() as engine:
        assert quoted(engine, "second version") == ["changing.txt"]


def test_a_file_that_is_gone_when_its_turn_comes(world: World) -> None:
    (world.documents / "fleeting.txt").write_text("Here and gone.")
    with killing.stopped_at(world, "file-hashed:1") as process:
        (world.documents / "fleeting.txt").unlink()
        process.send_signal(signal.SIGCONT)
        killing.finish(process)
    with world.engine() as engine:
        assert states(engine)["fleeting.txt"] in {"vanished", "changed_while_read"}
    assert outcome(world) == {}


def test_nothing_and_far_too_much(world: World) -> None:
    (world.documents / "nothing.txt").touch()
    for name in ("huge.txt", "huge.pdf", "huge", "huge.md"):
        with (world.documents / name).open("wb") as file:
            file.write(b"It begins like a text.\n" * 1000)
            file.truncate(4 << 30)
    with world.engine() as engine:
        assert world.index(engine).read == 0  # reading them all would take half a minute
    assert outcome(world) == {
        "huge": "too_large",
        "huge.md": "too_large",
        "huge.pdf": "too_large",
        "huge.txt": "too_large",
        "nothing.txt": "empty",
    }


def test_what_is_not_what_its_name_says(world: World) -> None:
    documents = world.documents
    (documents / "junk.pdf").write_bytes(random.Random(1).randbytes(50_000))
    (documents / "zeros.pdf").write_bytes(bytes(5000))
    (documents / "text.pdf").write_text("This is no PDF but a note about a tamarind.\n" * 5)
    (documents / "folder.pdf").mkdir()
    (documents / "folder.pdf" / "inner.txt").write_text("In a folder with the name of a file.")
    (documents / "noise.txt").write_bytes(random.Random(2).randbytes(50_000))
    (documents / "archive.html").write_bytes(b"PK\x03\x04" + random.Random(3).randbytes(5000))
    expected = {
        "archive.html": "unsupported",
        "folder.pdf/inner.txt": "indexed",
        "junk.pdf": "unreadable",
        "noise.txt": "unsupported",
        "text.pdf": "unreadable",
        "zeros.pdf": "unreadable",
    }
    if sys.platform != "win32":
        os.mkfifo(documents / "pipe.txt")
        expected["pipe.txt"] = "special_file"
    assert outcome(world) == expected


def test_a_pipe_that_takes_the_place_of_a_file(world: World) -> None:
    """Opening a pipe that nobody writes to waits for ever, unless it is asked not to."""
    (world.documents / "swapped.txt").write_text("A file when it was listed.")
    with world.engine() as engine:
        (root,) = engine.catalog.roots.all()
    killing.kill_at(world, "file-hashed:1")
    (world.documents / "swapped.txt").unlink()
    os.mkfifo(world.documents / "swapped.txt")
    assert root.path == os.fsencode(world.documents)
    assert outcome(world) == {"swapped.txt": "special_file"}


def test_many_tiny_files(world: World) -> None:
    """A hundred thousand take minutes: ``python -m tests.benchmarks.tiny_files``."""
    count = 80
    corpus.make_tiny_files(world.documents, count)
    with world.engine(batches=BatchSizes(passages=32, vectors=16)) as engine:
        assert world.index(engine).work[0] == count
        assert set(states(engine).values()) == {"indexed"}
        assert quoted(engine, f"number {count - 1} of") == [corpus.tiny_name(count - 1)]
        assert world.index(engine).work == (0, 0, 0)


def test_a_whole_folder_goes_missing_in_the_middle(world: World) -> None:
    folder = world.documents / "folder"
    folder.mkdir()
    for number in range(20):
        (folder / f"{number}.txt").write_text(f"Note {number} on a loquat.")
    with killing.stopped_at(world, "document-begun:2") as process:
        shutil.rmtree(folder)
        process.send_signal(signal.SIGCONT)
        killing.finish(process)
    assert outcome(world) == {}


def test_the_command_line_says_it_in_a_sentence(world: World) -> None:
    command = [sys.executable, "-m", "app", "--library", str(world.library), "index", "nowhere"]
    done = subprocess.run(command, cwd=killing.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "There is nothing at" in done.stderr
    assert "[path_missing]" in done.stderr
