"""The throttle: slows down indexing for the person.

In: the chosen speed, the machine's load, its battery, typing, and running queries. Out: pauses, and
the size of batches. Must not know what the work is. Open ``throttle``.
"""
