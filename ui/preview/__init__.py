"""The preview: the page of a passage, with the passage outlined.

Owns everything that is shown next to the results. Documents are read by the render child
(``indexer.render``), never here.
"""
