"""The contract: the requests to an engine, their answers, and their transport.

A window, a command or another process sends a request. It receives progress reports, and then the
answer or an error with a stable code. This room does not know how requests are handled. It imports
only the standard library and msgspec, so that the window can import it. Open ``requests`` first
(every request, its answer and its queue, declared by ``contract``; those about models are in
``models``), then ``answers``, ``status`` and ``types`` (hits, files, summaries), ``errors`` and
``phrases`` (every code and its sentence), ``pages`` (requests to the render child); ``codec`` and
``endpoint`` carry them between processes.
"""
