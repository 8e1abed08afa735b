"""Embedding models: records, building, sessions and execution providers."""
