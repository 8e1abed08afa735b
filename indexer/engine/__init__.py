"""The engine: an open library, which answers requests.

It passes each request of ``indexer.api`` to the room that does the work. It must not know sockets,
commands or windows. Open ``engine`` first: it has the order in which the parts of a library are
opened and closed. ``indexing`` has the steps of an indexing job, ``open_library`` the requests that
only read, ``reindex`` the change to another model.
"""
