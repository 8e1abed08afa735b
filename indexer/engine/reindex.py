"""Changes a library to another model or extractor while searches use the current one.

Searches use the active space. New documents are embedded there first, then in the space of the
configured model. When that space is complete, one row in the catalog makes it the active one. The
previous space is kept for a roll-back, until the next change is complete or the person discards it.
The cost of a change is estimated by embedding a sample of the library, and two models can be
compared with the same questions. The languages of questions are counted, which with those of
documents decide on a library's model.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from indexer import faults
from indexer.api.answers import ReindexCost
from indexer.api.errors import LecternError, WorldError, not_a_choice
from indexer.api.models import ComparedPassage, ComparedQuestion, ModelComparison
from indexer.api.phrases import Note
from indexer.api.progress import Progress, Reporter, Step
from indexer.api.status import ModelChange, ModelChoice
from indexer.catalog.choices import ASKED, REBUILDING
from indexer.config import DEFAULT_MODEL, LANGUAGES_MODEL, EngineConfig, Precision
from indexer.embed.factory import open_embedder
from indexer.embed.model_files import find_record, known_records
from indexer.embed.models import ModelRecord, space_of
from indexer.extract.base import EXTRACTOR_VERSION
from indexer.pipeline.rates import load_throughput
from indexer.query.grammar import parse
from indexer.search.candidates import model_inputs
from indexer.search.query_expansion import clear_language
from indexer.search.score_normalisation import spread_out
from indexer.store.values import bytes_of_sentence
from indexer.store.vectors import vectors_name

if TYPE_CHECKING:
    from indexer.api.models import CompareModels, Question
    from indexer.api.types import Hit
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.embed.batches import EmbedInput
    from indexer.query.grammar import Query
    from indexer.search.search import Searcher
    from indexer.store.store import Store


log = logging.getLogger(__name__)

# The default model is replaced if this share of questions is in languages that it does not cover.
# The other model costs .036 of mrr@10 in English, and gains .5 in the languages it adds.
FOREIGN = 0.2
# Below this share a library returns to the default model.
HARDLY_FOREIGN = 0.05
# This many questions are assumed in advance, half of them in the languages of the documents and
# half in that of the interface.
EXPECTED = 10
_NO_SPACE = 0  # ids of spaces begin at 1


class SpaceChange(Struct, frozen=True):
    """A change of model: the space being filled, the space kept, and whether tables are rebuilt."""

    changing: ModelChange | None = None
    previous: ModelChoice | None = None
    rebuilding: bool = False


def for_library(catalog: Catalog, config: EngineConfig) -> EngineConfig:
    """Return the configuration with the model and the precision for the library.

    Unless the settings fix them, the languages of documents and questions decide on the model, and
    existing vectors on the precision. Questions alone do not replace existing vectors, which takes
    hours; the person is asked. If a package lacks the model for many languages, the other model
    reads all. Raises ``unknown_model``.
    """
    active = catalog.spaces.active()
    if config.fastest_precision and active is not None:
        config = replace(config, precision=Precision(active.record["precision"]))
    if not config.languages_model:
        return config
    other = replace(config, model=config.languages_model)
    changed = active is not None and active.record["model"] == other.model
    if not changed and all(each.id != other.model for each in known_records(config.models)):
        return config
    read = set(find_record(config.model, config.models).languages)
    gained = set(find_record(other.model, config.models).languages) - read
    counts = catalog.docs.languages()
    documents = sum(counts.get(one, 0) for one in gained) / max(1, sum(counts.values()))
    if not changed and documents < FOREIGN and catalog.spaces.totals().embedded:
        return config
    asked = asked_languages(catalog)
    expected = EXPECTED * (documents + (config.interface_language in gained)) / 2
    foreign = expected + sum(asked[one] for one in gained)
    enough = HARDLY_FOREIGN if changed else FOREIGN
    return other if foreign >= enough * (EXPECTED + asked.total()) else config


def unread_language(catalog: Catalog, config: EngineConfig, language: str) -> tuple[Note, ...]:
    """A note that the model does not read the language of a question, if another model does."""
    space = catalog.spaces.active()
    if not language or space is None or not space.languages or language in space.languages:
        return ()
    model = model_reading(language, config.models)
    return (Note("question_unread", {"model": model}),) if model else ()


def model_reading(language: str, models: Path) -> str:
    """The model on this machine that reads a language, "" if none does."""
    ids = [record.id for record in known_records(models) if language in record.languages]
    ours = (one for one in (DEFAULT_MODEL, LANGUAGES_MODEL) if one in ids)
    return next(ours, ids[0] if ids else "")


def suits(catalog: Catalog, config: EngineConfig, space: Space, enough: int) -> bool | None:
    """Whether a space's model is right for the languages read so far; see ``pipeline.parts``.

    It is true if the library has vectors, which stay until a change is complete.
    """
    if not config.languages_model or catalog.spaces.totals().embedded:
        return True
    suited = bool(space.record["model"] == for_library(catalog, config).model)
    read = sum(catalog.docs.languages().values())
    return suited if read >= (min(1, enough) if suited else enough) else None


def waits(catalog: Catalog, config: EngineConfig) -> bool:
    """Whether the active space is not that of the configured model.

    Raises ``unknown_model``.
    """
    active = catalog.spaces.active()
    return active is not None and active.key != _key(config)


def searched_first(catalog: Catalog, config: EngineConfig, target: Space) -> Space:
    """The space in which new documents are embedded first, so that searches find them.

    It is the active space, unless its model was removed or changed, or the space contains too
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


