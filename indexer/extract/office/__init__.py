"""Office files: Word, PowerPoint, Excel, OpenDocument, rich text, and those from before 2007.

In: a zip package, an OLE file or rich text. Out: pages. Open ``docx``, ``pptx``, ``xlsx``, ``odt``,
``odp`` or ``ods`` first. All of them read a zip (``package``) of XML in pieces (``xml``); ``ooxml``
and ``odf`` say what the three of a family have in common. ``libreoffice`` converts the old ones,
``encrypted`` unlocks those with a password, ``rtf`` is independent.
"""
