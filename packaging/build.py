"""Builds and tests the packages: ``python packaging/build.py [--flavour gpu] [STEP…]``.

Owns the steps from the checkout to ``dist/``: a clean environment from the lock, the wheel with the
compiled models, the frozen tree, its self-test, the packages, checksums and the bill of materials.
``debian`` and ``appimage`` make these packages, ``share`` the files below ``/usr/share``, and
``tesseract`` the program for scanned pages.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import shutil
import sys
import tempfile
import tomllib
import venv
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from command import ROOT, XZ, link_tree, run
from debian import make_debs
from icu import shrink
from large import unexplained
from slim import slim

if TYPE_CHECKING:
    from collections.abc import Sequence

WORK = ROOT / "build" / "package"
DIST = ROOT / "dist"
TREE = WORK / "tree" / "lectern"
APP = TREE.with_name("Lectern.app")  # on macOS
# The folder of licences and of the bill of materials in a package.
ABOUT = APP / "Contents/Resources" if sys.platform == "darwin" else TREE
SHARE = WORK / "share"
MANIFEST = ROOT / "packaging" / "linux" / "org.lectern.Lectern.yml"  # of the Flatpak
TESSERACT = WORK / "tesseract"
PYTHON = WORK / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
SUFFIX = ".exe" if os.name == "nt" else ""
# Requirements that are installed after the lock; those for CUDA take 300 MB more.
FLAVOURS = {"cpu": (), "gpu": (ROOT / "packaging" / "gpu.txt",)}
# The tools that freeze the program, installed in the build environment only.
TOOLS = ("pyinstaller==6.22.3", "pyinstaller-hooks-contrib==2026.9", "setuptools>=77,<82", "wheel")
SOURCE_DATE = "1795305600"  # the modification time of files in the packages


def title(flavour: str) -> str:
    """Return the name of the package of a flavour."""
    return "lectern" if flavour == "cpu" else f"lectern-{flavour}"


def version() -> str:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def make_environment(flavour: str) -> None:
    """Install the lock and the build tools into a new environment."""
    shutil.rmtree(WORK / "env", ignore_errors=True)
    venv.create(WORK / "env", with_pip=True)
    pip = (PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--require-hashes", "-r", ROOT / "requirements.lock")
    for other in FLAVOURS[flavour]:
        run(PYTHON, "-m", "pip", "uninstall", "--quiet", "--yes", "onnxruntime")
        run(*pip, "--no-deps", "--require-hashes", "-r", other)
    run(*pip, *TOOLS)


def make_wheel(_flavour: str) -> None:
    """Build the wheel with the compiled models, check its content, and install it."""
    run(sys.executable, ROOT / "packaging/model/compile_forms.py")
    folder = WORK / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(ROOT / "build" / "lib", ignore_errors=True)  # setuptools would pack old files
    pip = (PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check")
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    check_wheel(wheel)
    run(*pip, "install", "--no-deps", "--force-reinstall", wheel)


def resources() -> list[str]:
    """List the data files of the program, by their paths in the wheel."""
    compiled = (ROOT / "resources/models").glob("*/*.[ob][ni][nn]*")
    forms = [str(path.relative_to(ROOT)) for path in compiled]
    return [*run("git", "ls-files", "resources", capture=True).splitlines(), *forms]


def check_wheel(wheel: Path) -> None:
    """Check that a wheel has all data files, and nothing of tests and packaging.

    Raises:
        SystemExit: If a file is missing or superfluous.
    """
    import zipfile

    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
    if missing := [name for name in resources() if name not in names]:
        sys.exit(f"not in the wheel: {', '.join(missing)}")
    if foreign := [name for name in names if name.startswith(("tests/", "packaging/"))]:
        sys.exit(f"these must not be in the wheel: {', '.join(sorted(foreign)[:5])}")


def freeze(_flavour: str) -> None:
    """Freeze the two programs into one tree."""
    shutil.rmtree(TREE.parent, ignore_errors=True)
    run(
        PYTHON, "-P", "-m", "PyInstaller", "--noconfirm", "--log-level=WARN",
        "--distpath", TREE.parent, "--workpath", WORK / "freezing", ROOT / "packaging/lectern.spec",
    )  # fmt: skip
    if sys.platform == "linux":
        shrink(TREE / "_internal")
        print(f"removed {slim(TREE / '_internal') / 1e6:.0f} MB that nothing loads")
    for name in ("LICENSE", "NOTICE", "README.md"):
        shutil.copy2(ROOT / name, ABOUT / name)
    shutil.copytree(ROOT / "LICENSES", ABOUT / "LICENSES")
    size = sum(path.stat().st_size for path in TREE.rglob("*") if not path.is_symlink())
    print(f"{TREE}: {size / 1e6:.0f} MB")
    if sys.platform == "linux" and (more := unexplained(TREE)):
        sys.exit(f"README.md does not say what is large for what: {', '.join(more)}")


def try_tree(_flavour: str) -> None:
    """Run the self-test of the frozen program in a temporary home."""
    self_test(TREE / f"lectern{SUFFIX}")


def self_test(program: Path, *options: str) -> None:
    """Run the self-test of a program, with an environment that does not name this checkout."""
    with tempfile.TemporaryDirectory(prefix="lectern-") as home:
        environment = {"HOME": home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        if os.name == "nt":  # programs do not start without other variables
            environment = {**os.environ, "LOCALAPPDATA": home}
        run(program, *options, "self-test", environment=environment)


def make_tar(flavour: str) -> None:
    """Pack the tree for systems without dpkg, with ``install.sh``, which installs it in a home."""
    name = f"{title(flavour)}-{version()}-linux-{platform.machine()}"
    work = WORK / "tar"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    link_tree(TREE, work / name)
    shutil.copy2(ROOT / "packaging/linux/install.sh", work / name)
    link_tree(SHARE, work / name / "share")
    link_tree(TESSERACT, work / name / "tesseract")
    DIST.mkdir(exist_ok=True)
    packed = DIST / f"{name}.tar"
    run(
        "tar", "--create", "--file", packed, "--sort=name", f"--mtime=@{SOURCE_DATE}",
        "--owner=root:0", "--group=root:0", "-C", work, name,
    )  # fmt: skip
    run(*XZ, "--force", packed)
    shutil.rmtree(work)
    pin_manifest(packed.with_name(f"{packed.name}.xz"))


def pin_manifest(archive: Path) -> None:
    """Write the Flatpak's manifest, with the hash of its archive, beside that archive."""
    line = f"        path: {archive.name}\n"
    given = MANIFEST.read_text("utf-8")
    if line in given:  # the manifest does not name the archive for CUDA
        pinned = given.replace(line, f"{line}        sha256: {sha256(archive)}\n")
        archive.with_name(MANIFEST.name).write_text(pinned, "utf-8")


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def take_tesseract(_flavour: str) -> None:
    """Gather Tesseract and its languages, for the packages without dependencies."""
    from tesseract import make_tesseract

    make_tesseract(TESSERACT, WORK / "languages")


