"""Watching: noticing that something changed, so that a look at the disk can say what.

``sources`` hear of changes, ``settling`` waits until they are over, ``watcher`` decides when to
look, and how much. Events are hints, the scan is the truth: no part of this believes an event.
"""
