"""Text recognition for pages that show something and hold no text: scans, drawings, odd fonts.

The engine is Tesseract, spawned as a command for each page (``tesseract``), not a library:

- RapidOCR, measured on scanned pages, read three times as many words wrong, took five times as
  long and eight times the memory, more than an extraction child may have.
- tesserocr binds Tesseract's C++ interface. A damaged image then takes our process along, its
  memory is ours, and its wheels bring a Tesseract of their own but none of its languages.
- pytesseract spawns the same command as we do, through two temporary files that hold the person's
  page, without limits, and needs Pillow.
- ocrmypdf makes a second PDF, with pikepdf, pdfminer and Ghostscript, where we want words.

So nothing is added to the dependencies; what is kept up is one command line and the reading of
hOCR, the same since Tesseract 3. The command comes and is kept up with the system's packages.
``python -m tests.benchmarks.ocr`` measures error rate, time and memory; its docstring has the
numbers.

``hocr`` reads what it says, ``layer`` keeps words with their places and puts them where a page's
own text would be, ``cache`` keeps them by the hash of the document's bytes, ``scans`` says what
waits and what becomes of it, ``recogniser`` works it off when nothing else is to be done.
"""
