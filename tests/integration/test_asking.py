"""Questions about a library and its files, asked of a whole engine: estimates, coverage, places."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pymupdf
import pytest
from msgspec.structs import replace

from indexer.api.errors import Cancelled, WorldError
from indexer.api.progress import CancelToken
from indexer.api.requests import (
    EstimateIndex,
    GetActivity,
    GetDocument,
    Index,
    ListFiles,
    Order,
    Retry,
    Search,
    SetPatterns,
    Unlock,
)
from indexer.api.types import SEARCHABLE_STATES, FileState
from tests.integration import corpus
from tests.integration.world import World, quoted, search, states
from tests.locked import locked as encrypted
from tests.locked import word

if TYPE_CHECKING:
    from indexer.api.answers import Estimate
    from indexer.engine.engine import Engine

OPENS = "the open sea"


@pytest.fixture
def world(indexed: World, tmp_path: Path) -> World:
    """A library to change, of documents to change."""
    return indexed.move(tmp_path)


def estimate(engine: Engine, *paths: Path) -> Estimate:
    return engine.call(EstimateIndex(tuple(paths)))


def test_an_estimate_writes_nothing_and_counts_what_will_be_read(
    indexed: World, tmp_path: Path
) -> None:
    world = replace(indexed, library=tmp_path / "library")
    with world.engine() as engine:
        before = estimate(engine, world.documents)
        assert engine.catalog.roots.all() == []
        assert engine.call(ListFiles()).total == 0
        assert before.known == 0
        assert before.measured is False
        formats = before.formats
        assert formats["pdf"].files == 3
        assert before.files == sum(one.files for one in formats.values())
        assert before.bytes == sum(one.bytes for one in formats.values())
        world.index(engine)
        seen = engine.call(ListFiles()).total
        left_out = before.left_out
        assert seen == before.files + sum(left_out.values())


def test_an_estimate_counts_as_if_there_were_other_patterns(indexed: World, opened: Engine) -> None:
    def counts(patterns: tuple[str, ...] | None) -> tuple[int, int]:
        told = opened.call(EstimateIndex((indexed.documents,), patterns))
        return told.known, sum(told.left_out.values())

    known, left_out = counts(None)
    fewer, more = counts(("*.pdf",))
    assert fewer < known
    assert known + left_out == fewer + more
    assert opened.call(SetPatterns(indexed.documents, None)) == (), "nothing was changed"


def test_an_estimate_knows_what_was_read_and_at_what_rate(world: World, engine: Engine) -> None:
    again = estimate(engine, world.documents)
    assert (again.files, again.pages, again.seconds_meaning) == (0, 0, 0.0)
    left_out = again.left_out
    assert again.known == engine.call(ListFiles()).total - sum(left_out.values()) > 5
    corpus.make_tiny_files(world.documents / "more", 100)
    more = estimate(engine, world.documents / "more")
    assert (more.files, more.pages, more.known) == (100, 100, 0)
    one = estimate(engine, world.documents / "more" / corpus.tiny_name(3))
    assert one.files == 1
    world.index(engine)
    # A hundred pages say how fast this machine is.
    corpus.make_tiny_files(world.documents / "last", 10)
    measured = estimate(engine, world.documents / "last")
    assert measured.measured is True
    assert 0 < measured.seconds_words <= measured.seconds_meaning


def test_an_estimate_can_be_cancelled_and_needs_a_place(indexed: World, opened: Engine) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        opened.call(EstimateIndex((indexed.documents,)), token=token)
    with pytest.raises(WorldError) as caught:
        estimate(opened, indexed.documents / "nowhere")
    assert caught.value.code == "path_missing"


def test_the_coverage_comes_in_any_order_and_is_narrowed(indexed: World, opened: Engine) -> None:
    rows = {str(order): opened.call(ListFiles(order=order)).files for order in Order}
    paths = sorted(row.path for row in rows["path"])
    for order, listed in rows.items():
        assert sorted(row.path for row in listed) == paths, order
    assert [row.path for row in rows["path"]] == sorted(
        paths,
        key=os.path.split,
    )
    sizes = [row.size for row in rows["size"]]
    read = [row.state in SEARCHABLE_STATES for row in rows["read"]]
    assert read == sorted(read, reverse=True), "what has no text was not read"
    assert sizes == sorted(sizes, reverse=True)
    times = [row.mtime_ns for row in rows["modified"]]
    assert times == sorted(times, reverse=True)
    titles = [row.title.lower() for row in rows["title"]]
    assert "of tides" in titles
    assert titles == sorted(titles, key=lambda title: (not title, title)), "those without are last"
    kinds = [row.state for row in rows["state"]]
    assert kinds == sorted(kinds)
    part = opened.call(ListFiles(offset=2, limit=3, order=Order.SIZE)).files
    assert part == rows["size"][2:5]
    assert opened.call(ListFiles()).total == len(paths)
    assert opened.call(ListFiles(FileState.EMPTY)).total == 1
    assert opened.call(ListFiles(text="REPORTS one")).total == 1
    (named,) = opened.call(ListFiles(root=indexed.documents, text="reports ONE")).files
    assert named.file == "reports/one.pdf"
    assert opened.call(ListFiles(text="no such file")).total == 0
    with pytest.raises(WorldError) as caught:
        opened.call(ListFiles(root=indexed.library))
    assert caught.value.code == "not_a_root"


def test_files_come_by_their_names(indexed: World, opened: Engine) -> None:
    listed = opened.call(ListFiles(offset=0, limit=1000, order=Order.NAME)).files
    names = [row.file.rpartition("/")[2].lower() for row in listed]
    assert names == sorted(names)
    assert len({row.file for row in listed if "/" in row.file}) > 1


def test_a_file_is_listed_once_whether_it_or_its_folder_was_added_first(world: World) -> None:
    def listed(engine: Engine) -> list[str]:
        return [row.path for row in engine.call(ListFiles(offset=0, limit=10_000)).files]

    with world.engine() as engine:
        world.index(engine)
        everything = listed(engine)
        file = next(path for path in everything if states(engine)[Path(path).name] == "indexed")
        world.index(engine, Path(file))
        assert listed(engine) == everything
        assert len(engine.catalog.roots.all()) == 1
    alone = replace(world, library=world.library.with_name("other"))
    with alone.engine() as engine:
        alone.index(engine, Path(file))
        alone.index(engine)
        alone.index(engine)
        assert sorted(listed(engine)) == sorted(everything)


def test_a_document_is_described(indexed: World, opened: Engine) -> None:
    report = opened.call(GetDocument(indexed.documents / "reports" / "one.pdf"))
    assert report.title == "Report One"
    assert (report.pages, report.format, report.state) == (4, "pdf", "indexed")
    assert report.file == "reports/one.pdf"
    broken = opened.call(GetDocument(indexed.documents / "junk.pdf"))
    assert (broken.state, broken.code, broken.title) == (
        "unreadable", "unreadable", "junk.pdf",
    )  # fmt: skip
    with pytest.raises(WorldError) as caught:
        opened.call(GetDocument(indexed.documents / "nowhere.txt"))
    assert caught.value.code == "not_a_root"


def test_a_hit_says_what_is_known_of_its_file(indexed: World, opened: Engine) -> None:
    (hit,) = search(opened, '"zephyr clause"', 1)
    assert (hit.format, hit.modified_ns) == (
        "text",
        (indexed.documents / "long.txt").stat().st_mtime_ns,
    )
    assert [hit.text[first:last] for first, last in hit.marks] == ["zephyr clause"]
    for hit in opened.call(Search("tides kalo", 20, full_text=False)).hits:
        assert hit.marks[0] == hit.best
        assert len(hit.marks) == len(set(hit.marks)) <= 3
        for first, last in hit.marks:
            assert hit.text[first:last].strip() == hit.text[first:last] != ""


def test_a_search_stays_inside_one_document(indexed: World, opened: Engine) -> None:
    inside = f'in:"{indexed.documents / "reports" / "one.pdf"}"'
    assert {hit.file for hit in search(opened, f"{inside} kalo", 20)} == {"reports/one.pdf"}
    outside = {hit.file for hit in search(opened, f"-{inside} kalo", 20)}
    assert outside
    assert "reports/one.pdf" not in outside
    assert search(opened, f'in:"{indexed.documents / "nowhere.pdf"}" kalo') == ()


@pytest.mark.parametrize("kind", ["pdf", "docx"])
def test_a_password_opens_a_document_and_is_kept_nowhere(
    world: World, engine: Engine, kind: str
) -> None:
    copied = f"notes/copy of it.{kind}"
    locked, copy = world.documents / f"locked.{kind}", world.documents / copied
    if kind == "pdf":
        _lock(world.documents / "reports" / "one.pdf", locked)
    else:
        locked.write_bytes(encrypted(word("The lamp burns."), OPENS))
    shutil.copy(locked, copy)
    world.index(engine)
    assert states(engine)[locked.name] == "needs_password"
    assert engine.call(Unlock(locked, "water")) == 2
    world.index(engine)
    assert states(engine)[locked.name] == "wrong_password"
    assert engine.call(ListFiles(FileState.NEEDS_PASSWORD)).total == 2
    assert engine.call(Unlock(copy, OPENS)) == 2
    world.index(engine)
    assert states(engine)[locked.name] == states(engine)[copied] == "indexed"
    for file in world.library.rglob("*"):
        assert not file.is_file() or OPENS.encode() not in file.read_bytes()
    with pytest.raises(WorldError) as caught:
        engine.call(Unlock(world.documents / "nowhere.pdf", "x"))
    assert caught.value.code == "not_a_root"


def test_what_failed_is_read_again_when_asked_for(world: World, engine: Engine) -> None:
    junk = world.documents / "junk.pdf"
    before = junk.stat()
    good = (world.documents / "reports" / "two.pdf").read_bytes()
    junk.write_bytes(good)
    os.truncate(junk, before.st_size) if len(good) < before.st_size else None
    os.utime(junk, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert engine.call(Retry((world.documents / "reports",))) == 0
    assert engine.call(Retry((junk,))) == 1
    assert engine.call(GetActivity()).pending == 1
    summary = engine.call(Index(scan=False))
    assert summary.files_seen == 0
    assert states(engine)["junk.pdf"] == "indexed"
    failed = sum(
        engine.call(ListFiles(state)).total for state in (FileState.FAILED, FileState.UNREADABLE)
    )
    assert engine.call(Retry()) == failed
    with pytest.raises(WorldError) as caught:
        engine.call(Retry((world.library,)))
    assert caught.value.code == "not_a_root"


def test_patterns_of_a_root_are_kept_and_obeyed(world: World, engine: Engine) -> None:
    assert engine.call(SetPatterns(world.documents, None)) == ()
    assert engine.call(SetPatterns(world.documents, ("*.md", "short.*"))) == ("*.md", "short.*")
    world.index(engine)
    assert states(engine)["notes/book.md"] == "excluded"
    assert quoted(engine, "single xylophone") == ["notes/copy.txt"]
    with pytest.raises(WorldError) as caught:
        engine.call(SetPatterns(world.documents / "notes", ("*",)))
    assert caught.value.code == "not_a_root"


def _lock(source: Path, target: Path) -> None:
    import pymupdf

    with pymupdf.open(source) as document:
        document.save(
            target, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="the open sea", owner_pw="me"
        )


def test_a_mail_is_found_by_the_day_on_which_it_was_sent(world: World, engine: Engine) -> None:
    mail = "Subject: Keys\nDate: Mon, 04 Mar 2019 10:00:00 +0000\n\nThe keeper has the keys."
    (world.documents / "keys.eml").write_text(mail)
    world.index(engine)
    (hit,) = search(engine, "keeper keys date:2019-03-04", 1)
    assert (hit.file, hit.title) == ("keys.eml", "Keys")
    day = datetime.fromtimestamp(hit.dated_ns / 1e9, UTC).astimezone().date()
    assert day.isoformat() == "2019-03-04"
    assert "keys.eml" not in {found.file for found in search(engine, "keeper keys after:2020", 9)}


def test_a_hit_has_the_number_that_is_printed_on_its_page(world: World, engine: Engine) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "The keeper counts the oil lamps.")
    document.set_page_labels([{"startpage": 0, "style": "r", "firstpagenum": 4}])
    document.save(world.documents / "labelled.pdf")
    world.index(engine)
    for query in ('"keeper counts the oil"', "which lamps does the keeper count?"):
        hit = next(hit for hit in search(engine, query, 9) if hit.file == "labelled.pdf")
        assert (hit.page, hit.page_label) == (1, "iv")
    (other,) = search(engine, '"zephyr clause"', 1)
    assert other.page_label == ""


def test_a_page_is_found_by_the_number_that_is_printed_on_it(world: World, engine: Engine) -> None:
    document = pymupdf.open()
    for at, text in enumerate(["The keeper counts the lamps. ", "", "The keeper sells the oil. "]):
        document.new_page().insert_textbox((72, 72, 500, 700), text * 40 if text else "")
        assert document.page_count == at + 1
    document.set_page_labels([{"startpage": 0, "style": "r", "firstpagenum": 7}])
    document.save(world.documents / "labelled.pdf")
    world.index(engine)
    for query in ("page:vii", "lamps keeper page:VII", "what does the keeper count? page:vii"):
        hits = search(engine, query, 9)
        assert hits
        assert {(hit.file, hit.page, hit.page_label) for hit in hits} == {
            ("labelled.pdf", 1, "vii")
        }
    assert {hit.page for hit in search(engine, "keeper page:ix", 9)} == {3}
    assert search(engine, "page:viii", 9) == search(engine, "keeper page:viii", 9) == ()
    assert search(engine, '"zephyr clause" page:cover', 9) == ()
    for query in ("page:viii", "keeper page:lxx"):
        (note,) = engine.call(Search(query)).notes
        assert note.code == "page_nowhere"
    assert engine.call(Search("page:vii")).notes == ()


def test_each_mail_of_a_mailbox_has_its_own_date(world: World, engine: Engine) -> None:
    mails = (
        f"From a@example.org Fri Mar {day:02} 13:32:27 2024\nFrom: Anna <a@example.org>\n"
        f"Subject: Order {day}\nDate: Fri, {day:02} Mar 2024 13:32:27 +0000\n\n"
        f"Send {day} barrels of whale oil to the pier.\n\n"
        for day in range(1, 10)
    )
    (world.documents / "orders.mbox").write_text("".join(mails))
    world.index(engine)
    for query in ("date:2024-03-05", "whale oil date:2024-03-05", '"whale oil" date:2024-03-05'):
        (hit,) = (hit for hit in search(engine, query, 20) if hit.file == "orders.mbox")
        assert (hit.page, hit.heading_path) == (5, ("Order 5",))
        assert "Send 5 barrels" in hit.text
        assert datetime.fromtimestamp(hit.sent_ns / 1e9).astimezone().day == 5
    found = search(engine, '"whale oil" after:2024-03-08', 20)
    inside = [hit for hit in found if hit.file == "orders.mbox"]
    assert sorted(hit.page for hit in inside) == [8, 9]
    assert {hit.page_label for hit in inside} == {""}
    assert search(engine, '"whale oil" date:2024-03-11', 20) == ()
