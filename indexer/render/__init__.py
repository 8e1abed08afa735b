"""The render child, a process that renders documents for the window.

It answers the requests of ``indexer.api.pages`` with page images, the boxes of passages, and the
text of documents without pages. It never extracts for the index, so a preview does not wait for
indexing. Open ``requests`` first.
"""
