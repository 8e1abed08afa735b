"""Which encoding from before Unicode a text is in, judged by the letters it would give.

Owns the choice between encodings that can all read the same bytes; general detectors guess it
from short texts by chance. A reading is the better, the more of its foreign letters are those
that languages of that encoding write every day.
"""

from __future__ import annotations

_LATIN = "àâäçèéêëîïôöùûüßñáíóúãõøåæœìò¿¡’‘“”«»–—…°"
_RANGES = {  # letters of a script, by their code points
    "cp1255": (0x5D0, 0x5EA),
    "cp1251": (0x430, 0x451),
    "koi8_r": (0x430, 0x451),
    "cp1256": (0x621, 0x64A),
    "cp874": (0xE01, 0xE4E),
}
_LETTERS = {
    "cp1252": _LATIN,
    "cp1250": "ąćęłńóśźżčďěňřšťůžýáéíúöőüűäßăâîşţđ„”–",
    "cp1253": "αβγδεηθικλμνοπρσςτυφχωάέήίόύώ«»–",  # Russian would be full of ΰ and ξ
    "cp1254": "ğışçöüâîû’“”",
    "cp1257": "āčēģīķļņšūžąęėįųõäöü„“–",
}
# The second half of these character sets is rare; a wrong reading is full of it.
_COMMON_LEAD_BYTES = {
    "gb18030": ("gb2312", 0xA1, 0xD7),
    "big5": ("big5", 0xA1, 0xC6),
    "cp949": ("euc_kr", 0xA1, 0xC8),
}
_JAPANESE = ("cp932", "euc_jp")
# Where readings are equally good, the first wins: Hebrew could be Russian without six letters.
CANDIDATES = (
    "cp1252", "cp1255", "cp1251", "koi8_r", "cp1253", "cp1250", "cp1254", "cp1257", "cp1256",
    "cp874", *_JAPANESE, "cp949", "gb18030", "big5",
)  # fmt: skip
_GOOD = 0.75


def detect_legacy(sample: bytes) -> str:
    """Return the codec that gives the most likely text.

    Args:
        sample: The beginning of a text that is not UTF-8.
    """
    scores = [(_plausibility(sample, encoding), encoding) for encoding in CANDIDATES]
    best = max(scores, key=lambda pair: pair[0])
    if best[0] >= _GOOD:
        return best[1]
    return _general_guess(sample)


def _plausibility(sample: bytes, encoding: str) -> float:
    """Return the share of everyday letters among the foreign characters of a reading."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError as error:
        if error.start < len(sample) - 4:  # else a character that the sample cuts in two
            return 0.0
        text = sample[: error.start].decode(encoding)
    foreign = [char for char in text if char > "\x7f"]
    if not foreign:
        return 0.0
    known: dict[str, float] = {char: _weight(char, encoding) for char in set(foreign)}
    return sum(known[char] for char in foreign) / len(foreign)


def _weight(char: str, encoding: str) -> float:
    if encoding in _RANGES:
        first, last = _RANGES[encoding]
        # Bytes of Korean and Chinese all are Thai letters, too.
        return (0.9 if encoding == "cp874" else 1.0) * (first <= ord(char) <= last)
    if encoding in _LETTERS:
        return float(char in _LETTERS[encoding])
    if encoding in _JAPANESE:
        kana = "\u3000" <= char <= "\u30ff"
        return 1.0 if kana else 0.9 * ("\u4e00" <= char <= "\u9fff")
    narrow, first, last = _COMMON_LEAD_BYTES[encoding]
    encoded = char.encode(narrow, "ignore")
    # Never as good as a script of its own: Japanese and Korean are written with these, too.
    return 0.95 * (len(encoded) == 2 and first <= encoded[0] <= last)


def _general_guess(sample: bytes) -> str:
    import charset_normalizer

    best = charset_normalizer.from_bytes(sample).best()
    return best.encoding if best is not None else "cp1252"
