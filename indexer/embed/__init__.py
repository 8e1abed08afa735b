"""Embedding models: text in, vectors out.

In: passages with their headings, or a query. Out: one pooled vector, and one for each sentence.
Must not know where text comes from or vectors go. Open ``models`` first (the records), then
``encoder`` (windows → session → pooling); ``devices`` proves which execution provider runs;
``compiled`` has weights compiled to ONNX once, by ``indexer.compiler``.
"""
