"""The pipeline: from a queued file to searchable passages and vectors.

In: files that the catalog has queued. Out: rows in the store, then marks in the catalog, in that
order, so that a kill at any moment loses nothing. Must not know formats, queries or sockets. Open
``indexing_job`` first (one call to index, from the scan to the maintenance of the store), then
``run``, ``reading`` (file → passages) and ``vectors`` with ``embedding`` (passages → vectors →
store).
"""
