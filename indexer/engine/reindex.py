"""Another model, or another extractor: the library made anew while the old one answers.

Owns when an embedding space takes over from another, which spaces are kept, and what a change
would cost. A search is in the active space, and new documents are embedded there first; then the
one that the settings name is filled. When that is complete, one row in the catalog makes it the
active one. The one before is kept, so that
the change can be taken back, until another change is complete or the person lets it go. It must
not know how vectors are made.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from indexer import faults
from indexer.api.answers import ReindexCost
from indexer.api.errors import LecternError, WorldError
from indexer.api.status import ModelChange, ModelChoice
from indexer.config import Precision
from indexer.embed.base import EmbedInput
from indexer.embed.embedder import space_of
from indexer.embed.factory import open_embedder
from indexer.embed.record_files import find_record
from indexer.extract.base import EXTRACTOR_VERSION
from indexer.pipeline.throughput import load
from indexer.store.quantise import width
from indexer.store.values import key_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.catalog import Catalog, DocRow, Space
    from indexer.config import EngineConfig
    from indexer.embed.models import ModelRecord
    from indexer.store.store import Store

log = logging.getLogger(__name__)

# Passages that are looked at, and read by the model, to tell what all of them would take.
SAMPLE = 48
# From this share of documents in languages that the usual model does not read, the other is used.
FOREIGN = 0.2
# Below this share a library goes back.
HARDLY_FOREIGN = 0.05
_REBUILDING = "rebuilding"
# Of a row: its key, its document and what the table needs beside the vectors.
_ROW_BYTES = 24
_NO_SPACE = 0  # rows are numbered from 1


@dataclass(frozen=True, slots=True)
class Change:
    """A change of model: what is being made, what is kept, and whether an older version's was."""

    changing: ModelChange | None = None
    previous: ModelChoice | None = None
    rebuilding: bool = False


def for_languages(catalog: Catalog, config: EngineConfig) -> EngineConfig:
    """The configuration with the model for the languages of the library, where it may be chosen.

    Raises:
        WorldError: ``unknown_model``.
    """
    if not config.languages_model:
        return config
    other = replace(config, model=config.languages_model)
    active = catalog.spaces.active()
    changed = active is not None and active.record["model"] == other.model
    counts = catalog.docs.languages()
    read = set(find_record(config.model, config.models).languages)
    gained = set(find_record(other.model, config.models).languages) - read
    documents = sum(counts[language] for language in gained & counts.keys())
    enough = (HARDLY_FOREIGN if changed else FOREIGN) * sum(counts.values())
    return other if documents > 0 and documents >= enough else config


def suits(catalog: Catalog, config: EngineConfig, space: Space, enough: int) -> bool | None:
    """Whether a space is that for the languages read so far; see ``indexer.pipeline.parts``.

    What is embedded already stays until a change is complete.
    """
    if not config.languages_model or catalog.spaces.totals().embedded:
        return True
    suited = bool(space.record["model"] == for_languages(catalog, config).model)
    read = sum(catalog.docs.languages().values())
    return suited if read >= (min(1, enough) if suited else enough) else None


def waits(catalog: Catalog, config: EngineConfig) -> bool:
    """Whether the library is searched in another space than the settings name.

    Raises:
        WorldError: ``unknown_model``.
    """
    active = catalog.spaces.active()
    return active is not None and active.key != _key(config)


def searched_first(catalog: Catalog, config: EngineConfig, target: Space) -> Space:
    """The space in which new documents are embedded first, so that they are found by meaning.

    It is the one that is searched until a change is complete, unless its model is not here as it
    was, or it has too little of the library to be worth more vectors.
    """
    active = catalog.spaces.active()
    if active is None or active.id == target.id:
        return target
    try:
        known = chosen(config, str(active.record["model"]), str(active.record["precision"]))
    except WorldError:
        return target
    totals = catalog.spaces.totals()
    filled = totals.embedded > 0 and 2 * totals.embedded >= totals.passages
    return active if filled and _key(known) == active.key else target


def settle(catalog: Catalog, store: Store, target: Space) -> bool:
    """Let a complete space take over, and drop those that nothing needs any more.

    Call it when a run has come to its end.

    Returns:
        Whether searches are in another space now.
    """
    active = catalog.spaces.active()
    if catalog.meta(_REBUILDING):
        catalog.set_meta(_REBUILDING, "")
    switched = active is not None and active.id != target.id and _complete(catalog, target)
    if switched:
        faults.reached("space-complete")
        catalog.spaces.switch(target.id)
        faults.reached("space-switched")
        log.info("searches are in %s now", target.key)
    kept = {
        target.id,
        *(space.id for space in (catalog.spaces.active(), previous(catalog)) if space),
    }
    for space in catalog.spaces.all():
        if space.id not in kept:
            _drop(catalog, store, space)
    return switched


def previous(catalog: Catalog) -> Space | None:
    """The space that was searched before the last change, as long as it is kept."""
    kept = catalog.spaces.previous()
    active = catalog.spaces.active()
    return kept if kept is not None and (active is None or kept.id != active.id) else None


def note_dropped_tables(catalog: Catalog, store: Store) -> None:
    """Remember, for the person, that what an earlier version kept is being made anew."""
    if store.tables.outdated:
        log.warning("of an earlier version, and made anew: %s", ", ".join(store.tables.outdated))
        catalog.set_meta(_REBUILDING, "yes")


def roll_back(catalog: Catalog) -> Space:
    """Search in the space that was active before the last change; that of now is kept.

    Raises:
        WorldError: ``nothing_to_roll_back``.
    """
    space = previous(catalog)
    if space is None:
        raise WorldError("nothing_to_roll_back")
    catalog.spaces.switch(space.id)
    return space


