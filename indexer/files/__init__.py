"""Files: the entries below the folders that a person added.

In: roots and patterns. Out: entries with their kind, size, time and identity, the hash of their
bytes, and whether a root is where it was: a disconnected drive is told from an empty folder. Must
not know how documents are read, nor what triggers a scan. Open ``scanner`` first (whole and partial
scans), then ``walk``.
"""
