"""The structure of a whole document.

It takes pages with the styles of their blocks, and gives headings, running heads and feet, and a
title. Pure; must not know any format. Open ``headings`` first.
"""
