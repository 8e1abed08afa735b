"""Qt's application, one for each process, and the window's socket, one for each library.

A second start hands its query over to the first through a local socket that only its owner can
open. The message names the device and inode of the library's folder, since another library may
have taken that path since.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import (
    QEvent,
    QLibraryInfo,
    QLocale,
    QMessageLogContext,
    QObject,
    QRect,
    QRectF,
    QSocketNotifier,
    Qt,
    QTimer,
    QtMsgType,
    QTranslator,
    Signal,
    qInstallMessageHandler,
)
from PySide6.QtGui import QFileOpenEvent, QPainter, QPaintEvent, QPen
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QFrame,
    QSplitter,
    QWidget,
)
from shiboken6 import isValid

from indexer.api.codec import decode, encode
from indexer.api.endpoint import window_address
from indexer.api.errors import WorldError
from indexer.api.private_files import identity
from ui.ports import ignore
from ui.theme import S, current, icon

log = logging.getLogger(__name__)

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class Application(QApplication):
    """Qt's application, which also receives files to open on macOS.

    Signals:
        asked: A local path or an address to open, as an event of macOS; other systems put it on the
            command line.
    """

    asked = Signal(str)

    def event(self, event: QEvent) -> bool:
        if not isinstance(event, QFileOpenEvent):
            return super().event(event)
        self.asked.emit(event.file() or event.url().toString())
        return True


def make_application(arguments: Sequence[str] = ()) -> Application:
    """Make the application; there is one in a process at most."""
    # Qt would round 125 % and 150 %, which makes text too small or too large.
    QApplication.setHighDpiScaleFactorRoundingPolicy(
        Qt.HighDpiScaleFactorRoundingPolicy.PassThrough
    )
    app = Application(["lectern", *arguments])
    app.setApplicationName("lectern")
    app.setApplicationDisplayName("Lectern")
    app.setDesktopFileName("lectern")
    app.setWindowIcon(icon("lectern"))
    # The window decides whether closing it ends the program.
    app.setQuitOnLastWindowClosed(False)
    return app


def use_language(app: QApplication, language: str) -> QLocale:
    """Set the language, ``system`` or a code: texts, numbers and the direction of writing.

    Call it before any widget is made. Without a translation the texts are English.
    """
    wanted = QLocale() if language == "system" else QLocale(language)
    if language != "system":
        # If the system's locale has this language, its country decides how dates are written.
        system = QLocale.system()
        wanted = system if system.language() == wanted.language() else wanted
        QLocale.setDefault(wanted)
    for each in app.findChildren(QTranslator):
        app.removeTranslator(each)
        each.deleteLater()
    ours = QTranslator(app)
    folder = resources.files("resources") / "i18n"
    if not ours.load(wanted, "lectern", "_", str(folder)):
        ours.load("lectern_en", str(folder))
        wanted = QLocale(QLocale.Language.English, wanted.territory())
        if QLocale().zeroDigit() != wanted.zeroDigit():
            QLocale.setDefault(wanted)  # numbers have the digits of the English texts
    app.installTranslator(ours)
    qt = QTranslator(app)
    if qt.load(wanted, "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(qt)
    app.setLayoutDirection(wanted.textDirection())
    return wanted


class FirstPaint(QObject):
    """Emits ``painted`` when a widget is painted for the first time."""

    painted = Signal()

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            # Later: the paint is on the screen only after this event was handled.
            QTimer.singleShot(0, self.painted.emit)
        return False


class Signals(QObject):
    """Ctrl+C and SIGTERM as a Qt signal: ``arrived``.

    Python runs a signal handler only between its own instructions, of which there are none while
    Qt's loop waits, so the signal writes to a socket that wakes the loop.
    """

    arrived = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._previous_fd = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, ignore)  # the wakeup socket reports it
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._drain)

    def close(self) -> None:
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._previous_fd)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        self._reader.close()
        self._writer.close()

    def _drain(self) -> None:
        with contextlib.suppress(OSError):
            self._reader.recv(64)
        self.arrived.emit()


@contextlib.contextmanager
def logged_faults(notify: Callable[[], None]) -> Iterator[None]:
    """Log Qt's warnings, and exceptions of slots, after which ``notify`` is called."""

    def fault(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        log.critical("a fault in the window", exc_info=(kind, error, trace))
        notify()

    def message(kind: QtMsgType, _context: QMessageLogContext, text: str | None) -> None:
        logging.getLogger("qt").log(_LEVELS.get(kind, logging.WARNING), "%s", text)

    before = sys.excepthook
    sys.excepthook = fault
    handler = qInstallMessageHandler(message)
    try:
        yield
    finally:
        qInstallMessageHandler(handler)
        sys.excepthook = before


_RING_PX = 2


class FocusRings(QObject):
    """Keeps a ``FocusRing`` around the widget that has the focus."""

    def __init__(self, app: QApplication, parent: QObject) -> None:
        super().__init__(parent)
        self.ring: FocusRing | None = None
        app.focusChanged.connect(self._move)

    def _move(self, _before: QWidget | None, now: QWidget | None) -> None:
        if self.ring is not None and isValid(self.ring):
            self.ring.hide()
            self.ring.deleteLater()
        # A page only has the focus for its keys, so it gets no ring.
        if now is not None and not now.focusPolicy() & Qt.FocusPolicy.TabFocus:
            now = None
        # Nor does the page of a document, which has no frame and is no list.
        if isinstance(now, QAbstractScrollArea) and not isinstance(now, QAbstractItemView):
            now = now if now.frameShape() is not QFrame.Shape.NoFrame else None
        host = now.parentWidget() if now is not None else None
        # A child of a splitter becomes one of its parts.
        while isinstance(host, QSplitter):
            host = host.parentWidget()
        self.ring = FocusRing(now, host) if now is not None and host is not None else None


class FocusRing(QWidget):
    """A ring over the edge of ``around``, as a child of ``host``, one of its ancestors."""

    def __init__(self, around: QWidget, host: QWidget) -> None:
        super().__init__(host)
        self._around = around
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        around.installEventFilter(self)
        self._place()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Move, QEvent.Type.Resize):
            self._place()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        colours, area = current(), QRectF(self.rect())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # The thin line keeps it visible on the colour of a selection.
        for width, inside, colour in (
            (1, _RING_PX + 0.5, colours.base),
            (_RING_PX, 1, colours.accent),
        ):
            painter.setPen(QPen(colour, width))
            painter.drawRoundedRect(area.adjusted(inside, inside, -inside, -inside), S, S)

    def _place(self) -> None:
        host, around = self.parentWidget(), self._around
        area = around.rect()
        if host is not None:
            self.setGeometry(QRect(around.mapTo(host, area.topLeft()), area.size()))
            self.raise_()


