"""PDF: the text and layout of pages, and the recognised text of scanned ones.

In: a path. Out: pages in reading order. Open ``reader`` first; ``opening`` opens the document.
``glyphs``, ``lines`` and ``layout`` turn characters into text, ``bitmap_fonts`` and
``complex_scripts`` do what fonts of TeX and scripts such as Arabic need besides; none of them
imports a PDF library. ``geometry`` finds the boxes of a range of text, ``supplements`` reads
comments and attached files, ``recognition`` recognises the text of pages, and ``image`` opens
image files as documents.
"""
