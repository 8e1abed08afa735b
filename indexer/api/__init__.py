"""The contract: what can be asked of an engine, what it answers, and how both travel.

In: a request of a window, a command or another process. Out: its answer, an error with a stable
code, or progress. Must not know how anything is answered; it needs the standard library only, so
that the window can import it. Open ``requests`` first (every request, its answer and its queue,
declared as ``contract`` says), then ``answers``, ``status``, ``comparison`` and ``types`` (hits,
files, summaries), ``errors`` and ``phrases`` (every code and its sentence), ``pages`` (what the
window asks the render child); ``codec``, ``protocol``, ``conversation``, ``endpoint`` and
``client`` carry them between processes.
"""
