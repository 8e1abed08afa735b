"""The extraction child, and the engine's side of it.

It takes a path and limits, and sends passages over a pipe, or the reason why there are none. Open
``sandbox`` first (the interface for the engine), then ``process`` (starting, watching and killing
the child) and ``child`` (its program).
"""
