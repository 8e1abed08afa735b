"""Embedding models: text in, vectors out.

In: passages with their headings, or a query. Out: one pooled vector, and one for each sentence.
Must not know where text comes from or where vectors are stored. Open ``models`` first (the
records), then ``embedder`` (layout → session → pooling); ``devices`` chooses the execution
provider, ``model_files`` finds and verifies the ONNX files, which ``packaging/model`` makes for the
models that come with Lectern.
"""
