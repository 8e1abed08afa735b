"""The server: one engine, many clients.

In: frames on a local socket. Out: answers, errors and progress, each request on the work queue
it belongs to. Must not know how a request is answered. Open ``service`` first: it hands the
requests of clients on; ``door`` lets clients in, ``session`` holds one, ``work_queues`` runs the
work, ``background_jobs`` what goes on when nobody waits, ``host`` shares an engine of this process.
"""
