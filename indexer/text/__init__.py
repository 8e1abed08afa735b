"""Text: segmentation and normalisation of canonical text.

In: canonical text. Out: the view that is searched, terms, sentences, a language, passages with
their headings and regions. Pure functions of their arguments; must not know files, storage or
models. Open ``passages`` first, then ``view`` (what is searched) and ``terms`` (its words).
"""
