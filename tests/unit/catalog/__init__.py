"""Tests of indexer.catalog: real SQLite files, walks made by hand."""
