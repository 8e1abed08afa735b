"""The library: the folder everything is kept in, as a whole.

In: its path. Out: a lock, the proof that it is sound, and what takes out of it what is not. Must
not know how documents are read or searched. Open ``library`` first (its files, its move, its
end); ``verify`` finds what is wrong, ``repair`` and ``recovery`` have it made again, ``rescue``
saves a damaged catalog, ``reindex`` changes the model, ``crashes`` marks what a process died of.
"""
