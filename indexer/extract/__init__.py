"""Extraction: from a file to its pages, read in a process that can do nothing else.

In: a path, a format, limits. Out: canonical text page by page, its blocks, title and metadata,
or an error with a reason. Must not know the catalog, the store or models. Open ``base`` first
(what every format offers), then ``registry`` (which formats there are), ``child`` and
``sandbox`` (the process and the engine's side of it); then the one module of the format in
question.
"""
