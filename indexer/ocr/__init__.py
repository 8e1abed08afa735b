"""Text recognition for pages with content but without text: scans, drawings, unusual fonts.

In: the image of a page. Out: its words with their boxes, cached by the hash of the document's
bytes. Must not know the catalog, nor how pages are rendered. Open ``tesseract``
first (one run of the program, and its languages), then ``layer`` (its output, and words in place of
a page's own text) and ``cache`` (written by the engine, read by children).

Tesseract is run as a command for each page, not linked as a library, so that it can be confined,
stopped and limited. Alternatives:

- ``Page.get_textpage_ocr`` of PyMuPDF is as accurate (.009 of the words lost on five pages of a
  report, ours .006), but takes 295 MB of the 350 that a reader may have, cannot be stopped on a
  slow page, and does not rotate pages (.93 lost on the same five, rotated; ours .007).
- RapidOCR lost .76 of the words of seven such pages (it joins them), in 18 seconds and 1,090 MB per
  page (``python -m tests.benchmarks.ocr --pages 7 --rapidocr``).
- tesserocr crashes our process on some images, and has no languages; pytesseract runs the same
  command without limits, with the page in temporary files; ocrmypdf makes a second PDF, where we
  need words.
"""
