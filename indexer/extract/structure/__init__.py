"""The structure of a whole document.

In: pages with their styles. Out: headings, running heads and feet, and a title. Open
``headings`` first; ``filings`` and ``agreements`` have the title rules of two kinds of documents.
"""
