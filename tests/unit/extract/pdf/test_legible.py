"""Detection of illegible text in any script; in doubt it is legible."""

# ruff: noqa: E501  # ideographs count twice
from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.extract.pdf.glyphs import illegible, mostly_unmapped, should_replace, shows
from tests.unit.extract.bad_fonts import ENGLISH, FRENCH, GERMAN, mapped, rotated, shuffled

TEXTS = {
    "en": ENGLISH,
    "de": GERMAN,
    "fr": FRENCH,
    "pl": "Każdy człowiek ma prawo do życia, wolności i bezpieczeństwa swej osoby. Nie wolno nikogo "
    "czynić niewolnikiem ani nakładać na nikogo służebności; niewolnictwo i handel niewolnikami "
    "są zakazane we wszystkich swych postaciach.",
    "vi": "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi. Mọi con "
    "người đều được tạo hoá ban cho lý trí và lương tâm và cần phải đối xử với nhau trong tình "
    "bằng hữu. Mọi người đều có quyền sống, quyền tự do và an toàn cá nhân.",
    "tr": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana "
    "sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.",
    "fi": "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on "
    "annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä.",
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены "
    "разумом и совестью и должны поступать в отношении друг друга в духе братства.",
    "el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. "
    "Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους.",
    "ar": "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق، وقد وهبوا عقلا وضميرا وعليهم أن "
    "يعامل بعضهم بعضا بروح الإخاء. لكل إنسان حق التمتع بكافة الحقوق والحريات الواردة في هذا.",
    "he": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך "
    "חובה עליהם לנהוג איש ברעהו ברוח של אחווה.",
    "hi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें बुद्धि और "
    "अन्तरात्मा की देन प्राप्त है और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए।",
    "th": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม และควร"
    "ปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ",
    "zh": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。人人有资格享"
    "有本宣言所载的一切权利和自由，不分种族、肤色、性别、语言、宗教、政治或其他见解。",
    "zh-TW": "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。人人有"
    "資格享有本宣言所載的一切權利和自由，不分種族、膚色、性別、語言、宗教、政治或其他見解。",
    "ja": "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心"
    "とを授けられており、互いに同胞の精神をもって行動しなければならない。",
    "ko": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 "
    "부여받았으며 서로 형제애의 정신으로 행동하여야 한다.",
    "figures": "\n".join(
        f"20{year}\t{year * 1371:,}\t({year * 77}.{year})\t{year}.4 %\tQ{year % 4 + 1}"
        for year in range(10, 60)
    ),
    "program": "def keep(self, page: int, maker: str) -> None:\n    with self._write() as connection:\n"
    "        connection.execute(sql, (maker, words, page))\n        faults.reached('kept')\n" * 4,
    "formulas": "∂u/∂t + (u·∇)u = −∇p/ρ + ν∇²u,  ∇·u = 0,  αβγ ≤ Σᵢ xᵢ² ⇒ ∫₀^∞ e^{−λx} dx = 1/λ " * 6,
    "bases": "ACGTTGCAAC GGTACCATGC TTAGCATCGA ACGGTTCCAA TTGACCGATA " * 8,
    "hashes": "ab50ee449bf9 ff3fe9eb621f e14fca5f6814 916a0231ee2c 53abe0d4cc10 " * 8,
    "capitals": "ADVANCED MICRO DEVICES INC EXHIBIT SCHEDULE OF CHARGES AND FEES PARTICIPANT PRINT NAME "
    "TITLE ADDRESS SIGNATURE COMPANY REGISTERED OFFICE NUMBER " * 3,
    "symbols in a formula": "OA OB OC u \uf02b \uf02b \uf03d \uf0b4 " * 20,
    "a leader of dots": "Chapter \uf02e\uf02e\uf02e\uf02e\uf02e\uf02e\uf02e\uf02e\uf02e\uf02e 12\n" * 20,
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_text_of_any_language_is_legible(name: str) -> None:
    assert illegible(TEXTS[name]) == ""


@given(st.text(max_size=400))
def test_any_text_has_a_verdict(text: str) -> None:
    found = illegible(text)
    assert not found or illegible(text) == found


@given(st.text(alphabet=string.ascii_letters + " ", max_size=70))
def test_short_text_is_legible(text: str) -> None:
    assert illegible(text) == ""


@given(st.text(alphabet=string.digits + ".,%()$€-–/ \t\n", max_size=2_000))
def test_figures_are_legible(text: str) -> None:
    assert illegible(text) == ""


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(sorted(TEXTS)), min_size=1, max_size=4))
def test_texts_in_different_languages_on_a_page_are_legible(names: list[str]) -> None:
    assert illegible("\n".join(TEXTS[name] for name in names)) == ""


@settings(max_examples=25, deadline=None)
@given(st.sampled_from((ENGLISH, GERMAN)), st.integers(1, 25))
def test_shifted_letters_are_illegible(text: str, by: int) -> None:
    assert illegible(mapped(text, rotated(by)))


@given(st.sampled_from((ENGLISH, FRENCH)), st.integers(0, 1_000_000))
def test_unmapped_characters_are_illegible(text: str, seed: int) -> None:
    signs = {each: chr(0xE000 + (seed + place) % 0x1900) for place, each in enumerate(set(text))}
    assert illegible("".join(each if each == " " else signs[each] for each in text))


@given(st.sampled_from(sorted(TEXTS)), st.characters(categories=("Co", "Cn")), st.integers(1, 500))
def test_a_repeated_unmapped_character_is_legible(name: str, sign: str, often: int) -> None:
    assert not mostly_unmapped(TEXTS[name] + sign * often)


def test_half_a_page_of_illegible_text_is_found() -> None:
    nothing = mapped(ENGLISH, rotated(3))
    found = illegible(f"{FRENCH}\n{nothing}")
    assert "vhfrqg" in found
    assert "maître" not in found


def test_recognised_text_replaces_illegible_text_only() -> None:
    nothing = mapped(ENGLISH, shuffled(1))
    assert should_replace(ENGLISH, nothing)
    assert not should_replace(ENGLISH, FRENCH)  # its own text is legible
    assert not should_replace(ENGLISH[:100], nothing)  # the recognised text is too short
    assert not should_replace(mapped(ENGLISH, shuffled(2)), nothing)
    assert not should_replace(nothing, nothing)  # the recognised text confirms it
    assert shows(nothing, illegible(nothing))
    assert not shows(ENGLISH, illegible(nothing))
