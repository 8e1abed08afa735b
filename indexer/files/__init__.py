"""Lists and hashes the files below the folders that a person added.

An entry has a kind, a size, a time, an identity and a hash of its bytes. This room also finds out
whether a root is still at its place, so that a disconnected drive does not look like an empty
folder. It must not know how documents are read, nor what triggers a scan. Open ``scanner`` first
(whole and partial scans), then ``walk``.
"""
