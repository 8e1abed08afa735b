"""Markup: HTML, Markdown, LaTeX, notebooks and e-books.

In: marked-up text. Out: pages of blocks with the displayed text. Open ``html`` first; e-books and
mails use it.
"""
