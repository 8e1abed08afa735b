"""The query: parses typed text.

In: the text of the box. Out: words, phrases, filters, and the question without its context. Must
not know how queries are answered; the window imports it for its filters and help. Open ``filters``
first, the one table of operators; ``grammar`` parses them, ``focus`` finds the question.
"""