def finalise(catalog: Catalog, store: Store, target: Space) -> None:
    """At the end of a run, activate a complete space, and delete spaces that are not needed."""
    active = catalog.spaces.active()
    if catalog.meta(REBUILDING):
        catalog.set_meta(REBUILDING, "")
    lacks = catalog.spaces.pending(target.id, 1) or catalog.names.missing(target.id, 1)
    if active is not None and active.id != target.id and not lacks:
        faults.reached("space-complete")
        catalog.spaces.switch(target.id)
        faults.reached("space-switched")
        log.info("searches are in %s now", target.key)
    others = (catalog.spaces.active(), catalog.spaces.previous())
    kept = {target.id, *(space.id for space in others if space)}
    for space in catalog.spaces.all():
        if space.id not in kept:
            _drop(catalog, store, space)


def before(catalog: Catalog) -> Space:
    """The space that was active before the last change.

    Raises ``nothing_to_roll_back`` if none is kept.
    """
    space = catalog.spaces.previous()
    if space is None:
        raise WorldError("nothing_to_roll_back")
    return space


def discard(catalog: Catalog, store: Store) -> int:
    """Delete the space that is kept for a roll-back; return the bytes of its vectors."""
    space = catalog.spaces.previous()
    if space is None:
        return 0
    sizes = store.sizes()
    _drop(catalog, store, space)
    return sum(size.total for size in sizes.values()) - sum(
        size.total for size in store.sizes().values()
    )


def requeue_outdated(catalog: Catalog) -> None:
    """Queue files that an older extractor read; their text stays searchable until then."""
    queued = catalog.queue.requeue_outdated(EXTRACTOR_VERSION)
    if queued:
        log.info("%d files are read again by a newer extractor", queued)


def chosen(config: EngineConfig, model: str | None, precision: str | None) -> EngineConfig:
    """The configuration with another model or precision.

    Raises ``unknown_model``, or ``bad_setting`` for an unknown precision.
    """
    if precision is not None and precision not in tuple(Precision):
        raise not_a_choice("precision", precision, Precision)
    config = replace(
        config,
        model=model or config.model,
        languages_model="" if model else config.languages_model,
        precision=Precision(precision) if precision else config.precision,
        fastest_precision=config.fastest_precision and not precision,
    )
    find_record(config.model, config.models)
    return config


