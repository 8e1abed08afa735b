"""The render child: shows documents to the window, in a process of its own.

Owns page images, the places of passages on pages, and the text of documents that have no pages.
In: requests of ``indexer.api.pages``. Out: their answers. It never extracts for the index, so a
preview never waits behind a document that is read. Open ``requests`` first.
"""
