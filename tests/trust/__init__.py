"""Whether anything leaves: every kind of process, watched from outside by the system.

In: commands of Lectern, run in a home of their own. Out: every socket, look-up and file that is
not theirs to make. ``python -m tests.trust`` watches each for two minutes; the test of the suite
for less, side by side. Open ``watched`` for what runs, ``tracing`` for what counts.
"""
