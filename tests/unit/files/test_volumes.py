from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from indexer.files import scanner as volumes
from indexer.files.scanner import Mount, find_location, location_of, mount_of
from tests.mounting import Mounter, make_image

if TYPE_CHECKING:
    from pathlib import Path

TABLE = (
    rb"22 1 8:2 / / rw shared:1 - ext4 /dev/sda2 rw" + b"\n"
    rb"40 22 8:17 / /media/my\040stick rw - vfat /dev/sdb1 rw" + b"\n"
    rb"41 22 0:50 / /net/docs rw - nfs4 server:/export rw" + b"\n"
    rb"42 22 8:2 /home/me/a /mnt/b rw - ext4 /dev/sda2 rw" + b"\n"
    b"damaged\n"
)


def test_mounts_are_read_with_their_inner_folders() -> None:
    known = list(volumes.parse_mounts(TABLE))
    assert known[1] == Mount(b"/media/my stick", b"/", "vfat", "/dev/sdb1", "8:17")
    assert known[3] == Mount(b"/mnt/b", b"/home/me/a", "ext4", "/dev/sda2", "8:2")
    assert mount_of(b"/media/my stick/x", known) == known[1]
    assert mount_of(b"/media/my sticker", known) == known[0]
    assert mount_of(b"/net/docs", known) == known[2]
    # A later mount at the same point covers the earlier one.
    assert mount_of(b"/", [known[0], Mount(b"/", b"/", "tmpfs", "tmpfs")]) == Mount(
        b"/", b"/", "tmpfs", "tmpfs"
    )


def test_a_location_has_its_folder_on_the_volume(tmp_path: Path) -> None:
    place = location_of(os.fsencode(tmp_path))
    assert place is not None
    assert place.inode == tmp_path.stat().st_ino
    assert place.volume_path
    assert location_of(os.fsencode(tmp_path / "gone")) is None


def test_a_volume_is_recognised_at_another_mount_point(tmp_path: Path, mounter: Mounter) -> None:
    one, two, image = tmp_path / "one", tmp_path / "two", tmp_path / "image"
    one.mkdir()
    two.mkdir()
    make_image(image)
    mounter.image(image, one)
    (one / "documents").mkdir()
    place = location_of(os.fsencode(one / "documents"))
    if place is None or not place.volume:
        pytest.skip("this kernel does not tell volumes apart")
    assert place.volume_path == b"/documents"
    assert list(find_location(place)) == [os.fsencode(one / "documents")]
    mounter.bind(one / "documents", two)
    assert location_of(os.fsencode(two)) == place
    mounter.unmount(two)
    mounter.unmount(one)
    assert list(find_location(place)) == []
    empty = location_of(os.fsencode(one))
    assert empty is not None
    assert empty.volume != place.volume
    mounter.image(image, two)
    assert list(find_location(place)) == [os.fsencode(two / "documents")]
