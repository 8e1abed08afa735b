"""Which document a query names, among documents of one kind that all ask the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.api.requests import Search
from tests.integration.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.engine.engine import Engine

# Parties of usual words, all of which stand in every agreement too.
PARTIES = (
    ("Brokers National Life Assurance Company", "Robinson Ventures"),
    ("International Direct Response", "Commerce Partners"),
    ("General Electric Capital", "Federated Investment Management"),
    ("Associated Press Services", "Hertz System"),
    ("JP Morgan Press", "Wells National"),
    ("JFSteel", "K L M Wharf"),
)
BODY = (
    "A direct response to an international call is a national life service. Brokers of capital and "
    "general press companies answer for electric ventures, and an investment is one commerce of "
    "the system, federated or associated, by management or assurance.\n\n"
    "The liability of either party has a cap of one year of fees, whatever the cause of it.\n\n"
)
# The one name runs its words together, the other has them apart.
BELOW = "The mail goes to TideClock at the Harbour Watch.\n"


@pytest.fixture(scope="module")
def asked(tiny_models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("named")
    documents = folder / "documents"
    documents.mkdir()
    for at, (one, other) in enumerate(PARTIES):
        opening = (
            f"THIS AGREEMENT is made between {one} and {other}, and they agree as follows.\n\n"
        )
        (documents / f"{at}.txt").write_text(opening + BODY * (3 + at) + BELOW)
    world = World(documents, folder / "library", tiny_models_dir)
    with world.engine() as engine:
        world.index(engine)
        yield engine


@pytest.mark.parametrize(
    "wording", ["in our agreement with {}, is there a cap on liability?", "liability cap {}"]
)
@pytest.mark.parametrize(
    ("at", "party"), [(i, one) for i, both in enumerate(PARTIES) for one in both]
)
def test_the_document_that_opens_with_a_name_leads(
    asked: Engine, wording: str, at: int, party: str
) -> None:
    hits = asked.call(Search(wording.format(party), 10)).hits
    assert hits[0].file == f"{at}.txt"


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("JPMorgan", 4),
        ("jpmorgan", 4),
        ("J P Morgan", 4),
        ("Robinsn Ventures", 0),
        ("HertzSystem", 3),
        ("J F Steel", 5),
        ("KLM Wharf", 5),
    ],
)
def test_joined_and_misspelt_names_are_met(asked: Engine, written: str, at: int) -> None:
    found = asked.call(Search(f"in our agreement with {written}, is there a cap on liability?", 10))
    assert found.hits[0].file == f"{at}.txt"
    assert found.notes == ()


@pytest.mark.parametrize("written", ["HarbourWatch", "Tide Clock"])
def test_a_name_that_stands_further_below_in_other_spacing_is_not_said_to_be_missing(
    asked: Engine, written: str
) -> None:
    assert (
        asked.call(Search(f"what is the liability of {written} to Hertz System?", 10)).notes == ()
    )


def test_a_name_that_no_document_bears_is_told(asked: Engine) -> None:
    found = asked.call(Search("Is there a cap on the liability of Zyxotech to Hertz System?", 10))
    assert [(note.code, note.detail) for note in found.notes] == [
        ("name_nowhere", {"names": "\u201cZyxotech\u201d"})
    ]
    assert found.hits


@pytest.mark.parametrize("text", ["who has a zyxotech cap?", "the cap of Hertz System", "cap"])
def test_other_words_are_no_such_names(asked: Engine, text: str) -> None:
    assert asked.call(Search(text, 10)).notes == ()
