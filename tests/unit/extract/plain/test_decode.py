"""Encodings, and the sections of long files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.errors import WorldError
from indexer.extract.plain.decode import (
    MARK,
    Encoding,
    TextFile,
    decoded,
    known_encoding,
    languages_expected,
    open_text,
    wide_encoding,
)

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
    assert found.encoding.name == encoding
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
    assert "".join(open_text(path, 1000).sections())


def test_a_lone_surrogate_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("a\ud800b".encode("utf-16-le", "surrogatepass"))
    assert "".join(TextFile(path, Encoding("utf-16-le")).sections()).encode("utf-8")


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
    sections = list(TextFile(path, Encoding("utf-8")).sections(target))
    assert "\n".join(sections) == text
    assert all(
        "\n" not in section[: target // 2] for section in sections if len(section) > 2 * target
    )


def read(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return "\n".join(open_text(path, 10_000_000).sections())


GERMAN = "Die größte Bücherei in Köln schließt früh.\n"


@pytest.mark.parametrize("damage", [b"\xff", b"caf\xe9 ", b"\xe2\x82", b"\x80"])
def test_a_damaged_byte_costs_that_byte(tmp_path: Path, damage: bytes) -> None:
    for data in (damage + b"\n" + GERMAN.encode(), GERMAN.encode() + damage + GERMAN.encode()):
        assert GERMAN in read(tmp_path / "a.txt", data)
        assert GERMAN in decoded(data, "utf-8")


@pytest.mark.parametrize("letter", ["é", "ß", "Ω", "я", "Ł"])
def test_a_damaged_byte_beside_a_single_letter_costs_that_byte(letter: str) -> None:
    data = f"# Ledger\n\nThe {letter} owes ".encode() + b"\xff 12 pounds.\n"
    assert decoded(data) == f"# Ledger\n\nThe {letter} owes \ufffd 12 pounds.\n"


def test_a_log_of_two_programs_is_in_two_encodings(tmp_path: Path) -> None:
    utf_8, cp1252 = GERMAN.encode() * 3000, GERMAN.encode("cp1252")
    for data in (utf_8 + cp1252, cp1252 + utf_8 + cp1252, cp1252 * 3000 + utf_8):
        assert "\ufffd" not in read(tmp_path / "a.log", data)
        assert set(read(tmp_path / "a.log", data).splitlines()) == {GERMAN.strip()}


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("Договор аренды вступает в силу.", "cp1251"), ("Η σύμβαση μίσθωσης ισχύει.", "cp1253"),
     ("来週の取締役会は大阪支店で開催されます。", "iso2022_jp"), (GERMAN, "cp1252")],
)  # fmt: skip
def test_the_first_foreign_letter_may_come_late(tmp_path: Path, text: str, encoding: str) -> None:
    data = b"Nothing but plain words.\n" * 20_000 + text.encode(encoding)
    assert read(tmp_path / "a.txt", data).endswith(text)


@pytest.mark.parametrize(
    ("label", "text", "encoded"),
    [
        ("gb2312", "朱镕基先生", "朱镕基先生".encode("gbk")),
        ("GBK", "㐂字", "㐂字".encode("gb18030")),
        ("Shift_JIS", "①見積書 ㈱山田商店 Ⅲ型 ﾃｽﾄ", "①見積書 ㈱山田商店 Ⅲ型 ﾃｽﾄ".encode("cp932")),
        ("x-sjis", "①見積書", "①見積書".encode("cp932")),
        ("euc-kr", "똠방각하", "똠방각하".encode("cp949")),
        ("ks_c_5601-1987", "똠방각하", "똠방각하".encode("cp949")),
        ("iso-8859-1", "“Zürich” – 5 €", "“Zürich” – 5 €".encode("cp1252")),
        ("iso-8859-9", "“İstanbul”", "“İstanbul”".encode("cp1254")),
        ("big5", "香港嘅", "香港嘅".encode("big5hkscs")),
        ("euc-jp", "①議題 ㈱ﾃｽﾄ丂",
         b"\xad\xa1\xb5\xc4\xc2\xea \xad\xea\x8e\xc3\x8e\xbd\x8e\xc4\x8f\xb0\xa1"),
        ("iso-2022-jp", "①議題 ﾃｽﾄ abc", b"\x1b$B-!5DBj\x1b(B \x1b(IC=D\x1b(B abc"),
        ("", "議題 abc", b"\x1b$B5DBj\x1b(B abc"),
        ("hz-gb-2312", "之乎者也", "之乎者也".encode("hz")),
        ("iso-2022-kr", "안녕하세요", "안녕하세요".encode("iso2022_kr")),
        ("utf-8", "Größe", "Größe".encode("cp1252")),
        ("nonsense", "Größe in Köln", "Größe in Köln".encode("cp1252")),
        ("latin-1", "Größe", "Größe".encode()),
    ],
)  # fmt: skip
def test_labels_are_read_as_browsers_read_them(label: str, text: str, encoded: bytes) -> None:
    assert decoded(encoded, label) == text


@pytest.mark.parametrize("label", ["hex", "base64", "rot13", "", "utf-16", "\0", "x" * 500])
def test_a_label_of_no_encoding_is_none(label: str) -> None:
    assert known_encoding(label) == ""


@pytest.mark.parametrize(
    "text",
    ["租赁合同自双方签字之日起生效，押金为三个月租金。", "這是一封很舊的信。", "これは古い手紙です",
     "이것은 오래된 편지입니다", "Привет, мир", "Αυτό είναι", "זה מכתב ישן", "สวัสดีชาวโลก"],
)  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_of_any_script_needs_no_mark(tmp_path: Path, text: str, encoding: str) -> None:
    assert read(tmp_path / "a.txt", text.encode(encoding)) == text


@pytest.mark.parametrize("encoding", ["cp932", "euc_jp", "gb18030", "big5", "cp949", "cp1251"])
def test_bytes_of_old_encodings_are_not_taken_for_utf_16(encoding: str) -> None:
    texts = [
        "これは古い手紙です",
        "这是一封很旧的信",
        "這是一封很舊的信",
        "이것은 오래된",
        "Привет, мир",
    ]
    for text in texts:
        assert wide_encoding(text.encode(encoding, "ignore")) == ""


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_zeros_in_a_text_are_spaces(tmp_path: Path, encoding: str) -> None:
    text = GERMAN.encode(encoding)
    assert read(tmp_path / "a.txt", b"plain\n\0\0" + text) == f"plain\n  {GERMAN}"
    assert read(tmp_path / "a.txt", bytes(600_000) + text).lstrip(" ") == GERMAN
    assert read(tmp_path / "a.txt", text + bytes(300)).rstrip(" ") == GERMAN


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("Список товаров", "cp1251"), ("Список товаров", "koi8-r"), ("Список товаров", "cp866"),
     ("Příliš žluťoučký kůň", "cp1250"), ("Πρακτικά", "cp1253"), ("Żółta łódź", "iso8859-2"),
     ("Müller, Köln", "cp1252")],
)  # fmt: skip
def test_a_short_text_is_read(text: str, encoding: str) -> None:
    assert decoded(text.encode(encoding)) == text


def test_the_languages_beside_a_text_decide_where_its_letters_do_not() -> None:
    assert decoded("Ünite".encode("cp1254")) == "Ünite"
    with languages_expected(["pl"]):
        assert decoded("Łąka".encode("iso8859-2")) == "Łąka"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("İstanbul Büyükşehir Belediyesi ihale şartnamesi ve ödeme koşulları.", "cp1254"),
        ("Bu akşam çok yağmur yağdı.", "cp1254"),
        ("Þjóðin hefur samþykkt nýja stjórnarskrá og ýmis lög um fiskveiðar.", "cp1252"),
        ("Það er ekki gott að vera einn á ferð.", "cp1252"),
    ],
)
def test_turkish_is_told_from_icelandic(text: str, encoding: str) -> None:
    assert decoded(text.encode(encoding)) == text
