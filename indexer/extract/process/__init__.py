"""The process that reads documents, and the engine's side of it.

In: a path and limits. Out: passages over a pipe, or the reason why there are none. Open
``sandbox`` first (what the engine calls), then ``process`` (the child it holds) and ``child``
(what runs there).
"""
