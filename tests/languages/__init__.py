"""Search by words in fourteen languages: our own texts, and a table of questions for each.

``texts/<language>`` holds two documents, ``tables/<language>.toml`` what a native reader expects of
a search in them; ``table.py`` says what a row means. ``asking.py`` puts the questions to a real
library of each language.
"""