# Milliseconds after which a first window that does not answer counts as hung.
TIMEOUT_MS = 2000
# More than the arguments of a command line can take as JSON, which needs up to six bytes for one.
MAX_BYTES = 16 << 20
DONE = b"ok\n"


class Start(Struct, frozen=True):
    """A further start of the window.

    Attributes:
        query: The text to search for.
        token: The XDG activation token, without which Wayland raises no window.
        paths: Files and folders to open.
        folder: Device and inode of the library's folder, set by ``hand_over``.
    """

    query: str = ""
    token: str = ""
    paths: tuple[str, ...] = ()
    folder: Any = None  # JSON: the codec's integers have 63 bits, an inode may have 64

    @classmethod
    def from_arguments(cls, given: Sequence[str], token: str = "") -> Start:
        """Split arguments into the words of a query and the paths to open.

        A path is absolute or a ``file:`` address, as file managers pass it, and exists; everything
        else belongs to the query.
        """
        paths = [_path_of(argument) for argument in given]
        words = [argument for argument, path in zip(given, paths, strict=True) if not path]
        return cls(" ".join(words), token, tuple(filter(None, paths)))


def _path_of(argument: str) -> str:
    """Return the existing path that an argument names; "" if it names none."""
    path = argument
    if argument.startswith("file:"):
        from urllib.request import url2pathname

        try:
            address = urlsplit(argument)
        except ValueError:
            return ""
        path = url2pathname(address.path) if address.netloc in {"", "localhost"} else ""
    # The system refuses NUL bytes with an error of another kind.
    if "\0" in path or not Path(path).is_absolute() or not os.path.lexists(path):
        return ""
    return os.path.normpath(path)


def hand_over(library: Path, start: Start) -> bool:
    """Send a start to the window of the library; False if there is none.

    It may block for three times ``TIMEOUT_MS``, as this process has no window yet.
    """
    socket = QLocalSocket()
    socket.connectToServer(window_address(library))
    if not socket.waitForConnected(TIMEOUT_MS):
        return False
    start = replace(start, folder=identity(library))
    socket.write(json.dumps(encode(start)).encode() + b"\n")
    while socket.bytesToWrite() and socket.waitForBytesWritten(TIMEOUT_MS):
        pass
    answered = socket.waitForReadyRead(TIMEOUT_MS)
    accepted = answered and bytes(socket.readAll().data()) == DONE
    socket.disconnectFromServer()
    return accepted


class Single(QLocalServer):
    """Listens for further starts. Signals: ``handed_over`` with a ``Start``."""

    handed_over = Signal(object)

    def __init__(self, library: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._folder = identity(library)
        self.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self.newConnection.connect(self._accept)
        name = window_address(library)
        # Checked first, since ``removeServer`` would take a live window's socket away.
        if _is_served(name):
            log.warning("no second start can hand over: another window answers at %s", name)
            return
        QLocalServer.removeServer(name)  # left by a crash
        if not self.listen(name):
            log.warning("no second start can hand over: %s", self.errorString())

    def _accept(self) -> None:
        socket = self.nextPendingConnection()
        socket.readyRead.connect(self._read)
        socket.disconnected.connect(socket.deleteLater)

    def _read(self) -> None:
        socket = self.sender()
        assert isinstance(socket, QLocalSocket)  # noqa: S101  # who else would send it
        if not socket.canReadLine():
            if socket.bytesAvailable() > MAX_BYTES:
                socket.abort()
            return
        try:
            start = decode(Start, json.loads(bytes(socket.readLine(MAX_BYTES).data())))
        except (ValueError, RecursionError, WorldError):
            log.warning("a second start sent an invalid message")
            socket.abort()
            return
        if not self._is_for_this_library(start.folder):
            socket.abort()
            return
        socket.write(DONE)
        socket.flush()
        self.handed_over.emit(start)

    def _is_for_this_library(self, folder: object) -> bool:
        """Return whether a start is for our library; its folder may have been made since."""
        self._folder = self._folder or identity(self._library)
        return self._folder is None or folder == list(self._folder)


def _is_served(name: str) -> bool:
    socket = QLocalSocket()
    socket.connectToServer(name)
    served = socket.waitForConnected(TIMEOUT_MS)
    socket.abort()
    return served
