"""The commands that sign, notarise and pack the disk image for macOS on Apple processors.

Without an identity the application is signed for this machine only; without an account it is not
notarised. There is no image for Intel, since LanceDB and ONNX Runtime have no wheels for it any
more. This module was written from Apple's documentation and never ran on a Mac. Linux has no
``codesign``: an image made there keeps the signatures it came with, and is not compressed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RIGHTS = Path(__file__).parent / "mac" / "entitlements.plist"
IDENTITY, PROFILE = "LECTERN_SIGN_IDENTITY", "LECTERN_NOTARY_PROFILE"


def steps(
    app: Path, dist: Path, version: str, environment: Mapping[str, str], system: str = "darwin"
) -> Iterator[list[str]]:
    """Yield the commands that make the image of an application.

    Args:
        app: The bundle, changed in place.
        dist: The folder of the image.
        version: The version of the program.
        environment: May have the signing identity (``IDENTITY``) and the profile of ``notarytool``
            in the keychain (``PROFILE``).
        system: The system on which the commands run: a Mac, or Linux.
    """
    identity = environment.get(IDENTITY, "")
    profile = environment.get(PROFILE, "")
    image = str(dist / f"Lectern-{version}-arm64.dmg")
    # The folder that the image shows: the application beside the folder to drag it to.
    shown = app.with_name("image")
    if system == "linux":
        yield from _shown(app, shown, "cp", "--archive")
        # The image has HFS+, which macOS reads, and ISO 9660 for systems that cannot read HFS+.
        yield [
            "xorriso", "-as", "mkisofs", "-quiet", "-input-charset", "utf-8", "-D", "-l", "-r",
            "-dir-mode", "0755", "-hfsplus", "-V", "Lectern", "-o", image, str(shown),
        ]  # fmt: skip
        return
    timestamp = ["--timestamp"] if identity else []  # asks Apple's server
    yield [
        "codesign", "--force", "--deep", "--options", "runtime", *timestamp,
        "--entitlements", str(RIGHTS), "--sign", identity or "-", str(app),
    ]  # fmt: skip
    yield ["codesign", "--verify", "--deep", "--strict", str(app)]
    yield from _shown(app, shown, "ditto")
    yield [
        "hdiutil", "create", "-volname", "Lectern", "-srcfolder", str(shown), "-format", "ULMO",
        "-ov", image,
    ]  # fmt: skip
    if identity:
        yield ["codesign", "--sign", identity, "--timestamp", image]
    if identity and profile:
        yield ["xcrun", "notarytool", "submit", image, "--keychain-profile", profile, "--wait"]
        yield ["xcrun", "stapler", "staple", image]


def _shown(app: Path, shown: Path, *copy: str) -> Iterator[list[str]]:
    yield ["rm", "-rf", str(shown)]
    yield ["mkdir", str(shown)]
    yield [*copy, str(app), str(shown / app.name)]
    yield ["ln", "-s", "/Applications", str(shown)]
