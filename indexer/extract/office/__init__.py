"""Office files: Word, PowerPoint, Excel, OpenDocument, rich text, and those from before 2007.

It takes a zip package, an OLE file or rich text, and gives pages. Open ``docx``, ``pptx``,
``xlsx``, ``odt``, ``odp`` or ``ods`` first. All of them read XML piece by piece (``xml``) from a
zip package (``package``, which must not know what its parts mean). The code that a family of
formats shares is in ``ooxml`` and ``odf``. ``libreoffice`` converts the formats before 2007,
``encrypted`` decrypts files with a password, and ``rtf`` is independent.
"""
