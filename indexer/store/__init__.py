"""Passages, their words and vectors on disk, and the searches over them.

In: rows of passages, vectors and documents; a query's words and vectors. Out: keys with scores, and
rows. All use of LanceDB is here; ``word_index`` finds passages by their stems, and which may have a
phrase, ``document_words`` counts the words of whole documents, for which the postings of passages
would all be visited (``indexer.catalog`` explains the other inverted indexes). What ``derived``
keeps beside its tables is derived from them. It must not know files, catalogs, models or how the
results of searches are fused. Open ``store`` first, the facade; then ``tables`` (which are open),
``table`` (one of them), ``schema`` (columns), ``values`` (its interface types).
"""
