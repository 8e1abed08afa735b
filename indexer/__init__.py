"""The engine: files, extraction, embedding, storage and search, without any window."""

import os

# numpy's linear algebra must be told before it is loaded. Its second thread spins while it waits,
# which took a third of a query's processor time for products of a millisecond.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
