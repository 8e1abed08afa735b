"""Embedding models: text in, vectors out.

In: passages with their headings, or a query. Out: one pooled vector, and one for each sentence.
Must not know where text comes from or where vectors are stored. Open ``models`` first (the
records), then ``embedder`` (layout → session → pooling); ``devices`` chooses the execution
provider, ``compiled`` builds the ONNX graph of a model once, by ``indexer.compiler``.
"""
