"""The system-wide hotkey for the search, where the system allows one.

On X11 and Wayland ``ui.hotkey_listeners`` listens, on Windows and macOS pynput, which is loaded
only when a hotkey is chosen.
"""

from __future__ import annotations

import logging
import os
import sys
from typing import TYPE_CHECKING, Any, Protocol, cast

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeySequence

from ui.hotkey_listeners import KeyTakenError, PortalListener, X11Listener

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)

_MODIFIERS = (
    (Qt.KeyboardModifier.ControlModifier, "<cmd>" if sys.platform == "darwin" else "<ctrl>"),
    (Qt.KeyboardModifier.MetaModifier, "<ctrl>" if sys.platform == "darwin" else "<cmd>"),
    (Qt.KeyboardModifier.AltModifier, "<alt>"),
    (Qt.KeyboardModifier.ShiftModifier, "<shift>"),
)
_NAMED = {
    Qt.Key.Key_Space: "<space>", Qt.Key.Key_Return: "<enter>", Qt.Key.Key_Enter: "<enter>",
    Qt.Key.Key_Tab: "<tab>", Qt.Key.Key_Insert: "<insert>", Qt.Key.Key_Home: "<home>",
    Qt.Key.Key_End: "<end>", Qt.Key.Key_PageUp: "<page_up>", Qt.Key.Key_PageDown: "<page_down>",
    Qt.Key.Key_Up: "<up>", Qt.Key.Key_Down: "<down>", Qt.Key.Key_Left: "<left>",
    Qt.Key.Key_Right: "<right>", Qt.Key.Key_Pause: "<pause>",
}  # fmt: skip


class Listener(Protocol):
    """A listener for keys, on a thread of its own, which starts a moment after it is made."""

    def wait(self) -> None:
        """Wait until keys are listened for."""

    def stop(self) -> None: ...


class Refused(Exception):  # noqa: N818  # an answer, not an error
    """There can be no hotkey; the message is a sentence for the person."""


class Hotkey(QObject):
    """Signals: ``pressed``, and ``refused`` with a sentence, some time after the choice.

    Args:
        listen: Starts a listener for keys in pynput's notation; may raise anything.
    """

    pressed = Signal()
    refused = Signal(str)

    def __init__(
        self,
        parent: QObject | None = None,
        listen: Callable[[str, Callable[[], None]], Listener] | None = None,
    ) -> None:
        super().__init__(parent)
        self._listen = listen
        self.listener: Listener | None = None

    def choose(self, keys: str) -> str:
        """Listen for other keys from now on, or for none if they are empty.

        Returns:
            Why that is not possible, in a sentence for the person; "" if it is.
        """
        self.stop()
        if not keys:
            return ""
        try:
            self.listener = self._start(keys)
        except Refused as refused:
            return str(refused)
        except Exception:  # the library raises its own kinds
            log.exception("the hotkey does not work")
            return self.tr("The system does not let Lectern listen for a hotkey.")
        return ""

    def stop(self) -> None:
        if self.listener is not None:
            self.listener.stop()
            self.listener = None

    def _start(self, keys: str) -> Listener:
        notation = pynput_keys(keys)
        if notation is None:
            raise Refused(
                self.tr("“{keys}” is not a hotkey. Try something like Ctrl+Alt+L.").format(
                    keys=keys
                )
            )
        if self._listen is not None:
            return self._listen(notation, self.pressed.emit)
        on_linux = sys.platform == "linux"  # a variable, or mypy takes the rest for unreachable
        if on_linux:
            return self._start_on_linux(keys)
        return self._start_pynput(notation)

    def _start_on_linux(self, keys: str) -> Listener:
        if os.environ.get("XDG_SESSION_TYPE") != "wayland":
            try:
                return X11Listener(cast("Any", QKeySequence(keys))[0], self.pressed.emit)
            except OSError as error:
                log.info("no key can be grabbed: %s", error)
            except KeyTakenError:
                raise Refused(
                    self.tr("Another program has this hotkey. Choose another one.")
                ) from None
        return PortalListener(
            keys, self.tr("Search with Lectern"), self.pressed.emit, self._portal_refused
        )

    def _portal_refused(self) -> None:
        self.refused.emit(
            self.tr(
                "This desktop lets no program listen for keys, or it was declined. Set a key for "
                "the command “lectern” in the system’s keyboard settings instead."
            )
        )

    def _start_pynput(self, notation: str) -> Listener:
        # Imported here, since without a display importing it fails.
        from pynput import keyboard

        listener: Any = keyboard.GlobalHotKeys({notation: self.pressed.emit})
        if getattr(listener, "IS_TRUSTED", True) is False:
            raise Refused(
                self.tr(
                    "macOS asks for your permission first: System Settings, Privacy & Security, "
                    "Accessibility. Allow Lectern there, then start it again."
                )
            )
        listener.start()
        started: Listener = listener
        return started


def pynput_keys(keys: str) -> str | None:
    """Return keys in pynput's notation; None unless they are a function key or have a modifier."""
    sequence = QKeySequence(keys)
    if sequence.count() != 1:
        return None
    combination: Any = cast("Any", sequence)[0]  # its stub does not know indexing
    held = combination.keyboardModifiers()
    name = _key_name(combination.key())
    modifiers = [text for modifier, text in _MODIFIERS if held & modifier]
    strong = held & ~Qt.KeyboardModifier.ShiftModifier
    if name is None or not (strong or name.startswith("<f")):
        return None
    return "+".join([*modifiers, name])


def _key_name(key: Qt.Key) -> str | None:
    if key in _NAMED:
        return _NAMED[key]
    number = int(key)
    first = int(Qt.Key.Key_F1)
    if first <= number < first + 20:
        return f"<f{number - first + 1}>"
    letter = chr(number).lower() if number < 0x3000 else ""
    return letter if letter.isprintable() and letter.strip() else None
