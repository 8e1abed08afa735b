"""Search: from a parsed query to hits.

In: a query. Out: hits with the page, the sentence and the reason. The journey is candidates →
evidence → fusion → hits; ``answerability`` says whether the best of them is an answer. Reads the
catalog and the store and writes neither. Open ``search`` first, then ``fusion``, whose docstring
says how hits are ranked; ``explain``, ``similar`` and ``compare`` answer why, what resembles,
what differs.
"""
