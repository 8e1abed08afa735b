"""Extraction: the text of documents, read in a confined process.

It takes a path, a format and limits, and gives the canonical text page by page, with its blocks,
title and metadata, or an error with a reason. It must not know the store, the catalog or models,
and the readers of formats must not know processes, messages or passages. Open ``base`` first (the
interface of a format), then ``registry`` (the detection of formats), ``process.sandbox`` and
``process.child`` (the engine's side and the child), then the module of a format.
"""
