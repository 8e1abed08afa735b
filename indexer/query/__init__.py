"""The query: what a person typed, taken apart.

In: the text of the box. Out: words, phrases, filters, and the question apart from its context.
Must not know how anything is searched; the window imports it for its filters and help. Open
``filters`` first: the one table of operators; ``grammar`` reads them, ``focus`` finds the
question.
"""
