"""The Debian packages are made as Debian's checker wants them."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

PACKAGING = Path(__file__).resolve().parents[3] / "packaging"
NEEDED = ("dpkg-deb", "ar", "xz", "objdump", "lintian")


@pytest.mark.skipif(not all(map(shutil.which, NEEDED)), reason="needs dpkg, binutils and lintian")
def test_the_packages_of_a_small_tree_pass_lintian(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.syspath_prepend(str(PACKAGING))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795305600")
    debian = importlib.import_module("debian")
    # As where a person's group may write what the person makes.
    before = os.umask(0o002)
    request.addfinalizer(lambda: os.umask(before))
    tree, share, dist = (tmp_path / name for name in ("tree", "share", "dist"))
    for folders, *_ in debian.PARTS.values():
        for folder in folders:
            (tree / folder).mkdir(parents=True)
            (tree / folder / "part").write_text("part")
    for name in ("NOTICE", "LICENSE"):
        shutil.copy(PACKAGING.parent / name, tree)
    shutil.copy("/bin/true", tree / "lectern")
    shutil.copy("/bin/true", tree / "lectern-window")
    libc = next(Path("/lib").glob("*/libz.so.1")).resolve()
    shutil.copy(libc, tree / "_internal" / "library.so.1")
    (tree / "_internal" / "library.so.1").chmod(0o755)
    metainfo = "org.lectern.Lectern.metainfo.xml"
    (share / "metainfo").mkdir(parents=True)
    shutil.copy(PACKAGING / "linux" / metainfo, share / "metainfo")
    dist.mkdir()
    debian.make_debs(tree, dist, tmp_path / "work", "1.2.3", share, name="lectern")
    made = list(dist.iterdir())
    names = {path.name.partition("_")[0] for path in made}
    assert names == {"lectern", "lectern-languages", "lectern-large"}
    command = ["lintian", "--allow-root", "--fail-on", "error,warning", *map(str, made)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
