"""Soaking: a library goes through a long series of changes or accidents, then it is judged.

Each scenario is a module with a function ``soak``, which gets an empty folder and an ``Extent`` and
says what is wrong in the end. ``compare`` tells two libraries apart without any code of the store;
``__main__`` is the command and lists the scenarios.
"""
