"""The words one slip of the keyboard away.

Owns the generation of candidates; whether they are words is for the vocabulary to say. Pure.

Generating is cheaper than comparing: about 450 look-ups for a word of eight letters, however many
words the library knows.
"""

from __future__ import annotations

MIN_LETTERS = 4  # shorter words are too close to too many others
MAX_LETTERS = 32

_LATIN = "abcdefghijklmnopqrstuvwxyz"
_BLOCK = 0x80
_NO_TYPOS = 0x2E80  # from here on scripts whose characters are not letters


def can_be_typo(word: str) -> bool:
    """Tell whether a word is of the kind that is mistyped: letters of an alphabet, enough."""
    return (
        MIN_LETTERS <= len(word) <= MAX_LETTERS
        and not any(char.isdigit() for char in word)
        and max(word) < chr(_NO_TYPOS)
    )


def one_edit_away(word: str) -> set[str]:
    """Give all strings with one letter more, less, exchanged, or two neighbours swapped.

    New letters are those of the word's own scripts. The word itself is not among them.
    """
    letters = _alphabet(word)
    splits = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    found = {head + tail[1:] for head, tail in splits if tail}
    found.update(head + tail[1] + tail[0] + tail[2:] for head, tail in splits if len(tail) > 1)
    found.update(head + letter + tail[1:] for head, tail in splits if tail for letter in letters)
    found.update(head + letter + tail for head, tail in splits for letter in letters)
    found.discard(word)
    return found


def _alphabet(word: str) -> str:
    blocks = {ord(char) // _BLOCK for char in word}
    letters = _LATIN if 0 in blocks or 1 in blocks else ""
    for block in sorted(blocks - {0}):
        if block * _BLOCK < _NO_TYPOS:
            chars = (chr(code) for code in range(block * _BLOCK, (block + 1) * _BLOCK))
            letters += "".join(char for char in chars if char.isalpha() and char == char.casefold())
    return letters
