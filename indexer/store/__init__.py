"""Passages, their words and vectors on disk, and the searches over them.

In: passages and vectors; a query's words and vectors. Out: keys with scores, and passages.
``texts`` is the truth of passages, in SQLite; ``words`` keeps tantivy's indexes of passages and of
whole documents (``indexer.catalog`` explains the other inverted indexes), and the tables vectors,
in LanceDB. All use of these libraries is here. It must not know files, catalogs, models or how the
results of searches are fused. Open ``store`` first, the facade; then ``tables`` (which are open),
``table`` (one of them), ``schema`` (columns), ``values`` (its interface types).
"""
