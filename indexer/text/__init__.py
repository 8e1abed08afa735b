"""Text: what can be said of a string without knowing which document it comes from.

In: canonical text. Out: the view that is searched, terms, sentences, a language, passages with
their headings and regions. Pure functions of their arguments; must not know files, storage or
models. Open ``passages`` first; ``view`` and ``terms`` say what a search sees of a text.
"""
