"""Tests of ``ui.compare``."""
