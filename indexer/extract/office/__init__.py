"""Office files: Word, PowerPoint, Excel, OpenDocument, rich text, and those from before 2007.

In: a zip package, an OLE file or rich text. Out: pages. Open ``docx``, ``pptx`` or ``xlsx``
first (through the libraries python-docx, python-pptx and openpyxl), ``odf`` for OpenDocument,
``rtf``; ``libreoffice`` converts the old ones, ``encrypted`` unlocks those behind a password.
"""