def describe_change(catalog: Catalog, config: EngineConfig) -> SpaceChange:
    """Return the state of a change of model."""
    kept = catalog.spaces.previous()
    changing = None
    if waits(catalog, config):
        key = _key(config)
        target = next((space.id for space in catalog.spaces.all() if space.key == key), _NO_SPACE)
        embedded_share = catalog.spaces.totals(target).embedded_share
        changing = ModelChange(config.model, str(config.precision), embedded_share)
    return SpaceChange(
        changing,
        ModelChoice(kept.record["model"], kept.record["precision"]) if kept else None,
        rebuilding=bool(catalog.meta(REBUILDING)),
    )


def _key(config: EngineConfig) -> str:
    return space_of(find_record(config.model, config.models), config.precision)


def _drop(catalog: Catalog, store: Store, space: Space) -> None:
    """Delete a space, its vectors first, which could not be found without its row."""
    store.drop_vectors(vectors_name(space.key))
    catalog.spaces.remove(space.id)


# The number of sampled passages for counting tokens and measuring the model.
SAMPLE = 48
# The bytes of a component of a pooled vector (float16), of keys, checksums and overhead of a
# passage's rows, and of an empty file.
_POOLED_BYTES, _ROW_BYTES, _FILE_BYTES = 2, 64, 10_000


def measure_cost(catalog: Catalog, store: Store, config: EngineConfig) -> ReindexCost:
    """Return the cost of making all vectors with a model."""
    record = find_record(config.model, config.models)
    key = space_of(record, config.precision)
    space = next((one for one in catalog.spaces.all() if one.key == key), None)
    rows = list(catalog.docs.docs_by_id(catalog.docs.expected()).values())
    if space is not None:
        missing = {doc for doc, _ in catalog.spaces.pending(space.id, -1)}
        rows = [row for row in rows if row.doc in missing]
    passages = sum(row.passages for row in rows)
    spread = spread_out({row.doc: row.passages for row in rows}, SAMPLE)
    sample = [*model_inputs(catalog, store, spread).values()]
    tokens, rate = _try_out(config, record, sample)
    rates = load_throughput(catalog, key, record.depth)
    sentences = sum(len(one.view_starts) for one in sample) / max(1, len(sample))
    a_row = (
        _POOLED_BYTES * record.dimension
        + sentences * bytes_of_sentence(record.dimension)
        + _ROW_BYTES
    )
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
        bytes=round(a_row * passages + _FILE_BYTES * bool(passages)),
        outdated=catalog.queue.outdated(EXTRACTOR_VERSION),
    )


def _try_out(
    config: EngineConfig, record: ModelRecord, sample: Sequence[EmbedInput]
) -> tuple[float, float]:
    """Measure tokens per passage and passages per second on a sample; 0 if unknown."""
    if not sample:
        return 0.0, 0.0
    try:
        embedder = open_embedder(
            record, config.models, config.precision,
            threads=config.threads, provider=config.provider,
        )  # fmt: skip
    except LecternError:
        # The model is not available yet, so its tokens are estimated from words.
        words = sum(len(one.view.split()) for one in sample)
        return 1.35 * words / len(sample), 0.0
    sequences = embedder.sequences(sample)
    tokens = sum(len(ids) for ids in sequences)
    return tokens / len(sample), embedder.bare_throughput(sequences) * len(sample) / tokens


COMPARED = 10  # passages


def compare_models(
    searcher: Searcher, request: CompareModels, reporter: Reporter
) -> ModelComparison:
    """Answer the questions with both models; see ``CompareModels``."""
    catalog = searcher.catalog
    first = _space(catalog, request.first) if request.first else before(catalog)
    second = _space(catalog, request.second) if request.second else catalog.spaces.active()
    spaces = [first, second or first]
    found: list[list[Hit]] = []
    total = len(spaces) * len(request.questions)
    # Only one model is open for queries, so the first answers all questions before the second.
    for space, question in product(spaces, request.questions):
        reporter.report(Progress(Step.MEASURE, files_done=len(found), files_total=total))
        query = parse(question.text)
        answer = searcher.search(query, limit=COMPARED, token=reporter.token, space=space)
        found.append(list(answer.hits))
    half = len(request.questions)
    compared = map(_compared, request.questions, found[:half], found[half:])
    names = [_name(space) for space in spaces]
    return ModelComparison(names[0], names[1], tuple(compared))


