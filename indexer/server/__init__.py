"""The server: one engine, many clients.

In: messages on a local socket. Out: answers, errors and progress, each request on its work queue.
Must not know how a request is handled. Open ``service`` first, which dispatches the requests of
clients; ``session`` is one client, ``work_queues`` run the work.
"""
