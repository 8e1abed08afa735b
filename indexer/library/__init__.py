"""The library: the folder everything is kept in, as a whole.

In: its path. Out: a lock, the proof that it is sound, and what takes out of it what is not. Must
not know how documents are read or searched. Open ``library`` first (its files, its move, its
end). ``recovery`` compares counts at every opening; ``repair`` reads everything, and each problem
it finds names its cure; ``rescue`` copies a catalog that SQLite cannot read, since only its rows
know the documents on drives that are away; ``crashes`` marks what a process died of.
"""
