"""Sentence borders: what ends one, what does not, and the guard against endless runs."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.text.sentences import MAX_CHARACTERS, lazy_pattern, merge_short, split_sentences

TEXT = st.text(alphabet="aB1é. !?;,\n\"')(中。？」ก।؟…", max_size=200)


def sentences(text: str, language: str = "") -> list[str]:
    starts = split_sentences(text, language)
    ends = [*starts[1:], len(text)]
    return [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("He left. She stayed! Why? Nobody knew.", 4),
        ("Mr. Smith met Dr. Jones and Prof. Bell. They spoke.", 2),
        ("Some fruit, e.g. Apples and i.e. Pears, is red. Yes.", 2),
        ("See No. 5 of Acme Inc. Products there. End.", 2),
        ("He works at Acme Inc. The firm is old.", 2),
        ("The U.S. Government agreed. It signed.", 2),
        ("It happened in the U.S. The rest followed.", 2),
        ("As Sec. 3.2 and Fig. 4 show, it is 3.14 high. Art. IV agrees.", 2),
        ("J. R. R. Tolkien wrote it. George W. Bush did not.", 2),
        ("1. The first point is this. 2. The second is that.", 2),
        ("(a) One thing (b) and another. Last.", 2),
        ('"Go away." Then he left. "Really?" he asked.', 3),
        ("He paused... and went on. Then... Nothing.", 3),
        ("Contents ... 7", 1),
        ("今天天气很好。我们去公园吧！你来吗？", 3),
        ("「行け。」彼は言った。", 2),
        ("यह पहला वाक्य है। यह दूसरा है।", 2),
        ("هل أنت هنا؟ نعم أنا هنا.", 2),
        ("Πού είναι; Ήρθε χθες· είναι εδώ. Τι κάνεις;", 3),
        ("Apples; Pears", 1),
        ("เราไปตลาดซื้อผัก พรุ่งนี้จะไปทะเล ราคา 500 บาท ใครๆ ก็ไป", 4),
        ("오늘은 맑다. 내일은 비가 온다! 정말?", 3),
        ("ראיתי את ד״ר כהן. הוא הלך. מה?", 3),
        ("Row one\nRow two 1,234\nRow three", 3),
        ("version 2.0.1 of www.example.com is out", 1),
        ("lowercase after. a stop is no border", 1),
        ("no. he said", 1),
    ],
)
def test_borders(text: str, count: int) -> None:
    assert len(sentences(text)) == count, sentences(text)


def test_rules_of_one_language() -> None:
    text = "Er kam am 3. Oktober an. Danach ging er."
    assert len(sentences(text, "de")) == 2
    assert len(sentences("Prof. Nowak, np. w Krakowie. Koniec.", "pl")) == 2
    assert len(sentences("Проф. Иванов приехал. Конец.", "ru")) == 2
    assert len(sentences("TP. Hồ Chí Minh rất lớn. Hết.", "vi")) == 2
    assert len(sentences("La página es la pág. Nueve. Fin.", "es")) == 2


def test_text_without_capitals() -> None:
    small = (
        "the first year was good, see no. 5 of it. the second, e.g. the spring, was better. " * 3
    )
    assert len(sentences(small)) == 6
    assert len(sentences(small.replace("the", "The"))) == 6
    assert len(sentences("it was approx. here. " * 2)) == 1


def test_a_run_without_a_stop_is_cut() -> None:
    words = "word " * 2000
    clauses = "some clause here; " * 600
    for text in (words, clauses, "x" * 10_000, "字" * 10_000):
        starts = split_sentences(text)
        ends = [*starts[1:], len(text)]
        lengths = [end - start for start, end in zip(starts, ends, strict=True)]
        assert max(lengths) <= MAX_CHARACTERS
        assert min(lengths[:-1]) >= MAX_CHARACTERS // 2
    assert all(text.endswith("; ") for text in [clauses[: split_sentences(clauses)[1]]])


def test_a_run_without_spaces_is_cut_between_words() -> None:
    text = "北京大学" * 200
    assert all(start % 2 == 0 for start in split_sentences(text))


@given(TEXT, st.sampled_from(["", "en", "de", "zh", "xx"]), st.integers(1, 50))
def test_starts_partition_the_text(text: str, language: str, copies: int) -> None:
    text *= copies
    starts = split_sentences(text, language)
    assert bool(starts) == bool(text)
    if text:
        assert starts[0] == 0
        assert starts == sorted(set(starts))
        ends = [*starts[1:], len(text)]
        lengths = [end - start for start, end in zip(starts, ends, strict=True)]
        assert all(0 < length <= MAX_CHARACTERS for length in lengths)


@given(st.text(alphabet="aB .中", max_size=40), st.text(alphabet="aB .中", max_size=40))
def test_a_line_feed_is_always_a_border(one: str, two: str) -> None:
    text = f"{one.strip()}x\nx{two.strip()}"
    assert len(one.strip()) + 2 in split_sentences(text)


@given(TEXT, st.integers(1, 60))
def test_short_ones_are_joined(text: str, minimum: int) -> None:
    starts = split_sentences(text)
    merged = merge_short(starts, len(text), minimum)
    assert set(merged) <= set(starts)
    assert merged[:1] == starts[:1]
    ends = [*merged[1:], len(text)]
    if len(merged) > 1:
        assert all(end - start >= minimum for start, end in zip(merged, ends, strict=True))


def test_a_pattern_is_compiled_at_its_first_use() -> None:
    broken = lazy_pattern("(")
    with pytest.raises(re.error):
        broken.match("(")
    pattern = lazy_pattern("[\u4e00-\u9fff]+", re.IGNORECASE)
    assert "findall" not in vars(pattern)
    assert pattern.findall("a \u4e01\u4e02 b") == ["\u4e01\u4e02"]
    assert "findall" in vars(pattern)
