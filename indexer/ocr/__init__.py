"""Recognises the text of pages with content but no text: scans, drawings, unusual fonts.

From the image of a page it makes words with boxes, cached by the hash of the document's bytes. It
must not know the catalog, nor how pages are rendered. Open ``page_image`` first (makes an image
upright and evenly lit), then ``ppocr`` (two networks that find and read lines), ``tesseract`` (runs
the program), ``layer`` (words that replace a page's text) and ``cache`` (written by the engine,
read by children).

PP-OCRv6 reads Latin, Chinese and Japanese and comes with Lectern. For other scripts Tesseract is
run, if it is installed, as a command that can be confined, stopped and limited. Alternatives:

- ``rapidocr`` 3.10.0 has the same three files byte for byte. It brings OpenCV, Shapely, pyclipper,
  omegaconf and an HTTP client (200 MB unpacked), drops lines with its settings, and can fetch
  models at run time. ``ocrust`` 0.2.7 is the same in Rust and requires ``onnxruntime``, which
  overwrites ``onnxruntime-gpu``. So only the data is a dependency, and the code around the networks
  is ours (``page_image``, ``ppocr``).
- ``Page.get_textpage_ocr`` of PyMuPDF cannot be stopped on a slow page, and does not rotate pages.
- tesserocr crashes our process on some images, and has no languages; pytesseract runs the same
  command without limits, with the page in temporary files; ocrmypdf makes a second PDF, where we
  need words.
"""
