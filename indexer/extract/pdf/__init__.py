"""PDF: the text and layout of pages, and the recognised text of scanned ones.

In: a path. Out: pages in reading order. Open ``reader`` first; ``opening`` opens the document,
``lines`` and ``layout`` turn characters into text and import no PDF library, ``geometry`` finds the
boxes of a range of text, ``legible`` detects text with a wrong character map, ``recognition``
recognises a page by Tesseract.
"""
