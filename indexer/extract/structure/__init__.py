"""Structure: what only the whole of a document tells of it.

In: pages with their styles. Out: headings, running heads and feet, and a title. Open
``headings`` first; ``filings`` and ``agreements`` know the covers of two kinds of documents.
"""
