"""Watching: events of the file system, which start scans.

In: events. Out: scans, whole or partial, and reading the files that they queue. An event only
triggers a scan, which determines what has changed. Must not know how files are read. Open
``watcher`` first, which schedules scans; ``inotify`` and ``observer`` deliver events, ``settling``
debounces them.
"""
