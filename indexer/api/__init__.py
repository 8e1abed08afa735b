"""The contract: the requests to an engine, their answers, and their transport.

In: a request of a window, a command or another process. Out: its answer, an error with a stable
code, or progress. This room does not know how requests are handled. It imports only the standard
library and msgspec, so that the window can import it. Open ``requests`` first (every request, its
answer and its queue, declared by ``contract``; those about models are in ``models``), then
``answers``, ``status`` and ``types`` (hits, files, summaries), ``errors`` and ``phrases`` (every
code and its sentence), ``pages`` (requests to the render child); ``codec`` and ``endpoint`` carry
them between processes.
"""