def discard(catalog: Catalog, store: Store) -> int:
    """Let go of the space kept for a roll-back; gives the bytes of its vectors."""
    space = previous(catalog)
    if space is None:
        return 0
    sizes = store.sizes()
    _drop(catalog, store, space)
    return sum(size.total for size in sizes.values()) - sum(
        size.total for size in store.sizes().values()
    )


def requeue_outdated(catalog: Catalog) -> int:
    """Queue what an older extractor read; its text answers until it is read again."""
    queued = catalog.docs.requeue_outdated(EXTRACTOR_VERSION)
    if queued:
        log.info("%d files are read again by a newer extractor", queued)
    return queued


def chosen(config: EngineConfig, model: str | None, precision: str | None) -> EngineConfig:
    """The configuration with another model.

    Raises:
        WorldError: ``unknown_model``, or ``bad_setting`` for a precision there is not.
    """
    known = [str(one) for one in Precision]
    if precision is not None and precision not in known:
        raise WorldError(
            "bad_setting",
            name="precision",
            value=precision,
            reason="takes_choice",
            choices=", ".join(known),
        )
    config = replace(
        config,
        model=model or config.model,
        languages_model="" if model else config.languages_model,
        precision=Precision(precision) if precision else config.precision,
    )
    find_record(config.model, config.models)
    return config


def describe(catalog: Catalog, config: EngineConfig) -> Change:
    """Say what of a change of model is being made and what is kept."""
    kept = previous(catalog)
    changing = None
    if waits(catalog, config):
        key = _key(config)
        target = next((space.id for space in catalog.spaces.all() if space.key == key), _NO_SPACE)
        totals = catalog.spaces.totals(target)
        embedded_share = totals.embedded / totals.passages if totals.passages else 1.0
        changing = ModelChange(config.model, str(config.precision), embedded_share)
    return Change(
        changing,
        ModelChoice(kept.record["model"], kept.record["precision"]) if kept else None,
        rebuilding=bool(catalog.meta(_REBUILDING)),
    )


def cost(catalog: Catalog, store: Store, config: EngineConfig) -> ReindexCost:
    """What it would take to have all vectors from a model."""
    record = find_record(config.model, config.models)
    key = space_of(record, config.precision)
    space = next((one for one in catalog.spaces.all() if one.key == key), None)
    rows = list(catalog.docs.get(catalog.docs.expected()).values())
    if space is not None:
        missing = {doc for doc, _ in catalog.spaces.pending(space.id, -1)}
        rows = [row for row in rows if row.doc in missing]
    passages = sum(row.passages for row in rows)
    sample = _sample(store, rows)
    tokens, rate = _try_out(config, record, sample)
    rates = load(catalog, key, len(record.architecture.read))
    sentences = sum(len(one.view_starts) for one in sample) / max(1, len(sample))
    a_row = 2 * record.dimension + sentences * width(record.dimension) + _ROW_BYTES
    per_second = rates.passages if rates.measured or not rate else rate
    return ReindexCost(
        model=record.id,
        precision=str(config.precision),
        space=key,
        documents=len(rows),
        passages=passages,
        tokens=round(tokens * passages),
        seconds=round(passages / per_second, 3),
        measured=bool(rates.measured or rate),
        bytes=round(a_row * passages),
        outdated=catalog.docs.outdated(EXTRACTOR_VERSION),
    )


def _sample(store: Store, rows: Sequence[DocRow]) -> list[EmbedInput]:
    """Some passages from all over the library."""
    ends = np.cumsum([row.passages for row in rows])
    if not len(ends) or not ends[-1]:
        return []
    places = np.unique(np.linspace(0, int(ends[-1]) - 1, SAMPLE, dtype=np.int64))
    owners = np.searchsorted(ends, places, side="right")
    keys = [
        key_of(rows[owner].doc, int(place - ends[owner] + rows[owner].passages))
        for owner, place in zip(owners.tolist(), places.tolist(), strict=True)
    ]
    columns = ("heading_path", "view", "view_starts")
    found = store.passages_of(np.array(keys, np.int64), columns)
    return [
        EmbedInput(rows[owner].title_used, row["heading_path"], row["view"], row["view_starts"])
        for owner, key in zip(owners.tolist(), keys, strict=True)
        if (row := found.get(key)) is not None
    ]


def _try_out(
    config: EngineConfig, record: ModelRecord, sample: Sequence[EmbedInput]
) -> tuple[float, float]:
    """Tokens a passage and passages a second, by reading a sample; 0 where that cannot be."""
    if not sample:
        return 0.0, 0.0
    try:
        embedder = open_embedder(
            record, config.models, config.precision,
            threads=config.threads, provider=config.provider, download=False,
        )  # fmt: skip
    except LecternError:
        # A model that is not here yet: the words tell about how many tokens there are.
        words = sum(len(one.view.split()) for one in sample)
        return 1.35 * words / len(sample), 0.0
    sequences = embedder.sequences(sample)
    tokens = sum(len(ids) for ids in sequences)
    return tokens / len(sample), embedder.bare_throughput(sequences) * len(sample) / tokens


def _key(config: EngineConfig) -> str:
    return space_of(find_record(config.model, config.models), config.precision)


def _complete(catalog: Catalog, space: Space) -> bool:
    return not catalog.spaces.pending(space.id, 1) and not catalog.names.missing(space.id, 1)


def _drop(catalog: Catalog, store: Store, space: Space) -> None:
    """Vectors first: a space without a row would be nobody's."""
    store.drop_space(space.key)
    catalog.spaces.remove(space.id)
