"""Telling the language of a text, and saying nothing rather than something wrong."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.text.language import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The committee shall meet at least once in every year.", "en"),
        ("Der Ausschuss tritt mindestens einmal im Jahr zusammen.", "de"),
        ("Le comité se réunit au moins une fois par an.", "fr"),
        ("El comité se reunirá al menos una vez al año.", "es"),
        ("Il comitato si riunisce almeno una volta all'anno.", "it"),
        ("Комитет собирается не реже одного раза в год.", "ru"),
        ("Комітет збирається щонайменше один раз на рік.", "uk"),
        ("تجتمع اللجنة مرة واحدة على الأقل في كل سنة.", "ar"),
        ("समिति की बैठक प्रत्येक वर्ष कम से कम एक बार होगी।", "hi"),
        ("委员会每年至少召开一次会议。", "zh"),
        ("委員会は毎年少なくとも一回開催される。", "ja"),
        ("위원회는 매년 적어도 한 번 회의를 연다.", "ko"),
        ("คณะกรรมการต้องประชุมอย่างน้อยปีละหนึ่งครั้ง", "th"),
        ("הוועדה תתכנס לפחות פעם בשנה.", "he"),
        ("Η επιτροπή συνεδριάζει τουλάχιστον μία φορά το έτος.", "el"),
        ("", ""),
        ("1,234.5 6,789.0 (12 %) 2019 2020", ""),
        ("hello", ""),
        ("你好", ""),
        ("еда", ""),
        ("见图表三 Figure", "zh"),
        ("Σ is a Greek letter in this English sentence about sums.", "en"),
    ],
)
def test_detect(text: str, language: str) -> None:
    assert detect_language(text) == language


def test_a_long_sample_is_looked_at_throughout() -> None:
    prose = "The committee shall meet at least once in every year. " * 200
    assert detect_language("1,234 5,678 " * 300 + prose) == "en"


@given(st.text(max_size=300))
@settings(deadline=None)
def test_any_text_gives_a_code_or_nothing(text: str) -> None:
    code = detect_language(text)
    assert code == "" or (len(code) == 2 and code.isalpha() and code.islower())


def test_the_classifier_is_loaded_when_needed_only() -> None:
    code = (
        "import sys; from indexer.text.language import detect_language as detect; "
        "detect('见图表三见图表三'); detect('hi');"
        "sys.exit('py3langid' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
