"""What the doctor says of the encryption of a disk, from files as Linux has them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from app.encryption import disk_encryption

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="files of Linux")
# A device that every Linux has: its number is what stands for a disk here.
NULL = "/dev/null"


def mounted(folder: Path, *rows: tuple[str, str, str]) -> Path:
    """Write a table of mounts: place, type and source of each."""
    table = folder / "mountinfo"
    lines = [f"1 0 8:1 / {at} rw shared:1 - {kind} {source} rw\n" for at, kind, source in rows]
    table.write_text("".join(lines))
    return table


def disk(folder: Path, *layers: str) -> Path:
    """Write the devices below NULL, from the upper to the lowest, each with its name."""
    number = Path(NULL).stat().st_rdev
    devices = folder / "devices"
    at = devices / f"{os.major(number)}:{os.minor(number)}"
    for place, name in enumerate(layers):
        (at / "dm").mkdir(parents=True)
        (at / "dm" / "uuid").write_text(name)
        at = at / "slaves" / f"below-{place}"
    at.mkdir(parents=True)
    return devices


def state(folder: Path, *files: Path) -> str:
    return disk_encryption(folder, *files)[1]


@pytest.mark.parametrize(
    ("layers", "said"),
    [
        ((), f"no encryption found below {NULL}"),
        (("CRYPT-LUKS2-0123-disk",), f"yes: {NULL}"),
        (("LVM-abc", "CRYPT-LUKS1-0123-disk"), f"yes: {NULL}"),
        (("LVM-abc",), f"no encryption found below {NULL}"),
        (("CRYPT-VERITY-0123-disk",), f"no encryption found below {NULL}"),
    ],
)
def test_a_disk_is_encrypted_if_a_device_below_it_is(
    tmp_path: Path, layers: tuple[str, ...], said: str
) -> None:
    table = mounted(tmp_path, ("/", "ext4", NULL))
    assert state(tmp_path, table, disk(tmp_path, *layers)) == said


def test_of_two_disks_below_one_both_must_be_encrypted(tmp_path: Path) -> None:
    table, devices = (
        mounted(tmp_path, ("/", "ext4", NULL)),
        disk(tmp_path, "LVM-abc", "CRYPT-PLAIN-"),
    )
    assert state(tmp_path, table, devices) == f"yes: {NULL}"
    next(devices.glob("*/slaves")).joinpath("other").mkdir()
    assert state(tmp_path, table, devices).startswith("no encryption")


def test_other_disks_of_a_file_system_may_be_plain(tmp_path: Path) -> None:
    table, devices = (
        mounted(tmp_path, ("/", "btrfs", NULL)),
        disk(tmp_path, "CRYPT-LUKS2-0123-disk"),
    )
    assert state(tmp_path, table, devices).startswith("not known: ")


def test_the_innermost_and_latest_mount_counts(tmp_path: Path) -> None:
    inner = tmp_path / "a library"
    inner.mkdir()
    place = str(inner.resolve()).replace(" ", "\\040")
    table = mounted(
        tmp_path, (place, "ext4", NULL), (place, "fuse.gocryptfs", "/x"), ("/", "ext4", NULL)
    )
    devices = disk(tmp_path)
    assert state(inner, table, devices) == "yes: the folder is mounted by gocryptfs"
    assert state(tmp_path, table, devices).startswith("no encryption")


@pytest.mark.parametrize("source", ["tmpfs", "server:/share", "/no/such/device", NULL])
def test_what_is_not_known_is_not_said(tmp_path: Path, source: str) -> None:
    table = mounted(tmp_path, ("/", "nfs", source))
    assert state(tmp_path, table, tmp_path / "none").startswith("not known: ")


def test_without_a_table_of_mounts_it_is_not_known(tmp_path: Path) -> None:
    assert state(tmp_path, tmp_path / "none").startswith("not known: ")
    (tmp_path / "mountinfo").write_text("half a line\n")
    assert state(tmp_path, tmp_path / "mountinfo").startswith("not known: ")


def test_this_machine_is_told_in_one_sentence() -> None:
    said = state(Path.cwd())
    assert said.startswith(("yes: ", "no encryption found", "not known: ")), said
