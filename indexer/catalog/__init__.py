"""The catalog: the truth about files, their contents and their documents, in one SQLite file.

Owns what Lectern knows apart from texts and vectors: roots, files and their states, contents,
documents, embedding spaces and names. A path leads to a content (a hash of bytes), a content to a
document (a text), a document to its passages and vectors in the store. It must not know how files
are read or what the store looks like.

Three of the four inverted indexes are here; each answers what the others cannot. ``lexicon``
counts words of whole documents (BM25 by document, prefixes, forms, typos), for which the full text
of ``indexer.store`` would have to visit every passage. ``lexicon.file_names`` (FTS5) finds files by
name in any state, also those without a document. ``lexicon.names`` holds the names of documents in
memory: they are bound when a query is answered, as a rename must not touch a document's words.

Open ``catalog`` first, then ``records`` (the values), ``files`` and ``docs``.
"""
