"""Computes vectors of text with embedding models.

A passage with its headings, or a query, gets a pooled vector; sentences of passages get their own.
This room must not know where text comes from or where vectors are stored. Open ``models`` first
(the records), then ``embedder`` (layout → session → pooling). ``devices`` chooses the execution
provider. ``model_files`` finds and verifies the ONNX files; for the models that come with Lectern,
``packaging/model`` makes them.
"""
