"""The contract: what can be asked of an engine, what it answers, and how both travel.

In: a request of a window, a command or another process. Out: its answer, an error with a stable
code, or progress. Must not know how anything is answered; it needs the standard library only, so
that the window can import it. Open ``contract`` first (every request and the keys of its
answer), then ``types`` (hits, files, summaries), ``errors`` and ``phrases`` (every code and its
sentence); ``protocol``, ``wire``, ``conversation``, ``endpoint`` and ``client`` carry them
between processes.
"""
