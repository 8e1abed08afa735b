"""Comparisons in the window: two documents side by side, and a text with the whole library.

In: the engine's answers to ``Compare`` and ``FindElsewhere``. Out: rows of statements with their
differences marked, and the pages on which the statements are outlined. It must not know how
statements are compared.

Open ``statement_rows`` first, the list that both comparisons use, then ``page``.
"""
