"""Plain text: texts, source code and tables of characters.

In: bytes. Out: pages. Open ``decode`` first, which detects the encoding.
"""
