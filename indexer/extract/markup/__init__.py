"""Markup: HTML, Markdown, LaTeX, notebooks and e-books.

In: a text with marks in it. Out: pages of blocks, as a person would see them. Open ``html``
first; e-books are made of it.
"""
