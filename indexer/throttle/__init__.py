"""Slows down indexing while the person or other programs need the machine.

From the chosen speed, the machine's load, its battery, typing and running queries, it computes
pauses and the size of batches. It must not know what the work is. Open ``throttle``.
"""
