"""Markup: HTML, Markdown, LaTeX, notebooks, e-books, and articles in XML.

In: marked-up text. Out: pages of blocks with the displayed text. Open ``html`` first; e-books and
mails use it.
"""
