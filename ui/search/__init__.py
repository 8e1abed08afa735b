"""The search page: the box and its filters, the results, and the actions on hits.

In: the typed query, and answers of the engine. Out: the chosen hit, as signals of ``page``, the
file to open first. It must not know how a hit is previewed or opened.
"""
