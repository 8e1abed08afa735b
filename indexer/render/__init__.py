"""The render child: shows documents to the window, in a process of its own.

Owns page images, the places of passages on pages, and the text of documents that have no pages.
It never extracts for the index, so a preview never waits behind a document that is read.
"""
