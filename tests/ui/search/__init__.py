"""Tests of the search page."""
