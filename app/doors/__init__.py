"""Doors: the ways in which other programs may ask a library; only the person opens them.

In: a call of an assistant, a script, a browser or the desktop's search. Out: passages, documents
and text, as the typed answers of ``answers``. A door sees the collections that the person chose
(``access``), writes each call into a bounded log (``call_log``), and reaches the engine only by
``indexer.api``; it must not import the window or the rooms of the engine. Open ``library`` first,
which has all calls; ``calls`` describes them, ``mcp_server`` and others translate them.
"""
