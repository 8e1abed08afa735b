"""Finds the hits of a parsed query.

A hit has a page, a sentence and a reason. The steps are candidates → evidence → fusion → hits;
``answerability`` decides whether the best hits answer the query. This room reads the catalog and
the store, and writes only statistics to the catalog's ``meta``. It must not know widgets or
sockets. Open ``search`` first, then ``fusion``, whose docstring defines the score. ``explain``,
``similar`` and ``compare`` answer other requests: which words of a hit match, what resembles a
place, what differs between two documents.
"""
