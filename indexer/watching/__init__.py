"""Watches the file system for events, which start scans.

An event only triggers a whole or partial scan, which determines what has changed. Then the files
that it has queued are read. This room must not know how files are read. Open ``watcher`` first,
which schedules scans; ``inotify`` and ``observer`` deliver events, ``settling`` debounces them.
"""
