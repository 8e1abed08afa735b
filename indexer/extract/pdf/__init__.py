"""PDF: the text and layout of pages, and the recognised text of scanned ones.

In: a path. Out: pages in reading order. Open ``reader`` first; ``opening`` opens the document,
``glyphs``, ``lines`` and ``layout`` turn characters into text and import no PDF library,
``geometry`` finds the boxes of a range of text, ``legible`` detects text with a wrong character
map, ``stamped`` scans with a line of text on them, ``supplements`` reads comments and attached
files, and ``recognition`` recognises a page by Tesseract.
"""
