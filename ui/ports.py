"""The interfaces that every page and panel gets: the engine, the settings, notices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from PySide6.QtCore import SignalInstance

    from indexer.api.contract import Request
    from indexer.api.errors import LecternError
    from indexer.api.progress import Progress
    from indexer.api.setting import Setting

A = TypeVar("A")


def ignore(*_answer: object) -> None:
    """The callback for an answer, or a failure, that changes nothing in the window."""


class EnginePort(Protocol):
    """The engine of another process. Every callback comes on Qt's main thread."""

    @property
    def is_connected(self) -> bool: ...

    @property
    def connected(self) -> SignalInstance:
        """Emitted without arguments once requests are answered (again)."""

    @property
    def disconnected(self) -> SignalInstance:
        """Emitted without arguments when the connection is lost; the engine is started again."""

    @property
    def changed(self) -> SignalInstance:
        """Emitted with a set of ``LibraryPart`` when these have changed, whoever changed them."""

    def send_request(
        self,
        request: Request[A],
        *,
        done: Callable[[A], None],
        failed: Callable[[LecternError], None] | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> int:
        """Send a request of ``indexer.api.requests`` and return its number at once.

        Exactly one of ``done`` and ``failed`` is called later, never from within this call; after
        ``cancel`` neither is. Without an engine ``failed`` gets ``engine_gone``. A failure without
        a ``failed`` is ignored.
        """

    def cancel(self, number: int) -> None:
        """Forget a request: the engine ends it early, and no callback comes."""


class SettingsPort(Protocol):
    """The current settings. ``set`` and ``reset`` store a change and call ``watch``'s callbacks."""

    def declared(self) -> Sequence[Setting]: ...
    def __getitem__(self, name: str) -> Any: ...
    def set(self, name: str, value: Any) -> None:
        """Change a setting. Raises ``bad_setting``."""

    def reset(self, name: str) -> None: ...
    def watch(self, changed: Callable[[str], None]) -> None:
        """Have ``changed(name)`` called after each change."""


class Notice(Struct, frozen=True):
    """A sentence with a button: ``action``, which calls ``act``, or one that calls ``undo``.

    With ``seconds`` 0 it stays until it is dismissed. ``expired`` is called if it ends before its
    button is pressed: by time, by another notice, or because the window closes.
    """

    text: str
    action: str = ""
    act: Callable[[], None] | None = None
    undo: Callable[[], None] | None = None
    seconds: float = 8.0
    expired: Callable[[], None] | None = None


class Notices(Protocol):
    """The window's line of notices, in place of dialogs."""

    def post(self, notice: Notice) -> None:
        """Show a notice in place of the one before."""


class Encryption(Struct, frozen=True):
    """How the library is protected on the disk.

    Attributes:
        encrypted: Whether Lectern encrypts it.
        refusal: Why Lectern cannot encrypt it here, a key of ``PHRASES``; "" if it can.
        disk: Whether the system encrypts the disk; None if that is not known.
        kept: Whether the keyring has the passphrase.
    """

    encrypted: bool = False
    refusal: str = ""
    disk: bool | None = None
    kept: bool = False


class EndAction(Enum):
    """What the person may choose to happen once the window has closed."""

    ENCRYPT = auto()
    DECRYPT = auto()
    LOCK = auto()
    DELETE = auto()
    RESTART = auto()


@dataclass(frozen=True, slots=True)
class Ending:
    """The person's choice of what happens once the window has closed.

    An empty ``passphrase`` means the one in the keyring; ``keyring`` asks to store a new one there.
    """

    action: EndAction
    passphrase: str = field(default="", repr=False)
    keyring: bool = False


class Context(Struct, frozen=True):
    """The dependencies of every part of the window.

    ``folder`` is the folder of the window's files (history, saved searches), ``library`` that of
    the library. ``read_calls`` returns the newest calls of other programs, up to a number;
    ``encryption`` finds out how the library is protected.
    """

    link: EnginePort
    settings: SettingsPort
    notices: Notices
    folder: Path
    library: Path
    read_calls: Callable[[int], Sequence[Mapping[str, Any]]] = lambda _most: ()
    encryption: Callable[[], Encryption] = Encryption
