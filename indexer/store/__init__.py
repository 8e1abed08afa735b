"""Passages, their words and vectors on disk, and the searches over them.

In: rows of passages, vectors and documents; a query's words and vectors. Out: keys with scores, and
rows. All use of LanceDB and of tantivy is here: ``words`` keeps tantivy's indexes of passages and
of whole documents (``indexer.catalog`` explains the other inverted indexes). What ``derived``
keeps beside its tables is derived from them. It must not know files, catalogs, models or how the
results of searches are fused. Open ``store`` first, the facade; then ``tables`` (which are open),
``table`` (one of them), ``schema`` (columns), ``values`` (its interface types).
"""
