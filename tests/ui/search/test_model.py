"""The rows of the results, and their changes from one answer to the next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy

from indexer.api.types import FileState, Why
from tests.ui.search.hits import hit, many
from ui.search.describe import headings, pages
from ui.search.model import ROW_ROLE, ResultsModel
from ui.search.rows import ResultOrder, grouped, key_of

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def model() -> Iterator[ResultsModel]:
    made = ResultsModel()
    tester = QAbstractItemModelTester(
        made, QAbstractItemModelTester.FailureReportingMode.Fatal, made
    )
    yield made
    del tester


def titles(model: ResultsModel) -> list[str]:
    return [row.group.path if row.is_document else f"{row.hit.start}" for row in model.rows]


def test_a_document_heads_its_hits(model: ResultsModel) -> None:
    model.show_groups(grouped(many(2, 2)), same_query=False)
    assert titles(model) == ["/docs/report 0.pdf", "0", "100", "/docs/report 1.pdf", "0", "100"]
    assert not model.flags(model.index(0)) & Qt.ItemFlag.ItemIsSelectable
    assert model.flags(model.index(1)) & Qt.ItemFlag.ItemIsSelectable
    assert model.data(model.index(1), ROW_ROLE).hit == many(2, 2)[0]
    assert model.place(key_of(many(2, 2)[3])) == 5


def test_more_hits_keep_the_rows_that_are_there(model: ResultsModel) -> None:
    hits = many(20, 3)
    model.show_groups(grouped(hits[:20]), same_query=False)
    kept = QPersistentModelIndex(model.index(model.place(key_of(hits[7]))))
    resets = QSignalSpy(model.modelReset)
    model.show_groups(grouped([*hits, hit("/docs/new.txt")]), same_query=True)
    assert resets.count() == 0
    assert kept.isValid()
    assert model.data(kept, ROW_ROLE).hit == hits[7]
    assert len(model.rows) == 20 * 4 + 2
    assert model.data(model.index(0), ROW_ROLE).group.hits == tuple(hits[0:60:20])


def test_another_order_is_another_list(model: ResultsModel) -> None:
    hits = many(5)
    model.show_groups(grouped(hits), same_query=False)
    model.show_groups(grouped(hits, ResultOrder.NAME), same_query=True)
    model.show_groups(grouped(hits[::-1]), same_query=True)
    assert titles(model)[0] == "/docs/report 4.pdf"
    model.clear()
    assert model.rowCount() == 0
    model.show_groups((), same_query=True)


def test_rows_have_accessible_texts(model: ResultsModel) -> None:
    away = hit(state=FileState.OFFLINE, why=Why.MEANING, start=1100)
    model.show_groups(grouped([away, hit()]), same_query=False)
    spoken = [model.data(model.index(row), Qt.ItemDataRole.AccessibleTextRole) for row in (0, 1)]
    assert spoken[0].startswith("lease, 2 passage")
    assert "Offline" in spoken[0]
    assert str(Path("/docs")) in spoken[0]
    assert spoken[1] == (
        "p. 12. It rises with the index. Lease › Rent. Found by its meaning. A weaker match"
    )
    model.show_groups(grouped([hit(why=Why.MEANING, language="de")]), same_query=False)
    assert model.data(model.index(1), Qt.ItemDataRole.AccessibleTextRole).endswith(
        "Found by its meaning, in another language: Deutsch"
    )
    name = hit("/docs/scan.pdf", text="", why=Why.NAME, state=FileState.NO_TEXT, heading_path=())
    model.show_groups(grouped([name]), same_query=False)
    assert model.data(model.index(1)) == (
        "Its name matches; its text could not be read. Found by its name"
    )


@pytest.mark.parametrize(
    ("form", "first", "last", "said"),
    [
        ("pdf", 3, 3, "p. 3"), ("pdf", 3, 4, "p. 3"), ("", 3, 3, "p. 3"),
        ("text", 1, 1, ""), ("markdown", 1, 1, ""),
        ("pptx", 3, 3, "Slide 3"), ("pptx", 3, 4, "Slide 3"), ("epub", 2, 2, ""),
    ],
)  # fmt: skip
def test_a_hit_says_its_page_where_there_are_pages(
    form: str, first: int, last: int, said: str
) -> None:
    assert pages(hit(format=form, page=first, page_last=last)) == said


def test_a_printed_page_number_comes_before_that_of_the_sheet() -> None:
    assert pages(hit(format="pdf", page=6, page_label="iv")) == "p. iv (sheet 6)"


def test_a_hit_is_dragged_out_as_its_file_and_as_a_citation(model: ResultsModel) -> None:
    model.show_groups(grouped([hit(text="The rent is due.")]), same_query=False)
    head, one = model.index(0), model.index(1)
    assert not model.flags(head) & Qt.ItemFlag.ItemIsDragEnabled
    assert model.flags(one) & Qt.ItemFlag.ItemIsDragEnabled
    assert model.supportedDragActions() == Qt.DropAction.CopyAction
    data = model.mimeData([one])
    assert [url.toLocalFile() for url in data.urls()] == ["/docs/lease.txt"]
    assert data.text() == "“The rent is due.”\nlease, p. 1"


def test_a_heading_that_repeats_the_one_above_is_left_out() -> None:
    for path, shown in (
        (("Chapter VII: Patience Camp", "Patience Camp"), "Chapter VII: Patience Camp"),
        (("Rent", "RENT", "Arrears"), "Rent › Arrears"),
        (("Part 1", "Rent", ""), "Part 1 › Rent"),
    ):
        assert headings(hit(heading_path=path)) == shown
