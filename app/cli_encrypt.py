"""The commands that encrypt a library, decrypt it, unlock it and lock it."""

from __future__ import annotations

import getpass
import sys
from typing import TYPE_CHECKING

from app import encryption
from app.cli_common import Command, CommandContext, no_arguments
from app.engine import ENDS_S
from indexer.api.endpoint import end_engine
from indexer.api.errors import bad_usage
from indexer.vault.place import is_encrypted, place_of

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

_LONGEST = 4096  # the most characters that are read from a line


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--keyring", action="store_true",
        help="keep the passphrase in the keyring of the system, which unlocks it from then on",
    )  # fmt: skip


def _encrypt(options: Namespace, context: CommandContext) -> None:
    passphrase = _passphrase("New passphrase: ", command="encrypt", twice=True)
    encryption.encrypt(context.library, passphrase, keyring=options.keyring)
    context.note("Encrypted and locked. Without the passphrase nobody can open it, you neither.")


def _decrypt(_options: Namespace, context: CommandContext) -> None:
    kept = encryption.kept_passphrase(place_of(context.library))
    encryption.decrypt(context.library, kept or _passphrase("Passphrase: ", command="decrypt"))
    context.note("Decrypted: it lies on the disk as before.")


def _unlock(options: Namespace, context: CommandContext) -> None:
    encryption.put_right(context.library)
    _must_be_encrypted(context)
    place = place_of(context.library)
    passphrase = encryption.kept_passphrase(place)
    if passphrase is None or options.keyring:
        passphrase = _passphrase("Passphrase: ", command="unlock")
    encryption.unlock(context.library, passphrase, context.settings)
    if options.keyring:
        encryption.keep_passphrase(place, passphrase)


def _lock(_options: Namespace, context: CommandContext) -> None:
    _must_be_encrypted(context)
    end_engine(context.library, ENDS_S)
    encryption.lock(context.library)


def _must_be_encrypted(context: CommandContext) -> None:
    if not is_encrypted(context.library):
        raise bad_usage("encrypt", "this library is not encrypted")


def _passphrase(prompt: str, *, command: str, twice: bool = False) -> str:
    """Read a passphrase from the terminal without showing it, or a line of standard input.

    Raises ``bad_usage``, if the repeated passphrase differs.
    """
    if not sys.stdin.isatty():
        return sys.stdin.readline(_LONGEST).rstrip("\r\n")
    first = getpass.getpass(prompt)
    if twice and getpass.getpass("Once more: ") != first:
        raise bad_usage(command, "the two differ")
    return first


COMMANDS = (
    Command(
        "encrypt",
        "encrypt the library on the disk, by a passphrase",
        "Encrypt the whole library: texts, words, vectors, names, collections, the history and "
        "the basket of the window, the log, and temporary files made of documents. The "
        "passphrase is asked for, or read from standard input. It needs Linux, gocryptfs, fuse3, "
        "and room for a copy, which is made and compared before the original is removed. If it is "
        "interrupted, the next start undoes or finishes it. The documents themselves stay as they "
        "are. The library is locked when the engine ends, when it was not used for the minutes "
        "in the setting lock_after_min, and when the machine goes to sleep.",
        (
            ("lectern encrypt", "ask for a passphrase, and encrypt the library"),
            ("lectern encrypt --keyring", "and unlock it by the keyring from then on"),
        ),
        _arguments,
        _encrypt,
    ),
    Command(
        "decrypt",
        "put an encrypted library back on the disk as it was",
        "Decrypt the library. It needs the passphrase, and room for a copy, which is made and "
        "compared before the encrypted library is removed.",
        (("lectern decrypt", "ask for the passphrase, and decrypt the library"),),
        no_arguments,
        _decrypt,
    ),
    Command(
        "unlock",
        "open an encrypted library by its passphrase",
        "Unlock the library for every command and the window, until it is locked.",
        (
            ("lectern unlock", "ask for the passphrase"),
            ("lectern unlock --keyring", "and keep it in the keyring"),
        ),
        _arguments,
        _unlock,
    ),
    Command(
        "lock",
        "close an encrypted library",
        "End the engine and lock the library. Other programs lose the files that they have open "
        "in it, and the key is forgotten.",
        (("lectern lock", "lock it now"),),
        no_arguments,
        _lock,
    ),
)