def _name(space: Space) -> str:
    return f"{space.record['model']}:{space.record['precision']}"


def _space(catalog: Catalog, name: str) -> Space:
    """The complete space of a model; if there are several, preferably the active one."""
    whole = [
        space
        for space in catalog.spaces.all()
        if name in {space.record["model"], _name(space)} and not catalog.spaces.pending(space.id, 1)
    ]
    if not whole:
        raise WorldError("model_not_embedded", model=name)
    return max(whole, key=lambda space: space.active)


def _compared(question: Question, first: list[Hit], second: list[Hit]) -> ComparedQuestion:
    ranks = [{_place_of(hit): rank for rank, hit in enumerate(hits, 1)} for hits in (first, second)]
    hits = {_place_of(hit): hit for hit in (*first, *second)}
    passages = (
        ComparedPassage(
            place=f"{hit.file}#page={hit.page}",
            text=" ".join(hit.text[slice(*hit.best) if any(hit.best) else slice(None)].split()),
            ranks=(ranks[0].get(key), ranks[1].get(key)),
            right=_is_right(hit, question.right),
        )
        for key, hit in hits.items()
    )
    return ComparedQuestion(question, tuple(passages))


def _place_of(hit: Hit) -> tuple[str, int]:
    return hit.path, hit.start


def _is_right(hit: Hit, right: str) -> bool:
    """Whether a hit is in the right document, or on the right page of it; see ``Question``."""
    path, _, page = right.partition("#page=")
    named = any(f"/{each}".endswith(f"/{path}") for each in (hit.path, *hit.other_paths))
    on_page = not page or (page.isdigit() and hit.page_first <= int(page) <= hit.page_last)
    return bool(path) and named and on_page


_DAY_S = 86_400
_KEPT_DAYS = 28
# Counts are written together, as each write waits for the disk; a crash may lose some.
_SAVED_TOGETHER = 10


class AskedLanguages:
    """The languages of the questions of the last four weeks. Thread-safe.

    A query that continues or shortens the one before is the same question, which is still being
    typed. Only its language and day are kept.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._lock = threading.Lock()
        self._typed, self._language = "", ""
        self._new: Counter[str] = Counter()

    def note_question(self, query: Query) -> str:
        """Count a query, and return its language, "" if it is not clear."""
        language = clear_language(query.text, query.terms)
        with self._lock:
            typed = query.text.strip()
            same = typed.startswith(self._typed) or self._typed.startswith(typed)
            if not same and self._language:
                self._new[self._language] += 1
            self._typed, self._language = typed, language
            many = self._new.total() >= _SAVED_TOGETHER
        if many:
            self.save_counts()
        return language

    def save_counts(self, *, closing: bool = False) -> None:
        """Write the counts since the last call; if ``closing``, also the last question."""
        with self._lock:
            if closing and self._language:
                self._new[self._language] += 1
                self._typed, self._language = "", ""
            new, self._new = self._new, Counter()
        if not new or self._catalog.refusal is not None:
            return
        today = int(time.time() // _DAY_S)
        days = _recent_days(self._catalog, today)
        days[today] = Counter(days.get(today, {})) + new
        self._catalog.set_meta(ASKED, json.dumps(days))


def asked_languages(catalog: Catalog) -> Counter[str]:
    """Count the questions of the last four weeks by language."""
    asked: Counter[str] = Counter()
    for counts in _recent_days(catalog, int(time.time() // _DAY_S)).values():
        asked.update(counts)
    return asked


def _recent_days(catalog: Catalog, today: int) -> dict[int, dict[str, int]]:
    """The counts of the last four weeks by day, numbered from 1970."""
    kept: dict[str, dict[str, int]] = json.loads(catalog.meta(ASKED) or "{}")
    by_day = {int(day): counts for day, counts in kept.items()}
    return {day: by_day[day] for day in by_day if today - _KEPT_DAYS < day <= today}
