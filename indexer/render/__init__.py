"""The render child: a process that renders documents for the window.

Owns page images, the boxes of passages on pages, and the text of documents without pages. In:
requests of ``indexer.api.pages``. Out: their answers. It never extracts for the index, so that a
preview does not wait for indexing. Open ``requests`` first.
"""
