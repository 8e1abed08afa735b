"""The preview: the page on which a passage stands, with the passage outlined.

Owns everything the person sees beside the results. Documents are read by the render child
(``indexer.render``), never here.
"""
