"""The engine as everyone else sees it, whether it runs here or behind a socket.

Owns the one interface that the engine, the client and the fakes share, and the keys of the
dictionaries it answers with. It must not know how any of it is done. Standard library only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from indexer.progress import CancelToken, Progress
    from indexer.types import FileRow, SearchResult, Summary


class EngineApi(Protocol):
    """What can be asked of a library. Every method is thread-safe and may raise LecternError."""

    def index(
        self,
        paths: Sequence[Path],
        *,
        report: Callable[[Progress], None],
        token: CancelToken,
        rescan: bool = False,
    ) -> Summary:
        """Add the paths as roots and read what is new under them; without paths, under all roots.

        Args:
            paths: Files or folders that exist.
            report: Takes snapshots, at most ten a second, on a thread of the engine's choice.
            token: Stops the run cleanly; the summary then says so.
            rescan: Look again at files whose size and time have not changed.
        """

    def search(
        self,
        text: str,
        *,
        limit: int = 10,
        token: CancelToken | None = None,
        explain: bool = False,
        full_text: bool,
    ) -> SearchResult:
        """Find the passages that answer a query.

        Args:
            text: The query in Lectern's grammar.
            limit: The most hits to return.
            token: Ends the search early, with ``Cancelled``.
            explain: Fill ``Hit.explain`` with the numbers behind each hit.
            full_text: Put whole passages into the hits, not only the part around the best
                sentence.
        """

    def status(self) -> dict[str, Any]:
        """Describe the library.

        The keys: ``library`` (path), ``bytes`` (on disk), ``roots`` (a list of ``path``,
        ``files``, ``offline``), ``files`` (count by state), ``documents``, ``passages``,
        ``model``, ``precision``, ``space``, ``understood`` (share of passages with vectors, 0 to
        1), ``device``, ``device_reason``, ``languages`` (a list of ``language``, ``documents``,
        ``advice`` for those the model does not cover), ``running`` (None, or a dictionary with
        ``job`` and ``progress``) and ``free_bytes``. All of it fits JSON.
        """

    def files(self, state: str | None, root: str | None, offset: int, limit: int) -> list[FileRow]:
        """List the coverage in the order of paths: every file, its state and its reason."""

    def remove(self, paths: Sequence[Path]) -> dict[str, Any]:
        """Take folders or files out of the library; the files themselves stay where they are.

        Returns:
            ``files``, ``documents`` and ``passages``: how many of each are gone.
        """

    def doctor(self) -> list[dict[str, Any]]:
        """Check the library and the machine: ``name``, ``ok``, ``value``, ``advice`` each."""

    def close(self) -> None:
        """Finish what must be finished and let go of the library."""
