"""Tests of indexer.catalog.lexicon: against plain counting, on real SQLite files."""
