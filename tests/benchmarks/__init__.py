"""Measures Lectern on the shared corpora and prints one table: ``python -m tests.benchmarks``.

Each part (quality, throughput, latency, memory, size, ablation) is a module with a ``run`` that
takes the options and the indexed sets and returns a ``Section`` of the table. Nothing here passes
or fails: numbers depend on the machine, whose name stands beside them.
"""
