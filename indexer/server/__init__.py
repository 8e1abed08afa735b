"""The server of one engine for many clients.

It receives requests on a local socket, runs each on its work queue, and sends answers, errors and
progress. It must not know how a request is handled. Open ``service`` first, which dispatches the
requests of clients. ``session`` is a client, ``work_queues`` run the work.
"""
