"""The throttle: how hard to work now.

In: the person's pace, the machine's load, its battery, typing, and queries that wait. Out:
pauses, and whether a query goes first. Must not know what the work is. Open ``throttle`` first.
"""
