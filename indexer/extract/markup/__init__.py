"""Markup: HTML, Markdown, LaTeX, notebooks, e-books, and articles in XML.

It takes marked-up text, and gives pages of blocks with the displayed text. Open ``html`` first,
which e-books and mails use.
"""
