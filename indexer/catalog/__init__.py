"""The catalog: files, their contents and their documents, in one SQLite file.

Walks, readers and the model report to the catalog. It returns the files to read next, and rows for
searches and lists. It owns roots, files and their states, contents, documents, embedding spaces and
names. A path maps to a content (a hash of bytes), a content to a document (a text), a document to
passages and vectors in the store. It must not know how files are read or how the store works.

The words of passages and of whole documents are in ``indexer.store``. ``names`` finds files by name
(FTS5), in any state and even without a document. It also has the words of titles and of documents'
names. These are joined to documents at query time, so a rename does not rewrite a document's words.

Open ``catalog`` first, then ``records`` (the values), ``files`` and ``docs``.
"""
