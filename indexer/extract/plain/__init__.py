"""Plain text: texts, source code and delimiter-separated tables.

In: bytes. Out: pages. Open ``decode`` first, which detects the encoding.
"""
