"""What is left of ICU's data is enough: words are found and names sorted as with all of it."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import PySide6
import pytest
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from types import ModuleType

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("cc"), reason="libraries are compiled on Linux"
)
ROOT = Path(__file__).resolve().parents[3]
TEXTS = [
    "Who mends the roof, and when? It's in § 4.2 of the lease.", "Die Straße ist naß. Ärzte, Öfen.",
    "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอน", "ພາສາລາວເປັນພາສາທາງການ", "ភាសាខ្មែរជាភាសាផ្លូវការ",
    "မြန်မာဘာသာစကားသည်ရုံးသုံးဖြစ်သည်", "我们在屋顶上看到了修理工人", "屋根の修理は誰が行いますか",
    "지붕은 누가 고칩니까", "من يصلح السقف", "छत की मरम्मत कौन करता है",
    "Ποιος επισκευάζει τη στέγη;",
]  # fmt: skip
WORDS = """
import json, sys
from indexer.text.sentences import _breaker
texts = json.loads(sys.argv[1])
found = [[list(each) for each in _breaker()(text, "en").segments()] for text in texts]
"""
WINDOW = """
import json, sys
from PySide6.QtCore import QCollator, QDate, QLocale, QTextBoundaryFinder
texts = json.loads(sys.argv[1])
ends = []
for text in texts:
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Word, text)
    ends.append([each for each in iter(finder.toNextBoundary, -1)])
named = sorted(" ".join(texts).split(), key=QCollator(QLocale("de")).sortKey)
found = [ends, named]
for name in ("en", "de"):
    locale = QLocale(name)
    found += [locale.toString(QDate(2026, 11, 22)), locale.toString(1234567.5), name]
    found += [[locale.toUpper(text), locale.toLower(text)] for text in texts]
"""
SAID = """
with open("/proc/self/maps") as maps:
    data = {line.split()[-1] for line in maps if "icudata" in line}
print(json.dumps([found, sorted(data)]))
"""


@pytest.fixture(scope="module")
def icu() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "packaging"))
        return importlib.import_module("icu")


def answers(program: str, library: Path) -> list[object]:
    """Return what a program finds with a library in place of the one of the same name."""
    command = [sys.executable, "-c", program + SAID, json.dumps(TEXTS)]
    environment = {**os.environ, "LD_PRELOAD": str(library), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    found, loaded = json.loads(done.stdout)
    assert loaded == [str(library)]
    return list(found)


@pytest.mark.parametrize(
    ("place", "program"),
    [("icu4py.libs/libicudata*", WORDS), ("PySide6/Qt/lib/libicudata.so.*", WINDOW)],
    ids=["words", "window"],
)
def test_answers_are_those_of_all_data(
    icu: ModuleType, tmp_path: Path, place: str, program: str
) -> None:
    (whole,) = [each for each in Path(PySide6.__file__).parents[1].glob(place) if each.is_file()]
    small = tmp_path / whole.name
    shutil.copy(whole, small)
    icu.shrink_library(small, icu.KEPT[place])
    assert small.stat().st_size < 5e6 < whole.stat().st_size
    assert answers(program, small) == answers(program, whole)


NAMES = st.text("abc/._", min_size=1, max_size=9)


@given(st.dictionaries(NAMES, st.binary(max_size=40), min_size=1))
def test_a_package_is_read_as_it_was_written(icu: ModuleType, items: dict[str, bytes]) -> None:
    head = (16).to_bytes(2, "little") + bytes(14)
    read = icu.unpacked(icu.packed(head, items))
    assert read[0] == head
    assert read[1].keys() == items.keys()
    # Behind an item may be padding.
    assert all(read[1][name].startswith(item) for name, item in items.items())
