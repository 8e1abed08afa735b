"""Segmentation and normalisation of canonical text.

From canonical text this room makes the view that is searched, terms, sentences, a language, and
passages with headings and regions. Its functions are pure. It must not know files, storage or
models. Open ``passages`` first, then ``view`` (what is searched) and ``terms`` (its words).
"""
