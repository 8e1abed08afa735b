"""Passages, vectors and full text on disk, and the searches over them.

In: rows of passages, vectors and documents; a query's words and vectors. Out: keys with scores,
and rows. Everything LanceDB is here; its full text finds passages by words and phrases,
``indexer.catalog`` says what the other inverted indexes are for. It must not know files, catalogs,
models or how the results of searches are fused. Open ``store`` first, the facade; then ``tables``
(which are open), ``table`` (one of them), ``schema`` (columns), ``values`` (what goes in and out).
"""
