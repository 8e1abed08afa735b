"""Another model, or another extractor: the library made anew while the old one answers.

Owns when an embedding space takes over from another, and which spaces are kept. A search is in the
active space, and new documents are embedded there first; then the one that the settings name is
filled. When that is complete, one row in the catalog makes it the active one. The one before is
kept, so that the change can be taken back, until another change is complete or the person lets it
go. It must not know how vectors are made.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexer import faults
from indexer.api.errors import WorldError
from indexer.api.status import ModelChange, ModelChoice
from indexer.config import Precision
from indexer.embed.embedder import space_of
from indexer.embed.record_files import find_record
from indexer.extract.base import EXTRACTOR_VERSION

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.config import EngineConfig
    from indexer.store.store import Store

log = logging.getLogger(__name__)

# From this share of documents in languages that the usual model does not read, the other is used.
FOREIGN = 0.2
# Below this share a library goes back.
HARDLY_FOREIGN = 0.05
_REBUILDING = "rebuilding"
_NO_SPACE = 0  # rows are numbered from 1


@dataclass(frozen=True, slots=True)
class SpaceChange:
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


def finalise(catalog: Catalog, store: Store, target: Space) -> bool:
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
    queued = catalog.upkeep.requeue_outdated(EXTRACTOR_VERSION)
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


def describe(catalog: Catalog, config: EngineConfig) -> SpaceChange:
    """Say what of a change of model is being made and what is kept."""
    kept = previous(catalog)
    changing = None
    if waits(catalog, config):
        key = _key(config)
        target = next((space.id for space in catalog.spaces.all() if space.key == key), _NO_SPACE)
        totals = catalog.spaces.totals(target)
        embedded_share = totals.embedded / totals.passages if totals.passages else 1.0
        changing = ModelChange(config.model, str(config.precision), embedded_share)
    return SpaceChange(
        changing,
        ModelChoice(kept.record["model"], kept.record["precision"]) if kept else None,
        rebuilding=bool(catalog.meta(_REBUILDING)),
    )


def _key(config: EngineConfig) -> str:
    return space_of(find_record(config.model, config.models), config.precision)


def _complete(catalog: Catalog, space: Space) -> bool:
    return not catalog.spaces.pending(space.id, 1) and not catalog.names.missing(space.id, 1)


def _drop(catalog: Catalog, store: Store, space: Space) -> None:
    """Vectors first: a space without a row would be nobody's."""
    store.drop_space(space.key)
    catalog.spaces.remove(space.id)
