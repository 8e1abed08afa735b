"""Files for other systems are at least complete: manifests and workflows."""

from __future__ import annotations

import hashlib
import importlib
import plistlib
import re
import shutil
import subprocess
import tarfile
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pymupdf
import pytest
import yaml
from PIL import Image

from indexer.ocr.tesseract import install_command
from indexer.query.links import SCHEME
from tests.windows.python import requirements

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[3]
PACKAGING = ROOT / "packaging"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
# A path in the checkout.
_NAMED = re.compile(
    r"(?<![\w/.])(?:packaging|resources|app|indexer|ui|tests|docs|LICENSES)[/\\][\w./\\-]*\w"
)
SPECIFICATION = PACKAGING / "lectern.spec"
FLATPAK = PACKAGING / "linux" / "org.lectern.Lectern.yml"


@pytest.fixture(scope="module")
def scripts() -> dict[str, ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(PACKAGING))
        return {name: importlib.import_module(name) for name in ("build", "macos", "windows")}


def load(file: Path) -> Any:
    return yaml.safe_load(file.read_text("utf-8"))


def lines(workflow: Any) -> Iterator[str]:
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            yield from step.get("run", "").splitlines()


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_workflows_run_existing_targets(file: Path) -> None:
    workflow = load(file)
    # YAML reads the key ``on`` as a boolean.
    assert {"name", True, "jobs", "permissions"} <= workflow.keys()
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for line in lines(workflow):
        if target := re.match(r"make (\S+)", line):
            assert f"\n{target[1]}:" in makefile


