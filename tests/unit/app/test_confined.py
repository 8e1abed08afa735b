"""Which displays count as local."""

from __future__ import annotations

import socket
import sys

import pytest

from app.confined import has_local_display
from indexer.confine import network


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"QT_QPA_PLATFORM": "offscreen"},
        {"QT_QPA_PLATFORM": "offscreen:size=800x600", "DISPLAY": "far:0"},
        {"QT_QPA_PLATFORM": "wayland", "DISPLAY": "far:0"},
        {"QT_QPA_PLATFORM": "wayland-egl;offscreen"},
        {"WAYLAND_DISPLAY": "wayland-0"},
    ],
)
def test_a_display_of_this_machine_is_local(environment: dict[str, str]) -> None:
    assert has_local_display(environment)


@pytest.mark.skipif(sys.platform != "linux", reason="X11's sockets of Linux")
@pytest.mark.parametrize(
    "environment",
    [
        {"DISPLAY": "far:0"},
        {"DISPLAY": "localhost:10.0"},
        {"DISPLAY": "tcp/localhost:0"},
        {"DISPLAY": ":54321"},  # without a local socket Xlib would try TCP
        {"QT_QPA_PLATFORM": "wayland;xcb", "DISPLAY": "far:0"},
        {"QT_QPA_PLATFORM": "vnc:port=5900"},
    ],
)
def test_a_display_that_is_reached_over_the_network_is_not(environment: dict[str, str]) -> None:
    assert not has_local_display(environment)


@pytest.mark.skipif(sys.platform != "linux", reason="X11's sockets of Linux")
def test_a_display_without_a_host_is_local_where_it_has_a_socket() -> None:
    number = 54322
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0/tmp/.X11-unix/X{number}")  # abstract, no file
        server.listen()
        for display in (f":{number}", f":{number}.1", f"unix:{number}"):
            assert has_local_display({"DISPLAY": display})


def test_a_process_that_is_not_confined_is_reported_and_no_problem() -> None:
    before = network.current()
    try:
        network.skip("the display is far")
        ok, value, _advice = network.verdict()
        assert (ok, value) == (True, "not cut off: the display is far")
    finally:
        network.skip(before.why_not)
