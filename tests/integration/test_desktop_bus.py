"""``lectern desktop`` on a private bus, with a client that makes the calls of KDE and GNOME."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import threading
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from jeepney import DBusAddress, MessageType, new_method_call, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

from app.doors.desktop_bus import BUS_NAME
from tests.integration.doors import CONTRACTS, OpenDoors, open_doors
from tests.waiting import WAIT_S, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from jeepney.io.blocking import DBusConnection

pytestmark = pytest.mark.skipif(
    shutil.which("dbus-daemon") is None,
    reason="dbus-daemon is not installed (apt-get install dbus)",
)
KDE, GNOME = "org.kde.krunner1", "org.gnome.Shell.SearchProvider2"


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory, tiny_models_dir: Path) -> Iterator[OpenDoors]:
    with open_doors(tmp_path_factory.mktemp("g"), tiny_models_dir) as opened:
        yield opened


@pytest.fixture(scope="module")
def address(doors: OpenDoors) -> Iterator[str]:
    """A private bus, which starts the process by a service file, as if installed.

    It stands for the bus of the system too.
    """
    services = doors.home / "data" / "dbus-1" / "services"
    services.mkdir(parents=True)
    command = " ".join(doors.command("desktop"))
    (services / f"{BUS_NAME}.service").write_text(
        f"[D-BUS Service]\nName={BUS_NAME}\nExec={command}\n"
    )
    daemon = ["dbus-daemon", "--session", "--nofork", f"--address=unix:path={doors.home}/bus"]
    address = f"unix:path={doors.home}/bus"
    environment = {**doors.environment, "DBUS_SYSTEM_BUS_ADDRESS": address}
    with subprocess.Popen(
        [*daemon, "--print-address"], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def bus(address: str) -> Iterator[DBusConnection]:
    with open_dbus_connection(address) as connection:
        yield connection


def call(bus: DBusConnection, interface: str, member: str, *asked: Any) -> Any:
    """Make a call, with its signature and values, and return the body of the answer."""
    address = DBusAddress("/search", BUS_NAME, interface)
    signature, *values = asked or (None,)
    message = new_method_call(address, member, signature, tuple(values))
    answer = bus.send_and_get_reply(message, timeout=WAIT_S)
    if answer.header.message_type is MessageType.error:
        raise ValueError(answer.header.fields)
    return answer.body


def has_owner(bus: DBusConnection) -> bool:
    return bool(bus.send_and_get_reply(message_bus.NameHasOwner(BUS_NAME)).body[0])


def test_nothing_runs_until_it_is_asked_and_it_is_small(
    doors: OpenDoors, bus: DBusConnection
) -> None:
    assert not has_owner(bus)
    doors.allow("desktop")
    assert call(bus, KDE, "Match", "s", "landlord mends") == ([],)
    assert has_owner(bus)


def test_krunner_finds_only_what_was_allowed(doors: OpenDoors, bus: DBusConnection) -> None:
    doors.allow("desktop", CONTRACTS)
    wait_for(lambda: call(bus, KDE, "Match", "s", "landlord")[0])
    (matches,) = call(bus, KDE, "Match", "s", "landlord")
    name, text, icon, kind, relevance, facts = matches[0]
    assert name.startswith(str(doors.world.documents / "contracts"))
    assert text
    assert (icon, kind) == ("lectern", 30)
    assert 0 < relevance < 1
    assert "landlord" in facts["subtext"][1]
    assert call(bus, KDE, "Match", "s", "xylophone") == ([],)
    assert call(bus, KDE, "Match", "s", "la") == ([],)
    assert call(bus, KDE, "Actions")[0][0][0] == "show"
    call(bus, KDE, "Teardown")


def test_gnome_gets_ids_and_what_to_show(doors: OpenDoors, bus: DBusConnection) -> None:
    doors.allow("desktop", CONTRACTS)
    asked = ("as", ["landlord", "roof"])
    wait_for(lambda: call(bus, GNOME, "GetInitialResultSet", *asked)[0])
    (names,) = call(bus, GNOME, "GetInitialResultSet", *asked)
    (again,) = call(bus, GNOME, "GetSubsearchResultSet", "asas", names, ["landlord", "roof"])
    assert again == names
    (metas,) = call(bus, GNOME, "GetResultMetas", "as", [*names, "nothing"])
    assert [meta["id"][1] for meta in metas] == names
    assert all(meta["name"][1] and meta["description"][1] for meta in metas)


@contextlib.contextmanager
def saying(address: str, name: str, answer: tuple[str, tuple[Any, ...]]) -> Iterator[None]:
    """Own a name on the bus, as a screen saver does, and give one answer to every call."""
    with open_dbus_connection(address) as saver:
        saver.send_and_get_reply(message_bus.RequestName(name))
        ended = threading.Event()

        def serve() -> None:
            while not ended.is_set():
                with contextlib.suppress(TimeoutError):
                    asked = saver.receive(timeout=0.1)
                    if asked.header.message_type is MessageType.method_call:
                        saver.send(new_method_return(asked, *answer))

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


LOCKED = [
    ("org.freedesktop.ScreenSaver", ("b", (True,)), False),
    ("org.gnome.ScreenSaver", ("b", (True,)), False),
    ("org.freedesktop.login1", ("v", (("b", True),)), False),
    ("org.freedesktop.ScreenSaver", ("b", (False,)), True),
    ("org.freedesktop.login1", ("v", (("b", False),)), True),
    ("org.gnome.ScreenSaver", ("s", ("yes",)), True),  # unknown: as configured
]


@pytest.mark.parametrize(("name", "answer", "found"), LOCKED)
def test_nothing_is_answered_while_the_screen_is_locked(
    doors: OpenDoors,
    bus: DBusConnection,
    address: str,
    name: str,
    answer: tuple[str, tuple[Any, ...]],
    found: bool,
) -> None:
    doors.allow("desktop", CONTRACTS)
    wait_for(lambda: call(bus, GNOME, "GetInitialResultSet", "as", ["landlord"])[0])
    (names,) = call(bus, GNOME, "GetInitialResultSet", "as", ["landlord"])
    with saying(address, name, answer):
        if found:
            wait_for(lambda: call(bus, KDE, "Match", "s", "landlord")[0])
        else:
            assert call(bus, KDE, "Match", "s", "landlord") == ([],)
            assert call(bus, GNOME, "GetInitialResultSet", "as", ["landlord"]) == ([],)
        assert bool(call(bus, GNOME, "GetResultMetas", "as", names)[0]) is found
    wait_for(lambda: call(bus, KDE, "Match", "s", "landlord")[0])


@pytest.mark.parametrize(
    ("interface", "member", "asked"),
    [
        (KDE, "Nothing", ()),
        (KDE, "Match", ("i", 5)),
        (KDE, "Match", ("ss", "a", "b")),
        (GNOME, "GetInitialResultSet", ("s", "x")),
        ("org.example.Other", "Match", ("s", "landlord")),
    ],
)
def test_a_wrong_call_is_an_error_and_ends_nothing(
    bus: DBusConnection, interface: str, member: str, asked: tuple[Any, ...]
) -> None:
    try:
        answer = call(bus, interface, member, *asked)
    except ValueError:
        pass
    else:
        assert answer == ([],)
    assert call(bus, KDE, "Match", "s", "x" * 100_000) == ([],)


def test_it_ends_with_the_bus_of_its_session(doors: OpenDoors, tmp_path: Path) -> None:
    address = f"unix:path={tmp_path}/bus"
    daemon = ["dbus-daemon", "--session", "--nofork", f"--address={address}", "--print-address"]
    environment = {**doors.environment, "DBUS_SESSION_BUS_ADDRESS": address}
    with subprocess.Popen(daemon, stdout=subprocess.PIPE, text=True) as session:
        assert session.stdout is not None
        session.stdout.readline()
        with subprocess.Popen(doors.command("desktop"), env=environment) as desktop:
            with open_dbus_connection(address) as connection:
                wait_for(lambda: has_owner(connection))
            session.kill()
            assert desktop.wait(WAIT_S) == 0


def test_the_process_knows_no_heavy_library(bus: DBusConnection) -> None:
    call(bus, KDE, "Teardown")
    number = bus.send_and_get_reply(message_bus.GetConnectionUnixProcessID(BUS_NAME)).body[0]
    maps = {os.path.basename(one.path) for one in psutil.Process(number).memory_maps()}  # noqa: PTH119  # names
    assert not [name for name in maps if "onnxruntime" in name or "lance" in name or "Qt6" in name]
