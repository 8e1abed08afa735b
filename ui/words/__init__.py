"""The texts of the window for what the engine reports as codes and numbers.

In: codes, counts and states of ``indexer.api``. Out: translated labels and sentences. It must not
know who shows them. Open ``failures`` first (errors, reasons and notes), then ``states`` and
``amounts``.
"""
