"""The preview: the page of a passage, with the passage outlined.

In: a hit. Out: its pages or its text, from the render child (``indexer.render``); documents are
never read here. Open ``panel`` first.
"""
