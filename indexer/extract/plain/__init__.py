"""Plain text: texts, source code and delimiter-separated tables.

It takes bytes, and gives pages. Open ``decode`` first, which detects the encoding.
"""
