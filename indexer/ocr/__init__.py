"""Text recognition for pages that show something and hold no text: scans, drawings, odd fonts.

The engine is Tesseract, spawned as a command for each page (``tesseract``), not a library:

- Of seven pages of annual reports, scanned by ``python -m tests.benchmarks.ocr --pages 7
  --rapidocr``, Tesseract 5.3 lost .03 of the words, in 2.2 seconds of a processor a page and 115
  MB; RapidOCR .76 (words that it runs together count), in 18 seconds and 1,090 MB, three times
  what a reader may have.
- tesserocr binds Tesseract's C++ interface. A damaged image then takes our process along, its
  memory is ours, and its wheels bring a Tesseract of their own but none of its languages.
- pytesseract spawns the same command as we do, through two temporary files that hold the person's
  page, without limits, and needs Pillow.
- ocrmypdf makes a second PDF, with pikepdf, pdfminer and Ghostscript, where we want words.

So nothing is added to the dependencies; what is kept up is one command line and the reading of
hOCR, the same since Tesseract 3. The command comes and is kept up with the system's packages.
``hocr`` reads what it says, ``layer`` keeps words with their places and puts them where a page's
own text would be, ``cache`` keeps them by the hash of the document's bytes, ``scans`` says what
waits and what becomes of it, ``recogniser`` works it off when nothing else is to be done.
"""
