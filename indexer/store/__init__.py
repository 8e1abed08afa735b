"""Passages, their words and vectors on disk, and the searches over them.

In: passages and vectors; a query's words and vectors. Out: keys with scores, and passages.
``texts`` is the truth of passages and ``vectors`` of the vectors of a space, in SQLite; ``words``
keeps tantivy's indexes of passages and of whole documents, and ``vector_index`` LanceDB's of many
vectors, which are derived. All use of these libraries is here. It must not know files, catalogs,
models or how the results of searches are fused. Open ``store`` first, the facade; then ``values``
(its interface types).
"""
