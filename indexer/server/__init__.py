"""The server: one engine, many clients.

In: frames on a local socket. Out: answers, errors and progress, each request on the work queue
it belongs to. Must not know how a request is answered. Open ``requests`` first: the table of
requests, their fields and queues; ``service`` accepts clients, ``session`` holds one,
``work_queues`` runs the work, ``background_jobs`` what goes on when nobody waits, ``host``
shares an engine of this process.
"""
