"""The basket: passages collected over several searches, in an order and with notes.

In: hits of the search page and the preview. Out: a page of the window, a file in the person's
folder, and exported documents with pictures of the pages and their sources. Open ``basket`` first,
which has the passages and their file, then ``page``.
"""
