"""Changes a library to another model or extractor while searches use the current one.

Owns when an embedding space becomes the active one, and which spaces are kept. Searches use the
active space, and new documents are embedded there first; then in that of the configured model. When
that is complete, one row in the catalog makes it the active one. The previous space is kept, for a
roll-back, until the next change is complete or the person discards it.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexer import faults
from indexer.api.errors import WorldError
from indexer.api.status import ModelChange, ModelChoice
from indexer.catalog.choices import REBUILDING
from indexer.config import Precision
from indexer.embed.model_files import find_embedding, find_record
from indexer.embed.models import space_of
from indexer.extract.base import EXTRACTOR_VERSION

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.config import EngineConfig
    from indexer.store.store import Store

log = logging.getLogger(__name__)

# From this share of documents in languages that the default model does not cover, it is replaced.
FOREIGN = 0.2
# Below this share a library returns to the default model.
HARDLY_FOREIGN = 0.05
_NO_SPACE = 0  # rows are numbered from 1


@dataclass(frozen=True, slots=True)
class SpaceChange:
    """A change of model: the space being filled, the one kept, and whether tables were rebuilt."""

    changing: ModelChange | None = None
    previous: ModelChoice | None = None
    rebuilding: bool = False


def for_library(catalog: Catalog, config: EngineConfig) -> EngineConfig:
    """The configuration with what the library decides, unless that is fixed.

    That is the model, by the languages of the library, and the precision, which is that of its
    vectors.

    Raises:
        WorldError: ``unknown_model``.
    """
    active = catalog.spaces.active()
    if config.fastest_precision and active is not None:
        config = replace(config, precision=Precision(active.record["precision"]))
    if not config.languages_model:
        return config
    other = replace(config, model=config.languages_model)
    changed = active is not None and active.record["model"] == other.model
    counts = catalog.docs.languages()
    read = set(find_record(config.model, config.models).languages)
    gained = set(find_record(other.model, config.models).languages) - read
    documents = sum(counts[language] for language in gained & counts.keys())
    enough = (HARDLY_FOREIGN if changed else FOREIGN) * sum(counts.values())
    return other if documents > 0 and documents >= enough else config


def suits(catalog: Catalog, config: EngineConfig, space: Space, enough: int) -> bool | None:
    """Whether a space is that of the model for the languages read so far; see ``pipeline.parts``.

    True if the library has vectors, which stay until a change is complete.
    """
    if not config.languages_model or catalog.spaces.totals().embedded:
        return True
    suited = bool(space.record["model"] == for_library(catalog, config).model)
    read = sum(catalog.docs.languages().values())
    return suited if read >= (min(1, enough) if suited else enough) else None


def waits(catalog: Catalog, config: EngineConfig) -> bool:
    """Whether the active space is another than that of the configured model.

    Raises:
        WorldError: ``unknown_model``.
    """
    active = catalog.spaces.active()
    return active is not None and active.key != _key(config)


def searched_first(catalog: Catalog, config: EngineConfig, target: Space) -> Space:
    """The space in which new documents are embedded first, so that searches find them.

    It is the active one, unless its model is no longer available unchanged, or it contains too
    little of the library.
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


def finalise(catalog: Catalog, store: Store, target: Space, tokens: Space | None = None) -> bool:
    """Activate a complete space, and delete those that are no longer needed.

    Call it at the end of a run.

    Args:
        catalog: Has the spaces.
        store: Has their vectors.
        target: The space of the configured model.
        tokens: That of the late-interaction model, which is kept.

    Returns:
        Whether searches are in another space now.
    """
    active = catalog.spaces.active()
    if catalog.meta(REBUILDING):
        catalog.set_meta(REBUILDING, "")
    switched = active is not None and active.id != target.id and _complete(catalog, target)
    if switched:
        faults.reached("space-complete")
        catalog.spaces.switch(target.id)
        faults.reached("space-switched")
        log.info("searches are in %s now", target.key)
    kept = {
        target.id,
        *(space.id for space in (catalog.spaces.active(), previous(catalog), tokens) if space),
    }
    for space in catalog.spaces.all():
        if space.id not in kept:
            _drop(catalog, store, space)
    return switched


def previous(catalog: Catalog) -> Space | None:
    """The space that was active before the last change, if it is kept."""
    kept = catalog.spaces.previous()
    active = catalog.spaces.active()
    return kept if kept is not None and (active is None or kept.id != active.id) else None


def note_dropped_tables(catalog: Catalog, store: Store) -> None:
    """Store, for the person, that tables of an earlier version are being rebuilt."""
    if store.tables.outdated:
        log.warning("of an earlier version, and made anew: %s", ", ".join(store.tables.outdated))
        catalog.set_meta(REBUILDING, "yes")


def before(catalog: Catalog) -> Space:
    """The space that was active before the last change.

    Raises:
        WorldError: ``nothing_to_roll_back`` if it is not kept.
    """
    space = previous(catalog)
    if space is None:
        raise WorldError("nothing_to_roll_back")
    return space


def roll_back(catalog: Catalog) -> Space:
    """Activate the space before the last change; the current one is kept.

    Raises:
        WorldError: ``nothing_to_roll_back``.
    """
    space = before(catalog)
    catalog.spaces.switch(space.id)
    return space


def discard(catalog: Catalog, store: Store) -> int:
    """Delete the space kept for a roll-back; return the bytes of its vectors."""
    space = previous(catalog)
    if space is None:
        return 0
    sizes = store.sizes()
    _drop(catalog, store, space)
    return sum(size.total for size in sizes.values()) - sum(
        size.total for size in store.sizes().values()
    )


def requeue_outdated(catalog: Catalog) -> int:
    """Queue files that an older extractor read; their text stays searchable until then."""
    queued = catalog.upkeep.requeue_outdated(EXTRACTOR_VERSION)
    if queued:
        log.info("%d files are read again by a newer extractor", queued)
    return queued


def chosen(config: EngineConfig, model: str | None, precision: str | None) -> EngineConfig:
    """The configuration with another model.

    Raises:
        WorldError: ``unknown_model``, or ``bad_setting`` for an unknown precision.
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
        fastest_precision=config.fastest_precision and not precision,
    )
    find_embedding(config.model, config.models)
    return config


def describe(catalog: Catalog, config: EngineConfig) -> SpaceChange:
    """Return the state of a change of model."""
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
        rebuilding=bool(catalog.meta(REBUILDING)),
    )


def _key(config: EngineConfig) -> str:
    return space_of(find_record(config.model, config.models), config.precision)


def _complete(catalog: Catalog, space: Space) -> bool:
    return not catalog.spaces.pending(space.id, 1) and not catalog.names.missing(space.id, 1)


def _drop(catalog: Catalog, store: Store, space: Space) -> None:
    """Delete a space: its vectors first, since without its row they could not be found."""
    store.drop_space(space.key)
    catalog.spaces.remove(space.id)
