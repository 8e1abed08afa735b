"""Search: from a parsed query to hits.

In: a query. Out: hits with the page, the sentence and the reason. The steps are candidates →
evidence → fusion → hits; ``answerability`` classifies whether the best of them is an answer. Reads
the catalog and the store; writes statistics of the library to the catalog's ``meta`` alone. Must
not know widgets or sockets. Open ``search`` first, then ``fusion``, whose docstring defines the
score. ``explain``, ``similar`` and ``compare`` are requests of their own: which words of a hit
match, what resembles a place, what differs between two documents.
"""
