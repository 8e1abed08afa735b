"""Text recognition for pages with content but without text: scans, drawings, unusual fonts.

In: the image of a page. Out: its words with their boxes, cached by the hash of the document's
bytes. Must not know the catalog, nor how pages are rendered. Open ``page_image`` first (an image
made upright and evenly lit), then ``ppocr`` (two networks that find and read lines), ``tesseract``
(one run of the program, and its languages), ``layer`` (words in place of a page's own text) and
``cache`` (written by the engine, read by children).

PP-OCRv6 reads Latin, Chinese and Japanese and is part of every Lectern. For other scripts Tesseract
is run as a command, so that it can be confined, stopped and limited, where it is installed.
Alternatives:

- ``rapidocr`` 3.10.0 has the same three files byte for byte, and brings OpenCV, Shapely, pyclipper,
  omegaconf and an HTTP client (200 MB unpacked); with its settings lines are dropped, and it can
  fetch models at run time. ``ocrust`` 0.2.7 is the same in Rust and demands the package
  ``onnxruntime``, which overwrites ``onnxruntime-gpu``. So the data alone is a dependency, and what
  stands around the networks is ours (``page_image``, ``ppocr``).
- ``Page.get_textpage_ocr`` of PyMuPDF cannot be stopped on a slow page, and does not rotate pages.
- tesserocr crashes our process on some images, and has no languages; pytesseract runs the same
  command without limits, with the page in temporary files; ocrmypdf makes a second PDF, where we
  need words.
"""
