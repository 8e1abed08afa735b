"""Soaking: a library is watched through a long series of changes and accidents, then compared.

``walk`` changes files in a process of its own, ``troubles`` brings the engine to grief, ``compare``
tells two libraries apart without any code of the store; ``__main__`` is the command.
"""
