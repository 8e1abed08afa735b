"""The preview: the page of a passage, with the passage outlined.

In: a hit. Out: its pages or its text, from the render child (``indexer.render``); this room must
not read documents itself. Open ``panel`` first.
"""
