"""Writes the tokenizer of the multilingual model, for all or some pieces of its vocabulary.

Converts pieces and scores to the file format of `tokenizers`: Unigram, with SentencePiece's
normalisation ``nmt_nfkc``, whose compiled character map is taken from SentencePiece.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from e5_source import Source

RULE = "nmt_nfkc"
MAP_SHA256 = "1e2c7b43d3ee9755ceaa2ac335e253d8703604e0249ee1e81156c92b46423844"
LEAD, PADDING, TAIL, UNKNOWN = "<s>", "<pad>", "</s>", "<unk>"
SPECIAL = (LEAD, PADDING, TAIL, UNKNOWN)  # by id, the first of every vocabulary
# A score so low that a special piece is never produced by a text that contains it literally.
NEVER = -100.0
SPACE = "\u2581"
# The character that the source maps to a space and SentencePiece does not.
JOINER = "\u200d"
# Vowel points of Hebrew and Arabic and the Arabic tatweel, after a letter. They are removed: most
# texts have none, and a word with them would be split into letters.
POINTS = (
    "(?<=[\u05d0-\u05ea\u0621-\u063a\u0641-\u064a\u066e-\u06d3])"
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]+"
)


def characters_map() -> bytes:
    """Return the character map compiled by SentencePiece.

    Raises:
        ValueError: If its hash is not ``MAP_SHA256``.
    """
    from sentencepiece import SentencePieceNormalizer

    model = SentencePieceNormalizer(rule_name=RULE).serialized_model_proto()
    found = _field(_field(model, 3), 2)
    if hashlib.sha256(found).hexdigest() != MAP_SHA256:
        raise ValueError("SentencePiece compiles another map of characters")
    return found


def write_tokenizer(source: Source, kept: Sequence[int], compiled: bytes) -> str:
    """Return the file of a tokenizer, as JSON.

    Args:
        source: The whole vocabulary.
        kept: The ids of the pieces, ascending; the special ones first.
        compiled: The character map.

    Raises:
        ValueError: If the special pieces are not the first.
    """
    if tuple(source.pieces[number] for number in kept[: len(SPECIAL)]) != SPECIAL:
        raise ValueError("the special pieces are not the first")
    vocabulary = [
        [source.pieces[number], round(float(source.scores[number]), 4) if place > 3 else NEVER]
        for place, number in enumerate(kept)
    ]
    file = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added(number, name) for number, name in enumerate(SPECIAL[:3])],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Replace", "pattern": {"String": JOINER}, "content": " "},
                {"type": "Replace", "pattern": {"Regex": POINTS}, "content": ""},
                {
                    "type": "Precompiled",
                    "precompiled_charsmap": base64.b64encode(compiled).decode(),
                },
            ],
        },
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "WhitespaceSplit"},
                {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always"},
            ],
        },
        "post_processor": _framing(),
        "decoder": {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always"},
        "model": {"type": "Unigram", "unk_id": SPECIAL.index(UNKNOWN), "vocab": vocabulary},
    }
    return json.dumps(file, ensure_ascii=False, separators=(",", ":"))


def _added(number: int, name: str) -> dict[str, Any]:
    plain = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": name, **plain, "special": True}


def _framing() -> Mapping[str, Any]:
    def special(name: str) -> dict[str, Any]:
        return {"SpecialToken": {"id": name, "type_id": 0}}

    def text(name: str) -> dict[str, Any]:
        return {"Sequence": {"id": name, "type_id": 0}}

    numbers = {name: SPECIAL.index(name) for name in (LEAD, TAIL)}
    return {
        "type": "TemplateProcessing",
        "single": [special(LEAD), text("A"), special(TAIL)],
        "pair": [special(LEAD), text("A"), special(TAIL), text("B"), special(TAIL)],
        "special_tokens": {
            name: {"id": name, "ids": [number], "tokens": [name]}
            for name, number in numbers.items()
        },
    }


def _field(message: bytes, wanted: int) -> bytes:
    """Return the first field of bytes with a number in a protocol buffer message."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        kind = key & 7
        if kind == 2:
            size, place = _varint(message, place)
            if key >> 3 == wanted:
                return message[place : place + size]
            place += size
        elif kind == 0:
            _, place = _varint(message, place)
        else:
            place += {1: 8, 5: 4}[kind]
    raise ValueError(f"no field {wanted}")


def _varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place
