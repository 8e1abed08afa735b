"""An encrypted library: the folder that gocryptfs keeps, how it is opened, and the ways in and out.

In: the path of a library, and a passphrase. Out: the same path with the library behind it, for as
long as it is unlocked. Must not know what a library holds, nor engines, settings and windows: to
the rest of the program an unlocked library is a folder like any other, and a locked one is nothing.

Beside ``library`` stands ``library.encrypted``, and ``library`` is a link to ``open`` in it, which
exists only while the folder is mounted there: what writes by a path to a locked library meets a
link to nothing, so that no plain file can come to lie there by mistake.

Open ``place`` first: the parts of that folder and its record. ``mounting`` unlocks and locks,
``keeper`` is the process that stays while it is unlocked, and ``convert`` encrypts and decrypts a
library that exists, and puts right what was interrupted.
"""
