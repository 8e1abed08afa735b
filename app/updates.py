"""Looks for a newer version in one signed file, fetched only when the person asks.

Owns the file's address, its key and its content. Nothing is installed. The launcher fetches the
file, since no other process of ours has a network, and the process that asked checks it. Address
and key are in ``resources/releases.json`` (``packaging/release.py``).
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
from indexer.api.phrases import reason_in
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
    """The signed content: the releases, and the day until which the list counts as complete."""

    until: str
    releases: tuple[Release, ...] = ()


def own_source() -> Source:
    """Return the address and the key that this copy was built with."""
    text = (resources.files("resources") / "releases.json").read_text(encoding="utf-8")
    return decode(Source, json.loads(text))


SOURCE = own_source()


def newer(own: str, log_folder: Path, *, offline: bool) -> Release | None:
    """Fetch the releases, and return the newest if it is newer than ``own``.

    Args:
        own: The version of this program.
        log_folder: Where the connection is noted.
        offline: Make no request, and raise ``update_unreachable``.

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
        reason = reason_in(error.detail, error.message)
        raise WorldError("update_unreachable", reason=reason) from error


def _fetch(source: Source) -> str:
    """Make one request, without cookies, redirects or anything that identifies the client."""
    import ssl
    import urllib.error
    import urllib.request

    import truststore

    class NoRedirects(urllib.request.HTTPRedirectHandler):
        """Refuses redirects, so that only the address in the program is contacted."""

        def redirect_request(self, *_about: Any, **_more: Any) -> None:
            return None

    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    opener = urllib.request.build_opener(NoRedirects, urllib.request.HTTPSHandler(context=context))
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
    """Return a version as numbers, which compare.

    Raises:
        ValueError: For text that is no version.
    """
    if not _VERSION.fullmatch(version):
        raise ValueError(version)
    return tuple(map(int, version.split(".")))