def test_every_file_that_a_script_names_exists() -> None:
    command = ["git", "ls-files", "Makefile", ".github", "packaging"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    scripts = [ROOT / name for name in done.stdout.splitlines() if not name.endswith(".png")]
    named = {
        found.replace("\\", "/")
        for script in scripts
        for found in _NAMED.findall(script.read_text("utf-8", "replace"))
    }
    assert {"packaging/lectern.spec", "packaging/linux/install.sh"} <= named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_no_workflow_publishes_automatically() -> None:
    release = load(ROOT / ".github" / "workflows" / "release.yml")
    assert release["permissions"] == {"contents": "read"}
    assert "--draft" in " ".join(lines(release))


def test_the_flatpak_has_no_network_and_changes_nothing(
    scripts: dict[str, ModuleType], tmp_path: Path
) -> None:
    (name,) = (source["path"] for source in load(FLATPAK)["modules"][0]["sources"])
    archive = tmp_path / name
    with tarfile.open(archive, "w:xz") as packed:
        packed.add(FLATPAK, "lectern/share")
    scripts["build"].pin_manifest(archive)
    pinned = tmp_path / FLATPAK.name
    manifest = load(pinned)
    assert "--share=network" not in manifest["finish-args"]
    assert "--filesystem=host:ro" in manifest["finish-args"]
    (source,) = manifest["modules"][0]["sources"]
    assert name == f"lectern-{scripts['build'].version()}-linux-x86_64.tar.xz"
    assert source["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()
    if (program := shutil.which("flatpak-builder")) is None:
        pytest.skip("the rest is for flatpak-builder, which is not here")
    # It compares the hash before it asks for the runtime.
    subprocess.run([program, "--show-manifest", pinned], capture_output=True, check=True)
    state = ["--state-dir", str(tmp_path / "state"), str(tmp_path / "made")]
    command = [program, "--download-only", *state, str(pinned)]
    subprocess.run(command, capture_output=True, check=True)
    archive.write_bytes(archive.read_bytes() + b"changed")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "sha256" in done.stderr


def test_the_bundle_is_described() -> None:
    about = plistlib.loads((PACKAGING / "mac" / "Info.plist").read_bytes())
    assert about["CFBundleExecutable"] == "lectern-window"
    assert about["CFBundleDocumentTypes"]
    (links,) = about["CFBundleURLTypes"]
    assert links["CFBundleURLSchemes"] == [SCHEME]
    rights = plistlib.loads((PACKAGING / "mac" / "entitlements.plist").read_bytes())
    assert not any("network" in right for right in rights)


def test_the_icon_has_the_sizes_that_macos_shows(tmp_path: Path) -> None:
    """``lectern.spec`` draws it, and PyInstaller has Pillow write it in Apple's format."""
    page = pymupdf.open(ROOT / "resources" / "icons" / "lectern.svg")[0]
    scale = 1024 / max(page.rect.width, page.rect.height)
    page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=True).save(tmp_path / "drawn.png")
    made = tmp_path / "lectern.icns"
    with Image.open(tmp_path / "drawn.png") as drawn:
        drawn.save(made)
    with Image.open(made) as icon:
        assert {width * factor for width, _, factor in icon.info["sizes"]} >= {32, 256, 512, 1024}
        assert icon.mode == "RGBA"
    if (program := shutil.which("icns2png")) is None:
        pytest.skip("the rest is for icns2png (icnsutils), which is not here")
    done = subprocess.run([program, "-l", made], capture_output=True, text=True, check=True)
    assert "ic10" in done.stdout


def test_the_bundle_has_the_programs_of_the_specification() -> None:
    about = plistlib.loads((PACKAGING / "mac" / "Info.plist").read_bytes())
    made = re.findall(r'program\(\w+, "([\w-]+)", console=(\w+)\)', SPECIFICATION.read_text())
    assert dict(made)[about["CFBundleExecutable"]] == "False"  # else a terminal opens with it
    assert about["LSArchitecturePriority"] == ["arm64"]
    release = load(ROOT / ".github" / "workflows" / "release.yml")
    # It has such a processor, and pip takes the wheels of its version: none runs on an older one.
    runner = release["jobs"]["macos"]["runs-on"]
    assert f"{runner}.0" == f"macos-{about['LSMinimumSystemVersion']}" == "macos-14.0"


def test_every_installer_registers_links() -> None:
    entry = (PACKAGING / "linux" / "lectern.desktop").read_text("utf-8")
    assert f"x-scheme-handler/{SCHEME};" in entry
    assert "Exec=lectern-window gui %U\n" in entry
    installer = (PACKAGING / "windows" / "lectern.nsi").read_text("utf-8")
    assert f'!define LINKS "Software\\Classes\\{SCHEME}"' in installer
    assert 'DeleteRegKey HKCU "${LINKS}"' in installer


def test_tesseract_is_installed_by_the_command_that_lectern_names() -> None:
    named = install_command("eng", "win32").removeprefix("winget install ")
    assert named in (PACKAGING / "windows" / "lectern.nsi").read_text("utf-8")
    page = (ROOT / "resources" / "help" / "install.md").read_text("utf-8")
    assert {install_command("eng", system) for system in ("win32", "darwin")} <= set(
        page.splitlines()
    )


def test_the_macos_steps_use_the_given_identity(
    scripts: dict[str, ModuleType], tmp_path: Path
) -> None:
    steps = scripts["macos"].steps
    app = tmp_path / "Lectern.app"
    alone = [" ".join(each) for each in steps(app, tmp_path, "1.2.3", {})]
    assert "--options runtime" in alone[0]
    assert "--sign - " in alone[0]
    assert not any("notarytool" in each for each in alone)
    # The image shows the application and the place to drag it to.
    shown = f"{tmp_path}/image"
    assert {f"ditto {app} {shown}/Lectern.app", f"ln -s /Applications {shown}"} <= set(alone)
    assert any(f"-srcfolder {shown} " in each for each in alone)
    given = {"LECTERN_SIGN_IDENTITY": "Developer ID", "LECTERN_NOTARY_PROFILE": "lectern"}
    full = [" ".join(each) for each in steps(app, tmp_path, "1.2.3", given)]
    assert "--sign Developer ID" in full[0]
    assert [each.split()[1] for each in full if each.startswith("xcrun")] == [
        "notarytool", "stapler",
    ]  # fmt: skip


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """An application as PyInstaller lays it out, with small files."""
    app = tmp_path / "Lectern.app"
    contents = app / "Contents"
    for name in ("MacOS", "Frameworks", "Resources/resources/help"):
        (contents / name).mkdir(parents=True)
    shutil.copy(PACKAGING / "mac" / "Info.plist", contents)
    program = contents / "MacOS" / "lectern-window"
    program.write_bytes(bytes.fromhex("cffaedfe"))
    program.chmod(0o755)
    (contents / "Frameworks" / "libone.dylib").write_bytes(b"one" * 100_000)
    (contents / "Frameworks" / "resources").symlink_to("../Resources/resources")
    (contents / "Resources" / "resources" / "help" / "Größe 錠.md").write_text("Hilfe", "utf-8")
    return app


def listed(image: Path, kind: str) -> dict[str, dict[str, str]]:
    """What 7-Zip says of each entry of an image, by its path; it shows links as their targets."""
    command = ["7z", "l", "-slt", f"-t{kind}", str(image)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    _, _, entries = done.stdout.partition("\n----------\n")
    parsed = [
        dict(line.split(" = ", 1) for line in entry.splitlines() if " = " in line)
        for entry in entries.split("\n\n")
    ]
    return {
        unicodedata.normalize("NFC", entry["Path"]): entry for entry in parsed if "Path" in entry
    }


def test_linux_packs_an_image_that_7_zip_opens(
    scripts: dict[str, ModuleType], bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both of its file systems have every file, and HFS+ has links and modes too."""
    if gone := [name for name in ("xorriso", "7z") if not shutil.which(name)]:
        pytest.skip(f"not here: {' '.join(gone)}")
    dist = tmp_path / "dist"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")  # which it changes
    for name, folder in (("APP", bundle), ("DIST", dist), ("WORK", tmp_path / "work")):
        monkeypatch.setattr(scripts["build"], name, folder)
    scripts["build"].main(["image"])
    image = dist / f"Lectern-{scripts['build'].version()}-arm64.dmg"
    files = {
        file.relative_to(bundle.parent).as_posix(): file.stat().st_size
        for file in bundle.rglob("*")
        if file.is_file() and not file.is_symlink()
    }
    assert len(files) == 4
    mac = {path.removeprefix("Lectern/"): entry for path, entry in listed(image, "HFS").items()}
    for entries in (mac, listed(image, "Iso")):
        assert {name: int(entries[name]["Size"]) for name in files} == files
    assert mac["Lectern.app/Contents/MacOS/lectern-window"]["Mode"] == "-r-xr-xr-x"
    links = {"Applications": "/Applications"}
    links["Lectern.app/Contents/Frameworks/resources"] = "../Resources/resources"
    for name, target in links.items():
        assert mac[name]["Mode"].startswith("l")
        packed = ["7z", "e", "-so", "-tHFS", str(image), f"Lectern/{name}"]
        done = subprocess.run(packed, capture_output=True, text=True, check=True)
        assert done.stdout == target
    library = "Contents/Frameworks/libone.dylib"
    packed = ["7z", "e", "-so", "-tHFS", str(image), f"Lectern/Lectern.app/{library}"]
    raw = subprocess.run(packed, capture_output=True, check=True)
    assert raw.stdout == (bundle / library).read_bytes()


def test_without_an_application_no_image_is_made(
    scripts: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scripts["build"], "APP", tmp_path / "Lectern.app")
    with pytest.raises(SystemExit, match="copy it from the Mac"):
        scripts["build"].make_image("cpu")


def test_the_installer_for_windows_compiles_and_is_signed_on_request(
    scripts: dict[str, ModuleType], tmp_path: Path
) -> None:
    if shutil.which("makensis") is None:
        pytest.skip("there is no NSIS here")
    tree = tmp_path / "lectern"
    (tree / "_internal").mkdir(parents=True)
    programs = ("lectern.exe", "lectern-window.exe")
    for name in (*programs, "_internal/library.dll"):
        (tree / name).write_bytes(b"MZ")
    sign = tmp_path / "sign"
    sign.write_text(
        f'#!/bin/sh\nhead -c 2 "$1" >> {tmp_path}/signed; echo " $1" >> {tmp_path}/signed\n'
    )
    sign.chmod(0o755)
    for environment in ({}, {"LECTERN_SIGN_PROGRAM": str(sign)}):
        for command in scripts["windows"].steps(tree, tmp_path / "dist", "1.2.3", environment):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout
        made = tmp_path / "dist" / "lectern-1.2.3-setup.exe"
        assert made.read_bytes()[:2] == b"MZ"
        assert (tmp_path / "signed").exists() == bool(environment)
    signed = (tmp_path / "signed").read_text().splitlines()
    assert len(signed) == 4  # with the uninstaller
    assert {f"MZ {each}" for each in (*(tree / name for name in programs), made)} <= set(signed)


def test_wine_tests_use_the_locked_versions_with_few_exceptions() -> None:
    wanted = requirements()
    pins = re.findall(r"^([\w.-]+)(==\S+)", wanted, re.MULTILINE)
    names = [name for name, _ in pins]
    assert len(names) == len(set(names))
    assert {"lancedb", "onnxruntime", "pymupdf", "numpy", "pytest", "colorama"} <= set(names)
    assert not {"jeepney", "secretstorage"} & set(names)
    locked = (ROOT / "requirements-dev.lock").read_text("utf-8")
    assert [name for name, pin in pins if name + pin not in locked] == ["panda3d"]
    assert all(
        "--hash=sha256:" in each for each in re.split(r"^(?=\w)", wanted, flags=re.MULTILINE)[1:]
    )


def test_the_gpu_runtime_has_the_locked_version() -> None:
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    locked = re.search(r"^onnxruntime==(\S+)", lock, re.MULTILINE)
    assert locked is not None
    other = (PACKAGING / "gpu.txt").read_text("utf-8")
    assert f"onnxruntime-gpu=={locked[1]} " in other
    assert re.search(r"--hash=sha256:[0-9a-f]{64}", other)
