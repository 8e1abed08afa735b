"""Old faults, put back one at a time: whether the tests still catch each of them.

``faults.toml`` holds corrections from the history, spread over all rooms: the text of today, what
brings the fault back, the commit that mended it, and the tests that are to fail.
"""
