"""Text recognition for pages that show something and hold no text: scans, drawings, odd fonts.

In: the image of a page. Out: its words with their places, kept by the hash of the document's bytes.
It must not know the catalog, nor how pages are drawn. Open ``tesseract`` first (one run of the
program), then ``hocr`` (what it says), ``layer`` (words in the place of a page's own text),
``cache`` (what is kept, written by the engine) and ``recognised_pages`` (the same, read by
children); ``languages`` chooses what is read.

Tesseract is spawned as a command for each page, not linked as a library, so that it can be
confined, stopped and limited by itself:

- ``Page.get_textpage_ocr`` of PyMuPDF reads as well (.009 of the words lost on five pages of a
  report, ours .006), but holds 295 MB of the 350 that a reader may have, cannot be stopped on a
  page that takes too long, and does not turn pages (.93 lost on the same five, turned; ours .007).
- RapidOCR lost .76 of the words of seven such pages (it runs them together), in 18 seconds and
  1,090 MB a page (``python -m tests.benchmarks.ocr --pages 7 --rapidocr``).
- tesserocr takes our process along when an image crashes it, and brings no languages; pytesseract
  spawns the same command without limits, with the page in temporary files; ocrmypdf makes a second
  PDF where we want words.
"""
