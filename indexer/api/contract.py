"""The engine as everyone else sees it, whether it runs here or behind a socket.

Owns the one interface that the engine, the client and the fakes share, and the keys of the
dictionaries it answers with. It must not know how any of it is done. Standard library only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from indexer.api.lock import LibraryLock
    from indexer.api.progress import CancelToken, Progress
    from indexer.api.types import FileRow, SearchResult, Summary


ORDERS = ("path", "state", "size", "modified")
SPEEDS = ("slow", "normal", "fast")


class EngineApi(Protocol):
    """What can be asked of a library. Every method is thread-safe and may raise LecternError."""

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
        """Add the paths as roots and read what is new under them; without paths, under all roots.

        Args:
            paths: Files or folders that exist.
            report: Takes snapshots, at most ten a second, on a thread of the engine's choice.
            token: Stops the run cleanly; the summary then says so.
            rescan: Look again at files whose size and time have not changed.
            scan: Whether to look for what is new at all; without, what is queued is read.
            patterns: What to leave out or let in under these paths, see ``patterns``.
        """

    def estimate(
        self,
        paths: Sequence[Path],
        *,
        token: CancelToken,
        patterns: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """Say what indexing some paths would take; looks at names and sizes and writes nothing.

        Args:
            paths: Files or folders.
            token: Ends it early, with ``Cancelled``.
            patterns: Count as if these were the patterns of the paths, see ``patterns``.

        Returns:
            ``files``, ``bytes`` (of what would be read), ``formats`` (by format: ``files``,
            ``bytes``), ``left_out`` (count by reason code), ``known`` (files that were read
            before and are counted nowhere else), ``pages``, ``seconds_words`` (until all can be
            found by words), ``seconds_meaning`` (until it is understood) and ``measured``
            (whether the rates are this library's own).
        """

    def retry(self, paths: Sequence[Path]) -> int:
        """Queue files again that could not be read, files under folders too; without paths, all.

        Returns:
            How many are queued.
        """

    def unlock(self, path: Path, password: str) -> int:
        """Queue a protected file again, to be opened with a password.

        The password is kept in memory only, for as long as the engine runs.

        Returns:
            How many files are queued: the file and its copies.
        """

    def patterns(self, root: Path, patterns: Sequence[str] | None) -> list[str]:
        """Get (with None) or set what is left out or let in under a root; scan it afterwards.

        Args:
            root: A folder that was added.
            patterns: In gitignore syntax; one that begins with "!" lets in again.
        """

    def watch(self, *, on: bool | None) -> dict[str, Any]:
        """Begin or end watching the roots, or (None) only ask.

        What is found is read without anyone asking.

        Returns:
            ``on``; ``roots``, with ``path``, ``how`` (``events``; ``polling``, which takes minutes
            to notice a change; ``offline``) and ``why`` it has to be polled (``network``: the
            system does not tell what others change; ``exhausted``: it watches no more folders);
            ``folders`` (watches in use); ``quiet`` (nothing is left to do); ``problem`` (a
            sentence, or "").
        """

    def activity(self) -> dict[str, Any]:
        """Say what is going on, quickly enough to be asked twice a second.

        The keys: ``running`` (None, or ``job`` and ``progress``), ``speed`` (``slow``, ``normal``
        or ``fast``), ``paused``, ``reason`` (why work waits or is slow now: ``paused``,
        ``disk_full``, ``typing``, ``battery``, ``busy``, ``query``, ``library_read_only`` or ""
        if it does not),
        ``pages_per_second`` and ``passages_per_second`` (of the last seconds), ``understood``
        (0 to 1), ``pending`` (files not yet read), ``set_aside`` (files that were given up
        because reading them stopped a process), ``changes`` (a number that is another one once
        files or documents are), ``changing`` and ``rebuilding`` as in ``status``, ``device`` and
        ``device_notes`` (why it is this one: a list of ``code`` and ``detail``, see
        ``indexer.api.phrases``).
        """

    def pace(
        self, *, speed: str | None = None, paused: bool | None = None, typing: bool | None = None
    ) -> dict[str, Any]:
        """Set how hard to work; None leaves a thing as it is. Speed and pause outlive the engine.

        Args:
            speed: ``slow``, ``normal`` or ``fast``; ``fast`` does not slow down by itself.
            paused: Whether to stand still.
            typing: That the person types just now: work slows down for about two seconds.

        Returns:
            As ``activity``.
        """

    def document(self, path: Path) -> dict[str, Any]:
        """Say what is known of one file.

        Returns:
            ``path``, ``root``, ``file``, ``title``, ``author``, ``created``, ``language``,
            ``pages``, ``format``, ``size``, ``mtime_ns``, ``state``, ``code``, ``bad_pages``.
        """

    def passage_spans(self, path: Path, start: int, end: int) -> list[tuple[int, int]]:
        """Give the sentences of a file's passages that overlap a stretch of its canonical text.

        Returns:
            Offsets into the canonical text, ascending.
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

        Returns:
            ``good`` is false where nothing answers and the hits are only the closest passages;
            each hit's ``also`` lists the places of nearly the same text in other documents, which
            are no hits of their own.
        """

    def explain(self, text: str, path: Path, start: int) -> dict[str, Any]:
        """Say what the likeness of a passage to a query is made of, word by word.

        Args:
            text: The query.
            path: The file of a hit.
            start: ``Hit.start``.

        Returns:
            ``cosine`` (of the passage and the question in the query); ``words``, a list of
            ``[start, end, share]`` with offsets into the passage's text (``Hit.text``, if it is
            the full one), and ``rest`` (the share of the title, the headings and what is no
            word), which add up to the cosine; ``query``, a list of ``[word, share]``; ``marks``
            (``[start, end]`` of the words that carry the likeness), ``same`` (those of the
            query's own words); ``pairs``, each telling word of the query with the closest of the
            passage, ``[word, word, cosine]``, and ``recall`` (how well the passage covers the
            query, token by token). Nothing, if the query has no words or its model cannot be had.
        """

    def compare(self, first: str, second: str, *, limit: int, token: CancelToken) -> dict[str, Any]:
        """Say what each of two documents states that the other does not.

        Args:
            first: A document, as behind ``like:``: a path or its end, with ``#page=N`` for a page.
            second: Another one.
            limit: The most statements to list in each part, the most different ones; 0 for all.
            token: Ends it early, with ``Cancelled``.

        Returns:
            ``first`` and ``second``: ``path``, ``file``, ``title``, ``format``, ``pages``,
            ``statements`` (how many were compared), ``alone`` (how many the other lacks) and
            ``only`` (these, in order: ``page``, ``page_last``, ``start``, ``end``,
            ``heading_path``, ``text``, ``near``, what comes closest there, or None, and
            ``cosine``); ``changes`` (how many counterparts differ in a number or a negation) and
            ``changed`` (these: ``first`` and ``second``); ``border`` (the cosine from which
            statements count as the same) and ``seconds``.
        """

    def status(self) -> dict[str, Any]:
        """Describe the library.

        The keys: ``library`` (path), ``bytes`` (on disk), ``roots`` (a list of ``path``,
        ``files``, ``states`` (count by state), ``bytes``, ``patterns``, ``offline``, ``watched``:
        as ``how`` in ``watch``, "" if nobody watches, and ``watched_why``), ``files`` (count by
        state), ``documents``, ``passages``, ``model``, ``precision``, ``space``, ``understood``
        (share of passages with vectors, 0 to 1), ``device``, ``device_notes``, ``languages`` (a
        list of ``language``, ``documents``, ``advice`` for those the model does not cover),
        ``running`` (None, or a dictionary with ``job`` and ``progress``), ``connections`` (every
        one ever made, newest first: ``time``, ``what``, ``outcome``), ``scans`` (pages that show
        something and hold no text: how many were ``read``, are ``waiting`` to be recognised, or
        ``set_aside``; the ``engine`` that does it and its ``languages``, "" and none without one;
        the ``code`` of the reason then, and what would ``install`` it), ``free_bytes``, and of
        ``activity`` the keys ``speed``, ``paused``, ``reason``, ``pending`` and ``set_aside``.
        All of it fits JSON.
        """

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
        """List the coverage: every file, its state and its reason.

        Args:
            state: Only files in this state.
            root: Only files of this root.
            offset: How many to leave out at the beginning.
            limit: How many to give.
            order: One of ``ORDERS``: by path, by state, the largest or the newest first.
            text: Only files whose path holds these words.
        """

    def total(self, state: str | None, root: str | None, *, text: str = "") -> int:
        """Count what ``files`` could list."""

    def reindex_cost(self, model: str | None, precision: str | None) -> dict[str, Any]:
        """Say what it would take to have all vectors from a model; ``None`` is that of now.

        The keys: ``model``, ``precision``, ``space``, ``documents``, ``passages``, ``tokens``,
        ``seconds``, ``measured`` (whether a rate of this machine is behind that), ``bytes`` (more
        on the disk) and ``outdated`` (files that an older extractor read).
        """

    def reindex(
        self,
        model: str | None,
        precision: str | None,
        *,
        report: Callable[[Progress], None],
        token: CancelToken,
    ) -> Summary:
        """Make what is missing for a model; it answers once it is complete, the old one until then.

        The engine indexes with this model from now on. What an older extractor read is read again.
        """

    def roll_back(self) -> dict[str, Any]:
        """Answer with the model before the last change again: ``model`` and ``precision``."""

    def discard(self) -> dict[str, Any]:
        """Let go of the vectors that are kept for ``roll_back``: the ``bytes`` that are free."""

    def verify(self, *, report: Callable[[Progress], None], token: CancelToken) -> dict[str, Any]:
        """Compare catalog, store and disk with each other, and read all of it once.

        The keys: ``problems`` (a list of ``kind``, ``where``, ``count`` and ``sentence``; see
        ``indexer.library.verify``), ``documents``, ``passages``, ``bytes`` and ``seconds``. It
        changes nothing.
        """

    def repair(self, *, report: Callable[[Progress], None], token: CancelToken) -> dict[str, Any]:
        """Take out what is damaged, and queue what was lost with it; a run then reads it again.

        The keys: ``problems``, as ``verify`` found them, ``left`` (those that are still there) and
        ``queued`` (files).
        """

    def remove(self, paths: Sequence[Path]) -> dict[str, Any]:
        """Take folders or files out of the library; the files themselves stay where they are.

        Returns:
            ``files``, ``documents`` and ``passages``: how many of each are gone.
        """

    def doctor(self) -> list[dict[str, Any]]:
        """Check the library and the machine: ``name``, ``ok``, ``value``, ``advice`` each."""

    def close(self) -> None:
        """Finish what must be finished and let go of the library."""


class LocalEngine(EngineApi, Protocol):
    """An engine of this process, which holds the lock of its library."""

    lock: LibraryLock
