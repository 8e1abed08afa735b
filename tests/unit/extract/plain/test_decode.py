"""Encodings, and the sections of long files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.errors import WorldError
from indexer.extract.plain.decode import MARK, TextFile, find_encoding, open_text

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "Größe, naïve café\r\nsecond line\n\nnew paragraph — “quoted”\n"


@pytest.mark.parametrize(
    ("encoded", "encoding"),
    [
        (TEXT.encode("utf-8"), "utf-8"),
        (TEXT.encode("utf-8-sig"), "utf-8-sig"),
        (TEXT.encode("utf-16"), "utf-16"),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), "utf-16"),
        (TEXT.encode("utf-16-le"), "utf-16-le"),
        (TEXT.encode("utf-16-be"), "utf-16-be"),
        (TEXT.encode("utf-32"), "utf-32"),
        (TEXT.encode("utf-32-le"), "utf-32-le"),
    ],
)
def test_unicode_is_recognised(tmp_path: Path, encoded: bytes, encoding: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(encoded)
    found = open_text(path, limit=1000)
    assert found.encoding == encoding
    marked = encoding == "utf-8-sig"
    assert "\n".join(found.sections()) == (MARK + TEXT if marked else TEXT)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Привет, мир. Это письмо написано давно, и его никто не читал. ", "cp1251"),
        ("Привет, мир. Это письмо написано давно, и его никто не читал. ", "koi8_r"),
        ("これは古い手紙です。誰も読んだことがありません。", "cp932"),
        ("これは古い手紙です。誰も読んだことがありません。", "euc_jp"),
        ("Où étiez-vous ? J’étais déjà là, près de la fenêtre, à côté. ", "cp1252"),
        ("Grüße aus Köln, schöne Straße. ", "cp1252"),
        ("Señor, ¿dónde está el niño? ", "latin-1"),
        ("Zażółć gęślą jaźń. To jest stary list, którego nikt nie czytał. ", "cp1250"),
        ("这是一封很旧的信。没有人读过它。他每天晚上点亮灯。", "gb18030"),
        ("這是一封很舊的信。沒有人讀過它。他每天晚上點亮燈。", "big5"),
        ("이것은 오래된 편지입니다. 아무도 읽지 않았습니다. ", "cp949"),
        ("Αυτό είναι ένα παλιό γράμμα που κανείς δεν διάβασε. ", "cp1253"),
        ("זה מכתב ישן שאיש לא קרא מעולם. ", "cp1255"),
        ("هذه رسالة قديمة لم يقرأها أحد من قبل. ", "cp1256"),
        ("นี่คือจดหมายเก่าที่ไม่มีใครเคยอ่าน ", "cp874"),
    ],
)
@pytest.mark.parametrize("times", [1, 40])
def test_legacy_encodings_are_detected(
    tmp_path: Path, text: str, encoding: str, times: int
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes((text * times).encode(encoding))
    assert "".join(open_text(path, 100_000).sections()) == text * times


def test_bytes_of_no_encoding_still_give_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(bytes(range(128, 256)) * 4)
    assert "".join(TextFile(path, find_encoding(path)).sections())


def test_a_lone_surrogate_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("a\ud800b".encode("utf-16-le", "surrogatepass"))
    assert "".join(TextFile(path, "utf-16-le").sections()).encode("utf-8")


@pytest.mark.parametrize(("size", "code"), [(0, "empty"), (101, "too_large")])
def test_sizes_are_checked(tmp_path: Path, size: int, code: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a" * size)
    with pytest.raises(WorldError) as caught:
        open_text(path, limit=100)
    assert caught.value.code == code


@given(st.text(alphabet="ab é\r\n", max_size=400), st.integers(1, 60))
def test_sections_joined_are_the_file(
    tmp_path_factory: pytest.TempPathFactory, text: str, target: int
) -> None:
    path = tmp_path_factory.mktemp("sections") / "a.txt"
    path.write_bytes(text.encode())
    sections = list(TextFile(path, "utf-8").sections(target))
    assert "\n".join(sections) == text
    assert all(
        "\n" not in section[: target // 2] for section in sections if len(section) > 2 * target
    )
