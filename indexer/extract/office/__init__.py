"""Office files: Word, PowerPoint, Excel, OpenDocument, rich text, and those from before 2007.

In: a zip package, an OLE file or rich text. Out: pages. Open ``docx``, ``pptx``, ``xlsx``, ``odt``,
``odp`` or ``ods`` first. All of them read XML piece by piece (``xml``) from a zip package
(``package``, which must not know what its parts mean); ``ooxml`` and ``odf`` have what each family
shares. ``libreoffice`` converts the formats before 2007, ``encrypted`` decrypts files with a
password, ``rtf`` is independent.
"""
