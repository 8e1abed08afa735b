"""PDF: the text and layout of pages, and the recognised text of scanned ones.

It takes a path, and gives pages in reading order. Open ``reader`` first; ``opening`` opens the
document. ``glyphs``, ``lines`` and ``layout`` turn characters into text, and ``bitmap_fonts`` and
``complex_scripts`` treat fonts of TeX and scripts such as Arabic. None of them imports a PDF
library. ``geometry`` finds the boxes of a range of text, ``supplements`` reads comments and
attached files, ``recognition`` recognises the text of pages, and ``image`` opens image files as
documents.
"""
