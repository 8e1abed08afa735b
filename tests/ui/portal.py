"""A desktop portal on a private message bus, which answers for the person."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

if sys.platform == "linux":  # for which alone it is installed
    from jeepney import (
        DBusAddress,
        HeaderFields,
        MessageType,
        message_bus,
        new_method_return,
        new_signal,
    )
    from jeepney.io.blocking import open_dbus_connection

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from jeepney import Message

HAS_BUS = shutil.which("dbus-daemon") is not None
_BUS, _OBJECT = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
# The session's own configuration would start the portal of this system.
_CONFIG = """<busconfig>
<type>session</type><listen>unix:tmpdir=/tmp</listen>
<policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
</policy></busconfig>"""
_SESSION = f"{_OBJECT}/session/1"


class FakePortal:
    """Offers ``GlobalShortcuts`` until its bus ends; ``code`` 1 declines what is asked."""

    def __init__(self, address: str, code: int = 0) -> None:
        self.code = code
        self.calls: list[tuple[str, Any]] = []
        self._bus = open_dbus_connection(address)
        self._bus.send_and_get_reply(message_bus.RequestName(_BUS))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def press(self, name: str = "search", session: str = _SESSION) -> None:
        emitter = DBusAddress(_OBJECT, _BUS, f"{_BUS.removesuffix('Desktop')}GlobalShortcuts")
        self._bus.send(new_signal(emitter, "Activated", "osta{sv}", (session, name, 1, {})))

    def _serve(self) -> None:
        with contextlib.suppress(OSError, EOFError), self._bus:
            while True:
                message = self._bus.receive()
                if message.header.message_type is MessageType.method_call:
                    self._answer(message)

    def _answer(self, message: Message) -> None:
        fields = message.header.fields
        token = message.body[-1]["handle_token"][1]
        sender = fields[HeaderFields.sender].lstrip(":").replace(".", "_")
        request = f"{_OBJECT}/request/{sender}/{token}"
        results = {"session_handle": ("s", _SESSION)} if len(message.body) == 1 else {}
        emitter = DBusAddress(request, _BUS, "org.freedesktop.portal.Request")
        # Before the reply: a portal may be as quick.
        self._bus.send(new_signal(emitter, "Response", "ua{sv}", (self.code, results)))
        self._bus.send(new_method_return(message, "o", (request,)))
        self.calls.append((fields[HeaderFields.member], message.body))


@contextlib.contextmanager
def private_bus(folder: Path) -> Iterator[str]:
    """Run a message bus that starts no services, and yield its address."""
    config = folder / "bus.conf"
    config.write_text(_CONFIG)
    with subprocess.Popen(
        ["dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile", "--print-address=1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
