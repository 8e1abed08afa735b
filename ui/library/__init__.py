"""The pages about the library itself: its work, folders and files, and the first run.

In: the engine's status, activity, estimates and lists of files. Out: requests that index, remove,
retry and change patterns. It must not know how hits are searched or shown. Open ``page`` first.
"""
