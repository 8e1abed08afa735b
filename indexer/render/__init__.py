"""The render child: a process that renders documents for the window.

In: requests of ``indexer.api.pages``. Out: page images, the boxes of passages on pages, the text of
documents without pages. It never extracts for the index, so that a preview does not wait for
indexing. Open ``requests`` first.
"""
