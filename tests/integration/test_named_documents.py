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
)
BODY = (
    "A direct response to an international call is a national life service. Brokers of capital and "
    "general press companies answer for electric ventures, and an investment is one commerce of "
    "the system, federated or associated, by management or assurance.\n\n"
    "The liability of either party has a cap of one year of fees, whatever the cause of it.\n\n"
)


@pytest.fixture(scope="module")
def asked(tiny_models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("named")
    documents = folder / "documents"
    documents.mkdir()
    for at, (one, other) in enumerate(PARTIES):
        opening = (
            f"THIS AGREEMENT is made between {one} and {other}, and they agree as follows.\n\n"
        )
        (documents / f"{at}.txt").write_text(opening + BODY * (3 + at))
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
