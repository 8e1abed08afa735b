"""The engine: a library that is open.

In: requests of ``indexer.api``. Out: their answers, from the rooms that own the work. Must not
know sockets, commands or windows. Open ``engine`` first: the order in which the parts of a
library are opened and closed; ``indexing`` has the steps of an indexing job, ``open_library`` the
requests that only read, ``reindex`` the change to another model.
"""
