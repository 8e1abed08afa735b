"""Structure: what can be determined only from a whole document.

In: pages with their styles. Out: headings, running heads and feet, and a title. Open
``headings`` first; ``filings`` and ``agreements`` know the covers of two kinds of documents.
"""
