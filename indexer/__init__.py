"""The engine: files, extraction, embedding, storage and search, without any window."""