def make_image_to_run(flavour: str) -> None:
    """Make the AppImage and run its self-test unpacked, as this system may lack FUSE."""
    from appimage import make_appimage

    DIST.mkdir(exist_ok=True)
    made = DIST / f"{title(flavour)}-{version()}-{platform.machine()}.AppImage"
    make_appimage(TREE, SHARE, TESSERACT, made, WORK / "appimage")
    self_test(made, "--appimage-extract-and-run")


def make_shared_files(_flavour: str) -> None:
    """Make the files of Linux packages below ``/usr/share``."""
    from share import make_share

    make_share(SHARE, run(PYTHON, ROOT / "packaging" / "command_reference.py", capture=True))


def make_package(flavour: str) -> None:
    """Make the Debian packages."""
    DIST.mkdir(exist_ok=True)
    make_debs(TREE, DIST, WORK / "deb", version(), SHARE, name=title(flavour))


def try_installed(flavour: str) -> None:
    """Test the Debian packages in a new Debian, if this runs as root and debootstrap is here."""
    if flavour != "cpu" or os.geteuid() or shutil.which("debootstrap") is None:
        print("not tested in a new Debian: that is for the flavour cpu, root and debootstrap")
        return
    (package,) = DIST.glob(f"{title(flavour)}_{version()}_*.deb")
    run(sys.executable, ROOT / "packaging" / "clean_root.py", package)


