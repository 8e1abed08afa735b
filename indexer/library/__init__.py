"""The library as a whole: the folder that holds the catalog and the store.

In: its path. Out: its size, a list of problems, a library that is consistent again. Must not know
how documents are read or searched. Open ``library`` first (size, move, removal). Damage costs
reading the documents that it is in again, with three entrances: ``recovery`` compares counts, cheap
enough for every opening; ``repair`` reads every row of an open library; ``rescue`` makes a library
openable that SQLite refuses. ``crashes`` stores which documents were in progress when the
engine ended.
"""
