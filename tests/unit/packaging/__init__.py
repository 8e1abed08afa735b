"""Tests of the programs that build packages."""
