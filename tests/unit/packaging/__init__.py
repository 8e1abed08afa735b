"""Tests of the scripts that make what people install."""
