"""Comparisons in the window: two documents side by side, and a text with the whole library.

In: the engine's answers to ``Compare`` and ``FindElsewhere``. Out: rows of statements that differ,
with what differs marked, and the pages on which they stand, outlined. It must not know how
statements are compared.

Open ``statement_rows`` (the list that both have) first, then ``page``.
"""
