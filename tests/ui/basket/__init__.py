"""Tests of ``ui.basket``."""
