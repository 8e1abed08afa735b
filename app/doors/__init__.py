"""Doors: what other programs may ask of a library, each opened by the person and by nobody else.

In: a call of an assistant, a script, a browser or the desktop's search. Out: passages, documents
and text, as the typed answers of ``answers``. A door sees the collections that the person chose
(``access``), writes what was asked into a bounded log (``call_log``), and knows the engine by
``indexer.api`` alone; it must not import the window or the rooms of the engine. Open ``library``
first: what every door can do; ``calls`` describes that, ``mcp_server`` and the others translate.
"""
