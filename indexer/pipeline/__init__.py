"""The pipeline makes searchable passages and vectors from queued files.

It writes rows to the store, and then marks in the catalog, so that a kill at any moment loses
nothing. It must not know formats, queries or sockets. Open ``indexing_job`` first (one call to
index, from the scan to the maintenance of the store), then ``run``, ``reading`` (file → passages)
and ``vectors`` with ``embedding`` (passages → vectors → store).
"""
