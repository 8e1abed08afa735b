"""PDF: pages, their letters and their layout, and what was recognised on scanned ones.

In: a path. Out: pages in reading order. Open ``reader`` first, which gets its document from
``opening``; ``geometry``, ``lines``, ``order`` and ``layout`` turn letters into text, ``legible``
judges whether a page's letters are words, ``page_tree`` finds pages whose list is lost,
``recognition`` has a page read by Tesseract.
"""
