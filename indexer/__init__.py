"""The engine: files, extraction, embedding, storage and search, without any window.

Each package below is a room; ARCHITECTURE.md is the map. Open ``api.requests`` first.
"""

import os

# The environment for the person's own programs, without the changes below.
GIVEN_ENVIRONMENT = dict(os.environ)

# OpenBLAS reads this when numpy is loaded. Its second thread spins while it waits, which took a
# third of a query's processor time for products of a millisecond.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Variables that disable the telemetry of libraries. They are read when a library is loaded, so this
# module is imported first; child processes inherit them. They override the person's environment,
# where "0" would enable telemetry.
TELEMETRY_OFF = {
    # onnxruntime 1.31 posts to its vendor some 14 s after it was loaded.
    "ORT_DISABLE_TELEMETRY": "1",
    # huggingface_hub, which comes with tokenizers; models are fetched by ``embed.fetch`` alone.
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
    # The storage libraries in lancedb and pyarrow ask a cloud's machine for credentials.
    "AWS_EC2_METADATA_DISABLED": "true",
    # A convention of several tools.
    "DO_NOT_TRACK": "1",
}
# With one of these in the environment Arrow sends traces to a collector.
TELEMETRY_ON = ("ARROW_TRACING_BACKEND", "OTEL_EXPORTER_OTLP_ENDPOINT")

os.environ.update(TELEMETRY_OFF)
for _name in TELEMETRY_ON:
    os.environ.pop(_name, None)
