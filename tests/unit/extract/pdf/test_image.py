"""Image files: detection by content, limits on pixels, and which are recognised."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from indexer.api.errors import WorldError
from indexer.config import Limits
from indexer.extract import registry
from indexer.extract.pdf.image import MIN_SIDE, ImageSource, open_source, resolution_of
from indexer.extract.pdf.opening import MAX_PIXELS, open_checked

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = ("png", "jpeg", "tiff", "webp", "avif", "bmp", "gif")


def picture(path: Path, size: tuple[int, int] = (400, 300), frames: int = 1) -> Path:
    shades = [Image.new("L", size, 40 * number) for number in range(frames)]
    if frames > 1:
        shades[0].save(path, save_all=True, append_images=shades[1:])
    else:
        shades[0].save(path)
    return path


def opened(path: Path) -> ImageSource:
    assert registry.identify(path) is registry.IMAGE
    return open_source(path, None, Limits())


@pytest.mark.parametrize("form", FORMATS)
def test_each_image_format_is_a_page_without_text_but_with_content(
    tmp_path: Path, form: str
) -> None:
    source = opened(picture(tmp_path / f"shown.{form}"))
    assert [(page.number, page.text, page.unreadable) for page in source.pages()] == [(1, "", "")]
    assert source.textless == [1]
    source.close()


@pytest.mark.parametrize(("form", "pages"), [("tiff", 3), ("gif", 1)])
def test_a_tiff_has_pages_and_an_animation_its_first_frame(
    tmp_path: Path, form: str, pages: int
) -> None:
    source = opened(picture(tmp_path / f"many.{form}", frames=3))
    assert source.page_count == len(list(source.pages())) == pages
    source.close()


@pytest.mark.parametrize("size", [(16, 16), (MIN_SIDE - 1, 4000), (4000, 1)])
def test_icons_and_thin_images_are_not_recognised(tmp_path: Path, size: tuple[int, int]) -> None:
    source = opened(picture(tmp_path / "icon.png", size))
    assert [page.unreadable for page in source.pages()] == [""]
    assert source.textless == []
    source.close()


@pytest.mark.parametrize("form", ["png", "tiff", "webp"])
def test_a_pixel_bomb_is_rejected_before_it_is_decoded(tmp_path: Path, form: str) -> None:
    side = 16_000 if form == "webp" else 20_000  # the largest WebP
    assert side * side > MAX_PIXELS
    path = tmp_path / f"bomb.{form}"
    if form == "webp":  # only the header, as writing a whole one takes long
        Image.new("L", (16, 16)).save(path, lossless=True)
        content = bytearray(path.read_bytes())
        content[21:25] = ((side - 1) << 14 | (side - 1)).to_bytes(4, "little")
        path.write_bytes(content)
    else:
        with Image.new("1", (side, side)) as bomb:
            bomb.save(path, **({"compression": "group4"} if form == "tiff" else {}))
    with pytest.raises(WorldError) as caught:
        list(opened(path).pages())
    assert caught.value.code == "too_complex"
    assert "megapixels" in caught.value.message


@pytest.mark.parametrize("form", FORMATS)
def test_half_an_image_is_unreadable(tmp_path: Path, form: str) -> None:
    whole = picture(tmp_path / f"whole.{form}").read_bytes()
    path = tmp_path / f"half.{form}"
    for kept in (len(whole) // 2, 40, 20):
        path.write_bytes(whole[:kept])
        with contextlib.suppress(WorldError):  # no other error is allowed
            list(opened(path).pages())


def test_an_image_without_decoder_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic" + bytes(200))
    with pytest.raises(WorldError) as caught:
        registry.identify(path)
    assert (caught.value.code, caught.value.detail["format"]) == ("unsupported", "heic")


def test_a_too_large_image_file_is_rejected(tmp_path: Path) -> None:
    path = picture(tmp_path / "large.bmp")
    with pytest.raises(WorldError) as caught:
        open_source(path, None, Limits(image_bytes=1000))
    assert caught.value.code == "too_large"


def test_the_content_of_an_image_decides_its_format(tmp_path: Path) -> None:
    """An image with the extension of a document is unsupported, though."""
    assert registry.identify(picture(tmp_path / "a.png").rename(tmp_path / "a.jpg")).name == "image"
    assert registry.identify(picture(tmp_path / "b.png").rename(tmp_path / "b")).name == "image"
    (tmp_path / "c.png").write_text("These are words, and no picture at all.")
    with pytest.raises(WorldError):
        open_source(tmp_path / "c.png", None, Limits())
    with pytest.raises(WorldError) as caught:
        registry.identify(picture(tmp_path / "d.png").rename(tmp_path / "d.pdf"))
    assert caught.value.detail["format"] == "png"


@pytest.mark.parametrize(("size", "share"), [((800, 600), 2.0), ((4000, 3000), 1.0)])
def test_small_images_are_enlarged_for_recognition(
    tmp_path: Path, size: tuple[int, int], share: float
) -> None:
    document = open_checked(picture(tmp_path / "shown.png", size), None, Limits())
    page = document[0]
    assert resolution_of(page) * page.rect.width == pytest.approx(share * size[0])
    document.close()
