"""An engine of this process that other commands can use at the same time.

Owns the pairing of an engine with its service: what this process asks for goes through the same
lanes as the requests of others, so there is one writer whoever asks. It must not know how the
engine works or who asks.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any, TypeVar, cast

from indexer.api.errors import LecternError
from indexer.api.progress import CancelToken, Progress, ignore
from indexer.server.work_queues import Job

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from indexer.api.contract import LocalEngine
    from indexer.api.types import FileRow, SearchResult, Summary
    from indexer.server.service import Service

T = TypeVar("T")

log = logging.getLogger(__name__)

OWNER = "this process"
# Short enough that Ctrl+C is heard on systems where waiting holds signals back.
LOOK_S = 0.2


class Host:
    """An ``EngineApi`` over an engine of this process, shared through its service.

    Args:
        engine: Closed together with the host. The caller holds the library lock through it.
        service: Serves that engine; started here.

    Raises:
        LecternError: If a lasting service cannot start. One that only shares the engine
            of another command is not worth failing for.
    """

    def __init__(self, engine: LocalEngine, service: Service) -> None:
        self.engine = engine
        self.service = service
        try:
            service.start()
        except LecternError:
            if service.lasting:
                service.close()
                raise
            # This command works all the same; another one waits for the lock.
            log.warning("the engine cannot be shared", exc_info=True)

    def index(
        self,
        paths: Sequence[Path],
        *,
        report: Callable[[Progress], None],
        token: CancelToken,
        rescan: bool = False,
        scan: bool = True,
        patterns: Sequence[str] | None = None,
    ) -> Summary:
        def work(job: Job) -> Summary:
            return self.engine.index(
                paths,
                report=job.report,
                token=job.token,
                rescan=rescan,
                scan=scan,
                patterns=patterns,
            )

        return self._write("index", work, report, token)

    def remove(self, paths: Sequence[Path]) -> dict[str, Any]:
        return self._write("remove", lambda _job: self.engine.remove(paths), ignore, CancelToken())

    def search(
        self,
        text: str,
        *,
        limit: int = 10,
        token: CancelToken | None = None,
        explain: bool = False,
        full_text: bool,
    ) -> SearchResult:
        return self.engine.search(
            text, limit=limit, token=token, explain=explain, full_text=full_text
        )

    def explain(self, text: str, path: Path, start: int) -> dict[str, Any]:
        return self.engine.explain(text, path, start)

    def compare(self, first: str, second: str, *, limit: int, token: CancelToken) -> dict[str, Any]:
        return self.engine.compare(first, second, limit=limit, token=token)

    def status(self) -> dict[str, Any]:
        return self.engine.status()

    def files(
        self,
        state: str | None,
        root: str | None,
        offset: int,
        limit: int,
        *,
        order: str = "path",
        text: str = "",
    ) -> list[FileRow]:
        return self.engine.files(state, root, offset, limit, order=order, text=text)

    def total(self, state: str | None, root: str | None, *, text: str = "") -> int:
        return self.engine.total(state, root, text=text)

    def estimate(
        self,
        paths: Sequence[Path],
        *,
        token: CancelToken,
        patterns: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        return self.engine.estimate(paths, token=token, patterns=patterns)

    def retry(self, paths: Sequence[Path]) -> int:
        return self.engine.retry(paths)

    def unlock(self, path: Path, password: str) -> int:
        return self.engine.unlock(path, password)

    def patterns(self, root: Path, patterns: Sequence[str] | None) -> list[str]:
        return self.engine.patterns(root, patterns)

    def watch(self, *, on: bool | None) -> dict[str, Any]:
        return self.engine.watch(on=on)

    def activity(self) -> dict[str, Any]:
        return self.engine.activity()

    def pace(
        self, *, speed: str | None = None, paused: bool | None = None, typing: bool | None = None
    ) -> dict[str, Any]:
        return self.engine.pace(speed=speed, paused=paused, typing=typing)

    def document(self, path: Path) -> dict[str, Any]:
        return self.engine.document(path)

    def passage_spans(self, path: Path, start: int, end: int) -> list[tuple[int, int]]:
        return self.engine.passage_spans(path, start, end)

    def reindex_cost(self, model: str | None, precision: str | None) -> dict[str, Any]:
        return self.engine.reindex_cost(model, precision)

    def reindex(
        self,
        model: str | None,
        precision: str | None,
        *,
        report: Callable[[Progress], None],
        token: CancelToken,
    ) -> Summary:
        def work(job: Job) -> Summary:
            return self.engine.reindex(model, precision, report=job.report, token=job.token)

        return self._write("reindex", work, report, token)

    def roll_back(self) -> dict[str, Any]:
        return self._write("roll_back", lambda _job: self.engine.roll_back(), ignore, CancelToken())

    def discard(self) -> dict[str, Any]:
        return self._write("discard", lambda _job: self.engine.discard(), ignore, CancelToken())

    def verify(self, *, report: Callable[[Progress], None], token: CancelToken) -> dict[str, Any]:
        return self.engine.verify(report=report, token=token)

    def repair(self, *, report: Callable[[Progress], None], token: CancelToken) -> dict[str, Any]:
        def work(job: Job) -> dict[str, Any]:
            return self.engine.repair(report=job.report, token=job.token)

        return self._write("repair", work, report, token)

    def doctor(self) -> list[dict[str, Any]]:
        return self.engine.doctor()

    def close(self) -> None:
        try:
            self.service.close()
        finally:
            self.engine.close()

    def _write(
        self,
        name: str,
        work: Callable[[Job], T],
        report: Callable[[Progress], None],
        token: CancelToken,
    ) -> T:
        """Do a job on the index lane and wait for it."""
        done = threading.Event()
        outcome: list[tuple[Any, Exception | None]] = []

        def finish(answer: Any, failure: Exception | None) -> None:
            outcome.append((answer, failure))
            done.set()

        job = Job(OWNER, work, finish, sink=report, name=name, token=token)
        self.service.index_lane.submit(job)
        while not done.wait(LOOK_S):
            pass
        answer, failure = outcome[0]
        if failure is not None:
            raise failure
        return cast("T", answer)
