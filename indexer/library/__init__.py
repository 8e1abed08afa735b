"""The folder of a library, which contains the catalog and the store.

This room measures, moves, checks and repairs libraries. It must not know how documents are read or
searched. Open ``library`` first (size, move, removal). Damaged documents are read again. Three
modules find them: ``recovery`` compares counts, which is cheap enough for every opening; ``repair``
reads every row of an open library; ``rescue`` rebuilds a library that SQLite refuses to open.
``crashes`` records whether documents were in progress when the engine ended.
"""
