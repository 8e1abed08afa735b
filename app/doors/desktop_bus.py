"""``lectern desktop``: the search of KDE and GNOME, over D-Bus, in one small process.

D-Bus starts it at the first question, and it ends when no question has come for a while. It speaks
``org.kde.krunner1`` and ``org.gnome.Shell.SearchProvider2``, and searches only by words. Late hits
are worse than none: if no engine is running, it starts one for the next question.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageFlag,
    MessageType,
    Properties,
    new_error,
    new_method_call,
)
from jeepney import new_method_return as reply
from jeepney.auth import AuthenticationError
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import DBusConnection, open_dbus_connection

from app.doors.access import EVERYTHING, Access, Door
from app.doors.call_log import note_call
from app.doors.launchers import summary_of, target_of, title_of
from app.engine import STAYS_S, spawn_engine
from indexer.api.endpoint import EngineClient
from indexer.api.errors import Cancelled, LecternError
from indexer.api.lru_cache import LruCache
from indexer.api.progress import CancelToken
from indexer.api.requests import SearchByWords
from indexer.confine.process import own_command

if TYPE_CHECKING:
    from app.settings import Settings
    from indexer.api.types import Hit

BUS_NAME = "org.lectern.Desktop"
ANSWER_S = 0.1
IDLE_S = 120.0
_HITS = 5
_KEPT = 200
_LEAST = 3  # characters of a query
_POSSIBLE = 30  # krunner's type of a match that may be what is meant
_SHOW = "show"
_LOCK_S = 0.05  # to wait for an answer whether the screen is locked
_SAVERS = ("org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver")
_LOGIN = DBusAddress(
    "/org/freedesktop/login1/session/auto", "org.freedesktop.login1",
    "org.freedesktop.login1.Session",
)  # fmt: skip
_FILES = DBusAddress(
    "/org/freedesktop/FileManager1", "org.freedesktop.FileManager1", "org.freedesktop.FileManager1"
)


class DesktopSearch:
    """Answers the desktop's questions about one library, and none while the screen is locked."""

    def __init__(self, library: Path, settings: Settings) -> None:
        self._lock = ScreenLock()
        self._library = library
        self._settings = settings
        self._client: EngineClient | None = None
        self._engine: subprocess.Popen[bytes] | None = None
        self._found: LruCache[str, Hit] = LruCache(_KEPT)

    def find(self, query: str, who: str) -> list[str]:
        """Return the ids of hits, best first; none if the search takes more than ``ANSWER_S``."""
        access = Access.read(self._settings, Door.DESKTOP)
        if len(query.strip()) < _LEAST or not access.allowed or self._lock.is_locked():
            return []
        found: dict[str, Hit] = {}
        for scope in access.scopes():
            for hit in self._hits(query, "" if scope == EVERYTHING else scope):
                found[f"{hit.path}#{hit.start}".encode("utf-8", "replace").decode()] = hit
        best = sorted(found, key=lambda name: -found[name].score)[:_HITS]
        for name in best:
            self._found.put(name, found[name])
        note_call(self._settings, Door.DESKTOP, who, "search", query=query, found=len(best))
        return best

    def hits(self, names: Iterable[str]) -> list[tuple[str, Hit]]:
        """Return the hits with these ids, in this order; none while the screen is locked."""
        if self._lock.is_locked():
            return []
        return [(name, hit) for name in names if (hit := self._found.get(name)) is not None]

    def open_in_window(self, query: str) -> None:
        """Open the window with a query or a link."""
        command = [*own_command(window=True), "--library", str(self._library), "gui", "--", query]
        subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL)

    def close(self) -> None:
        self._lock.close()
        if self._client is not None:
            self._client.close()

    def _hits(self, query: str, scope: str) -> Sequence[Hit]:
        client = self._connected()
        if client is None:
            return ()
        token = CancelToken()
        late = threading.Timer(ANSWER_S, token.cancel)
        late.start()
        try:
            return client.call(SearchByWords(query, _HITS, scope), token=token).hits
        except Cancelled:
            return ()
        except LecternError as error:
            if error.code == "engine_gone":
                client.close()
                self._client = None
            return ()
        finally:
            late.cancel()

    def _connected(self) -> EngineClient | None:
        if self._client is None:
            try:
                self._client = EngineClient.attach(self._library)
            except LecternError:
                return None
        if self._client is None and (self._engine is None or self._engine.poll() is not None):
            self._engine = spawn_engine(self._library, str(STAYS_S))
        return self._client


class ScreenLock:
    """Asks screen savers and the login manager whether the screen is locked.

    If none of them answers in time, the screen counts as unlocked. The questions use connections
    of their own, since a call that arrives on one that waits for an answer would be lost.
    """

    def __init__(self) -> None:
        self._buses: dict[str, DBusConnection] = {}

    def is_locked(self) -> bool:
        savers = [DBusAddress("/" + name.replace(".", "/"), name, name) for name in _SAVERS]
        asked = [("SESSION", new_method_call(saver, "GetActive")) for saver in savers]
        asked.append(("SYSTEM", Properties(_LOGIN).get("LockedHint")))
        return any(self._said(bus, question) for bus, question in asked)

    def close(self) -> None:
        for bus in self._buses.values():
            bus.close()

    def _said(self, name: str, question: Message) -> bool:
        question.header.flags |= MessageFlag.no_auto_start
        try:
            if name not in self._buses:
                self._buses[name] = open_dbus_connection(name)
            answer = self._buses[name].send_and_get_reply(question, timeout=_LOCK_S)
        except TimeoutError:
            return False
        except (OSError, EOFError, LookupError, ValueError, AuthenticationError):
            if (bus := self._buses.pop(name, None)) is not None:
                bus.close()
            return False
        if answer.header.message_type is not MessageType.method_return or not answer.body:
            return False
        value = answer.body[0]
        return (value[1] if isinstance(value, tuple) else value) is True


