"""Signs lists of releases: ``python packaging/release.py new-key KEY`` or ``sign KEY ADDRESS OUT``.

Makes the file that ``lectern updates --check`` fetches, from the packages in ``dist``. The private
key must not be in the repository; the public key and the address of the file are in
``resources/releases.json``.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from build import DIST, version
from command import ROOT

SOURCE = ROOT / "resources" / "releases.json"
# After this time a list is rejected, which limits attacks that withhold newer ones.
VALID = timedelta(days=180)


def new_key(file: Path) -> str:
    """Write a private key (Ed25519, base64) for its owner only, and return the public key.

    Raises:
        FileExistsError: If the file exists.
    """
    key = Ed25519PrivateKey.generate()
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(base64.b64encode(key.private_bytes_raw()))
    return base64.b64encode(key.public_key().public_bytes_raw()).decode()


def announcement(dist: Path, address: str, number: str, today: date) -> bytes:
    """Return the list of releases, as JSON.

    Args:
        dist: The folder of the packages.
        address: The URL of the folder from which they are downloaded.
        number: The version.
        today: The date of the release.
    """
    files = [
        {
            "name": path.name,
            "address": f"{address.rstrip('/')}/{path.name}",
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in sorted(dist.iterdir())
        if path.suffix in {".deb", ".xz", ".exe", ".dmg", ".AppImage"}
    ]
    release = {"version": number, "day": today.isoformat(), "files": files}
    until = (today + VALID).isoformat()
    return json.dumps({"until": until, "releases": [release]}, indent=1).encode()


def signed(content: bytes, key: Path) -> str:
    """Return a file with the content and its signature, in base64 in JSON."""
    private = Ed25519PrivateKey.from_private_bytes(base64.b64decode(key.read_bytes()))
    packed = {"signed": content, "signature": private.sign(content)}
    return json.dumps({name: base64.b64encode(part).decode() for name, part in packed.items()})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("new-key").add_argument("key", type=Path)
    sign = commands.add_parser("sign")
    sign.add_argument("key", type=Path)
    sign.add_argument("address", help="URL of the folder with the packages")
    sign.add_argument("out", type=Path)
    asked = parser.parse_args()
    if asked.command == "new-key":
        known = json.loads(SOURCE.read_text("utf-8")) | {"key": new_key(asked.key)}
        SOURCE.write_text(json.dumps(known, indent=2) + "\n", "utf-8")
        return 0
    content = announcement(DIST, asked.address, version(), datetime.now(UTC).date())
    asked.out.write_text(signed(content, asked.key), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
