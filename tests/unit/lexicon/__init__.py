"""Tests of indexer.lexicon: against plain counting, on real SQLite files."""