class DesktopBus:
    """The two interfaces on a connection to the session's bus."""

    def __init__(self, search: DesktopSearch, bus: DBusConnection) -> None:
        self._search = search
        self._bus = bus
        self._methods: dict[tuple[str, str], Callable[..., tuple[str, tuple[Any, ...]]]] = {
            ("org.kde.krunner1", "Match"): self._match,
            ("org.kde.krunner1", "Actions"): self._actions,
            ("org.kde.krunner1", "Run"): self._run,
            ("org.kde.krunner1", "Teardown"): lambda: ("", ()),
            ("org.kde.krunner1", "Config"): lambda: ("a{sv}", ({},)),
            ("org.gnome.Shell.SearchProvider2", "GetInitialResultSet"): self._initial,
            ("org.gnome.Shell.SearchProvider2", "GetSubsearchResultSet"): (
                lambda _before, terms: self._initial(terms)
            ),
            ("org.gnome.Shell.SearchProvider2", "GetResultMetas"): self._metas,
            ("org.gnome.Shell.SearchProvider2", "ActivateResult"): (
                lambda name, _terms, _time: self._run(name, "")
            ),
            ("org.gnome.Shell.SearchProvider2", "LaunchSearch"): self._launch,
        }

    def serve(self) -> None:
        """Answer until no call has come for ``IDLE_S``, or the session ends with its bus."""
        with suppress(TimeoutError, ConnectionError, EOFError):
            while True:
                message = self._bus.receive(timeout=IDLE_S)
                if message.header.message_type is MessageType.method_call:
                    self._bus.send(self._answer(message))

    def _answer(self, message: Message) -> Message:
        fields = message.header.fields
        called = fields.get(HeaderFields.interface, ""), fields.get(HeaderFields.member, "")
        method = self._methods.get(called)
        if method is None:
            return new_error(message, "org.freedesktop.DBus.Error.UnknownMethod")
        try:
            signature, body = method(*message.body)
        except (TypeError, AttributeError):  # the arguments have other types than the interface
            return new_error(message, "org.freedesktop.DBus.Error.InvalidArgs")
        except (LecternError, OSError):
            return new_error(message, "org.freedesktop.DBus.Error.Failed")
        return reply(message, signature or None, body)

    # -- KDE --------------------------------------------------------------------------------

    def _match(self, query: str) -> tuple[str, tuple[Any, ...]]:
        matches = []
        found = self._search.hits(self._search.find(query, "KRunner"))
        for place, (name, hit) in enumerate(found):
            facts = {"subtext": ("s", summary_of(hit)), "category": ("s", "Lectern")}
            relevance = 0.7 - place / 100
            matches.append((name, title_of(hit), "lectern", _POSSIBLE, relevance, facts))
        return "a(sssida{sv})", (matches,)

    def _actions(self) -> tuple[str, tuple[Any, ...]]:
        return "a(sss)", ([(_SHOW, "Show in folder", "document-open-folder")],)

    def _run(self, name: str, action: str) -> tuple[str, tuple[Any, ...]]:
        for _, hit in self._search.hits([name]):
            if action == _SHOW:
                asked = ([Path(hit.path).as_uri()], "")
                self._bus.send(new_method_call(_FILES, "ShowItems", "ass", asked))
            else:
                self._search.open_in_window(target_of(hit))
        return "", ()

    # -- GNOME ------------------------------------------------------------------------------

    def _initial(self, terms: list[str]) -> tuple[str, tuple[Any, ...]]:
        return "as", (self._search.find(" ".join(terms), "GNOME Shell"),)

    def _metas(self, names: list[str]) -> tuple[str, tuple[Any, ...]]:
        metas = [
            {
                "id": ("s", name), "name": ("s", title_of(hit)),
                "description": ("s", summary_of(hit)), "gicon": ("s", "lectern"),
            }
            for name, hit in self._search.hits(names)
        ]  # fmt: skip
        return "aa{sv}", (metas,)

    def _launch(self, terms: list[str], _time: int) -> tuple[str, tuple[Any, ...]]:
        self._search.open_in_window(" ".join(terms))
        return "", ()


def serve_desktop(library: Path, settings: Settings) -> None:
    """Serve the session's bus until no question has come for a while."""
    search = DesktopSearch(library, settings)
    try:
        with open_dbus_connection("SESSION") as bus:
            # Calls that already wait arrive together with the answer to this request.
            bus.send(message_bus.RequestName(BUS_NAME))
            DesktopBus(search, bus).serve()
    finally:
        search.close()