def make_setup(_flavour: str) -> None:
    """Make the installer for Windows."""
    from windows import steps

    for command in steps(TREE, DIST, version(), os.environ):
        run(*command)


def make_image(_flavour: str) -> None:
    """Make the disk image for macOS; on Linux, from an application that a Mac has made."""
    from macos import steps

    if not APP.is_dir():
        sys.exit(f"{APP} is not there: copy it from the Mac on which it was frozen")
    DIST.mkdir(exist_ok=True)
    for command in steps(APP, DIST, version(), os.environ, sys.platform):
        run(*command)


def list_parts(flavour: str) -> None:
    """Write the bill of materials (CycloneDX) with all licences into the tree and ``dist/``."""
    parts = ABOUT / f"{title(flavour)}-{version()}-{sys.platform}.cdx.json"
    tools = WORK / "parts"
    programs = tools / Path(PYTHON).parent.name
    if not (programs / f"cyclonedx-py{SUFFIX}").exists():
        venv.create(tools, with_pip=True)
        run(programs / PYTHON.name, "-m", "pip", "install", "--quiet", "cyclonedx-bom==7.5.0")
    run(
        programs / f"cyclonedx-py{SUFFIX}", "environment", PYTHON, "--pyproject",
        ROOT / "pyproject.toml", "--output-reproducible", "--gather-license-texts", "-o", parts,
    )  # fmt: skip
    if sys.platform == "linux":
        _add_system_libraries(parts)
    DIST.mkdir(exist_ok=True)
    shutil.copy(parts, DIST)


def sum_up(_flavour: str) -> None:
    """Write the checksums."""
    made = [path for path in sorted(DIST.iterdir()) if path.name != "SHA256SUMS"]
    sums = [f"{sha256(path)}  {path.name}\n" for path in made]
    (DIST / "SHA256SUMS").write_text("".join(sums), "utf-8")


def _add_system_libraries(parts: Path) -> None:
    """Add the libraries that were copied from this system to a bill of materials."""
    from rights import component, packages_of
    from tesseract import STANDINS

    bill = json.loads(parts.read_text("utf-8"))
    copied = [path.name for path in TREE.glob("_internal/lib*.so*")]
    copied += [path.name for path in TESSERACT.glob("*/*") if not STANDINS.match(path.name)]
    bill["components"] += [component(*each) for each in packages_of(copied).items()]
    parts.write_text(json.dumps(bill, indent=2), "utf-8")


Step = Callable[[str], None]
_MADE_OF: dict[str, dict[str, Step]] = {
    "linux": {
        "tesseract": take_tesseract,
        "parts": list_parts,
        "share": make_shared_files,
        "deb": make_package,
        "installed": try_installed,
        "tar": make_tar,
        "appimage": make_image_to_run,
    },
    "win32": {"parts": list_parts, "setup": make_setup},
    "darwin": {"parts": list_parts, "image": make_image},
}
STEPS: dict[str, Step] = {
    "environment": make_environment,
    "wheel": make_wheel,
    "freeze": freeze,
    "try": try_tree,
    **_MADE_OF.get(sys.platform, {}),
    "sums": sum_up,
}
# Made only if it is named.
ASKED: dict[str, Step] = {"image": make_image} if sys.platform == "linux" else {}


def main(arguments: Sequence[str] | None = None) -> int:
    known = STEPS | ASKED
    names = ", ".join(known)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    described = f"of {names}; else the first {len(STEPS)}"
    parser.add_argument("steps", nargs="*", metavar="STEP", help=described)
    parser.add_argument("--flavour", choices=FLAVOURS, default="cpu", help="cpu, or gpu: CUDA")
    options = parser.parse_args(arguments)
    asked = options.steps
    if unknown := set(asked) - known.keys():
        parser.error(f"unknown step {', '.join(sorted(unknown))}; the steps are {names}")
    os.environ["SOURCE_DATE_EPOCH"] = SOURCE_DATE
    WORK.mkdir(parents=True, exist_ok=True)
    wanted = asked or list(STEPS)
    for done, name in enumerate(wanted):
        try:
            known[name](options.flavour)
        except SystemExit:
            print(f'{name} failed; go on with: make package STEPS="{" ".join(wanted[done:])}"')
            raise
    return 0


if __name__ == "__main__":
    sys.exit(main())
