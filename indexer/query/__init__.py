"""Parses the text of a query.

A query has words, phrases and filters, and often a question with context. This room does not know
how queries are answered; the window imports it for its filters and help. Open ``filters`` first,
the one table of operators; ``grammar`` parses them, ``focus`` finds the question.
"""
