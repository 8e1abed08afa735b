"""Encrypts, decrypts, unlocks and locks libraries with gocryptfs.

With a passphrase the library is available at its path for as long as it is unlocked. This room must
not know the content of a library, nor engines, settings and windows. To the rest of the program an
unlocked library is an ordinary folder, and a locked one does not exist.

The encrypted folder is ``library.encrypted``, beside ``library``, which is a link to ``open`` in
it. ``open`` exists only while it is mounted. So writing by path to a locked library fails at a
broken link, and no plain file can be created there by mistake.

Open ``place`` first: the parts of that folder and its record. ``mounting`` unlocks and locks,
``keeper`` is the process that runs while a library is unlocked, and ``convert`` encrypts and
decrypts an existing library, and repairs interrupted conversions.
"""
