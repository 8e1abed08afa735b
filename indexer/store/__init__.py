"""Passages, their words and vectors on disk, and the searches over them.

``texts`` stores passages and ``vectors`` the vectors of a space, both in SQLite. The rest is
derived from them: ``words`` keeps tantivy's indexes of passages and of whole documents,
``vector_index`` LanceDB's index of a large space. A search takes a query's words and vectors and
returns keys with scores. Only this room uses these libraries. It must not know files, catalogs,
models or how the results of searches are fused. Open ``store`` first, the facade; then ``values``
(its interface types).
"""
