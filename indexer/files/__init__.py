"""Files: what lies under the folders a person added.

In: roots and patterns. Out: entries with their kind, size, time and identity, the hash of their
bytes, and whether a root is where it was. Reads names and bytes, never what they mean. Open
``scanner`` first (whole and partial scans), then ``walk``; ``root_location`` and ``volumes`` tell a
drive that is away from a folder that is empty.
"""
