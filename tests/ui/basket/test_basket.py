"""What is in the basket stays there: its file, its order, its notes."""

from __future__ import annotations

import json
import stat
import sys
from typing import TYPE_CHECKING

import pytest

from indexer.api.codec import encode
from tests.ui.search.hits import hit
from ui.basket.basket import FILE_NAME, Basket, Kept
from ui.file_worker import FileWorker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

Open = "Callable[[], tuple[Basket, FileWorker]]"


@pytest.fixture
def begin(tmp_path: Path, qtbot: QtBot) -> Iterator[Callable[[], tuple[Basket, FileWorker]]]:
    """Makes a basket over the same folder, as another start of the window would."""
    made: list[FileWorker] = []

    def make() -> tuple[Basket, FileWorker]:
        worker = FileWorker()
        made.append(worker)
        return Basket(tmp_path / "person", worker, worker), worker

    yield make
    for worker in made:
        worker.close()
        worker.deleteLater()


def texts(basket: Basket) -> list[str]:
    return [kept.hit.path for kept in basket.kept]


def test_it_survives_a_restart(begin: Callable[[], tuple[Basket, FileWorker]]) -> None:
    basket, worker = begin()
    one, two = (basket.add_passage(hit(f"/d/{name}.pdf"), "rent") for name in "ab")
    assert one is not None
    assert two is not None
    assert basket.add_passage(hit("/d/a.pdf")) is None  # it is there already
    basket.move_passage(two.key, 0)
    basket.annotate(one.key, "Ask Jane\n\u05e9\u05dc\u05d5\u05dd \udc80")
    basket.flush()
    worker.close()
    if sys.platform != "win32":  # where a file has the rights of its folder
        assert stat.S_IMODE(basket.file.stat().st_mode) == 0o600
        assert stat.S_IMODE(basket.file.parent.stat().st_mode) == 0o700
    again, _ = begin()
    assert again.kept == basket.kept
    assert texts(again) == ["/d/b.pdf", "/d/a.pdf"]
    assert again.kept[1].query == "rent"


def test_what_was_emptied_last_survives_a_restart(
    begin: Callable[[], tuple[Basket, FileWorker]],
) -> None:
    basket, worker = begin()
    one = basket.add_passage(hit("/d/a.pdf"))
    assert one is not None
    basket.annotate(one.key, "Ask Jane")
    basket.empty()
    basket.add_passage(hit("/d/b.pdf"))
    worker.close()
    again, _ = begin()
    assert texts(again) == ["/d/b.pdf"]
    assert [(kept.hit.path, kept.note) for kept in again.last.entries] == [("/d/a.pdf", "Ask Jane")]


def test_two_windows_lose_nothing_of_each_other(
    begin: Callable[[], tuple[Basket, FileWorker]], qtbot: QtBot
) -> None:
    first, worker = begin()
    second, other = begin()
    first.add_passage(hit("/d/a.pdf"))
    worker.close()
    second.add_passage(hit("/d/b.pdf"))
    qtbot.waitUntil(lambda: len(second) == 2)
    other.close()
    assert sorted(texts(begin()[0])) == ["/d/a.pdf", "/d/b.pdf"]


def test_what_cannot_be_read_is_put_aside(
    begin: Callable[[], tuple[Basket, FileWorker]], tmp_path: Path
) -> None:
    file = tmp_path / "person" / FILE_NAME
    file.parent.mkdir()
    good = Kept.from_hit(hit())
    later = {"key": "later", "of": "a newer Lectern"}
    file.write_text(json.dumps({"passages": [encode(good) | {"stars": 5}, later], "view": "wide"}))
    basket, worker = begin()
    assert basket.kept == (good,)
    basket.add_passage(hit("/d/b.pdf"))
    worker.close()
    kept = json.loads(file.read_text())
    assert (kept["view"], kept["passages"][-1], kept["passages"][0]["stars"]) == ("wide", later, 5)
    file.write_bytes(b"\xff\x00 no JSON")
    basket, worker = begin()
    assert basket.kept == ()
    assert basket.set_aside is not None
    assert basket.set_aside.read_bytes() == b"\xff\x00 no JSON"
    basket.add_passage(hit())
    worker.close()
    assert len(begin()[0]) == 1


def test_nothing_is_written_over_what_can_neither_be_read_nor_moved(
    begin: Callable[[], tuple[Basket, FileWorker]], tmp_path: Path, qtbot: QtBot
) -> None:
    folder = tmp_path / "person"
    folder.mkdir()
    (folder / FILE_NAME).write_bytes(b"\xff")
    for number in range(1, 4):
        (folder / f"basket-unread-{number}.json").write_text("{}")
    basket, worker = begin()
    assert basket.set_aside == folder / "basket-unread-4.json"
    basket.file.mkdir()  # the system does not let it be read
    with qtbot.waitSignal(basket.trouble):
        basket.add_passage(hit())
    worker.close()


def test_what_is_typed_and_moved_in_two_windows_is_kept(
    begin: Callable[[], tuple[Basket, FileWorker]], qtbot: QtBot
) -> None:
    first, worker = begin()
    for name in "abc":
        first.add_passage(hit(f"/d/{name}.pdf"))
    worker.close()
    second, other = begin()
    one, two, three = second.kept
    first.annotate(one.key, "of the first")
    second.annotate(two.key, "of the second")
    first.remove_passage(three.key)
    first.flush()
    worker.close()
    second.move_passage(two.key, 0)
    second.flush()
    qtbot.waitUntil(lambda: len(second) == 2)
    other.close()
    assert [kept.note for kept in begin()[0].kept] == ["of the second", "of the first"]
