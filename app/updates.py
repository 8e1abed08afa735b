"""Whether there is a newer version: one signed file, fetched when the person asks for it.

Owns where it is, whose signature counts, and what it says. Nothing here runs by itself, and nothing
is installed. The file is fetched by the launcher, since no other process of ours has a network, and
checked by the one that asked. Whoever publishes Lectern names the place and the key in
``resources/releases.json`` (``packaging/release.py``).
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from importlib import resources
from typing import TYPE_CHECKING, Any

from indexer.api.codec import decode
from indexer.api.errors import InternalError, WorldError
from indexer.confine import launcher
from indexer.embed import connections

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MOST_BYTES = 1 << 18
PATIENCE_S = 30.0
_VERSION = re.compile(r"\d{1,5}(?:\.\d{1,5}){1,3}")


@dataclass(frozen=True, slots=True)
class Source:
    """The address of the list of releases, and its Ed25519 key (base64); may be empty."""

    address: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of a release."""

    name: str
    address: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Release:
    """A released version."""

    version: str
    day: str
    files: tuple[Asset, ...] = ()


@dataclass(frozen=True, slots=True)
class Announcement:
    """What is signed: the releases, and the last day on which to believe that these are all."""

    until: str
    releases: tuple[Release, ...] = ()


def own_source() -> Source:
    """Return the place and the key that this copy was made with."""
    text = (resources.files("resources") / "releases.json").read_text(encoding="utf-8")
    return decode(Source, json.loads(text))


SOURCE = own_source()


def newer(own: str, log_folder: Path, *, offline: bool) -> Release | None:
    """Ask for releases, and return the newest one if it is newer than one's own version.

    Args:
        own: The version that asks.
        log_folder: Where the connection is noted.
        offline: Make no request, and report that.

    Raises:
        WorldError: ``update_unreachable`` or ``update_refused``, with the reason.
    """
    if offline:
        raise WorldError("update_unreachable", reason="offline")
    log_folder.mkdir(parents=True, exist_ok=True)
    try:
        packed = _fetch_outside()
    except WorldError as error:
        connections.note(log_folder, f"GET {SOURCE.address}", error.reason)
        raise
    connections.note(log_folder, f"GET {SOURCE.address}", "connected")
    found = opened(packed, SOURCE.key, datetime.now(UTC).date())
    latest = max(found.releases, key=lambda each: _number(each.version), default=None)
    return latest if latest and _number(latest.version) > _number(own) else None


def opened(packed: str, key: str, today: date) -> Announcement:
    """Check the signature of a file of releases and read it.

    Raises:
        WorldError: ``update_refused``, with the reason.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        outer: Any = json.loads(packed)
        signed = base64.b64decode(outer["signed"], validate=True)
        signature = base64.b64decode(outer["signature"], validate=True)
        public = Ed25519PublicKey.from_public_bytes(base64.b64decode(key, validate=True))
        public.verify(signature, signed)
    except InvalidSignature as error:
        raise WorldError("update_refused", reason="wrong_signature") from error
    except (ValueError, TypeError, KeyError, binascii.Error) as error:
        raise WorldError("update_refused", reason="not_releases") from error
    try:
        found = decode(Announcement, json.loads(signed))
        until = date.fromisoformat(found.until)
        for each in found.releases:
            _number(each.version)
    except (ValueError, WorldError) as error:
        raise WorldError("update_refused", reason="not_releases") from error
    if until < today:
        raise WorldError("update_refused", reason="releases_expired", day=found.until)
    return found


def fetch(_request: launcher.FetchReleases, _gone: Callable[[], bool]) -> str:
    """Fetch the file of releases for a process that has no network; runs in its launcher.

    Raises:
        WorldError: ``update_unreachable``, with the reason.
    """
    from app.settings import Settings

    if Settings()["offline"]:
        raise WorldError("update_unreachable", reason="offline")
    return _fetch(SOURCE)


def _fetch_outside() -> str:
    outside = launcher.current()
    if outside is None:
        return _fetch(SOURCE)
    try:
        return outside.ask(launcher.FetchReleases(), seconds=2 * PATIENCE_S)
    except InternalError as error:
        reason = str(error.detail.get("reason", error.message))
        raise WorldError("update_unreachable", reason=reason) from error


def _fetch(source: Source) -> str:
    """Make the one request: no cookies, no other address, nothing that identifies the client."""
    import ssl
    import urllib.error
    import urllib.request

    import truststore

    class Here(urllib.request.HTTPRedirectHandler):
        """Refuses redirects: only the address that is in the program is contacted."""

        def redirect_request(self, *_about: Any, **_more: Any) -> None:
            return None

    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    opener = urllib.request.build_opener(Here, urllib.request.HTTPSHandler(context=context))
    opener.addheaders = [("User-Agent", "lectern")]
    try:
        with opener.open(source.address, timeout=PATIENCE_S) as answer:
            found: bytes = answer.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "reason", "") or error)
        raise WorldError("update_unreachable", reason=reason.rstrip(".")) from error
    if len(found) > MOST_BYTES:
        raise WorldError("update_refused", reason="not_releases")
    return found.decode("utf-8", "replace")


def _number(version: str) -> tuple[int, ...]:
    """Return a version so that versions can be compared.

    Raises:
        ValueError: If it is none.
    """
    if not _VERSION.fullmatch(version):
        raise ValueError(version)
    return tuple(map(int, version.split(".")))
