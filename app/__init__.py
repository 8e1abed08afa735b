"""Entry points: the command line, the composition roots, settings and paths."""
