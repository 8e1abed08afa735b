"""The structure of a whole document.

In: pages with the styles of their blocks. Out: headings, running heads and feet, and a title. Pure;
must not know any format. Open ``headings`` first.
"""
