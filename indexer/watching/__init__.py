"""Watching: events of the file system, which start scans.

In: events. Out: scans, whole or partial, and the reading of what they queued. Events are hints, the
scan is the truth: no part of this believes an event. Open ``watcher`` first, which decides when to
scan what; ``sources`` deliver events, ``settling`` waits until changes are over.
"""
