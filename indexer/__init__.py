"""The engine: files, extraction, embedding, storage and search, without any window."""

import os

# For the person's own programs, which are no business of what follows.
GIVEN_ENVIRONMENT = dict(os.environ)

# numpy's linear algebra must be told before it is loaded. Its second thread spins while it waits,
# which took a third of a query's processor time for products of a millisecond.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# What keeps the libraries from reporting to somebody, by the variables they read. They read them
# when they are loaded, so this module comes before any of them, and what a process starts inherits
# it. Set, not proposed: "0" in the person's environment would switch reporting on.
TELEMETRY_OFF = {
    # onnxruntime 1.31 posts to its vendor some 14 s after it was loaded.
    "ORT_DISABLE_TELEMETRY": "1",
    # huggingface_hub, which comes with tokenizers; models are fetched by ``embed.fetch`` alone.
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
    # The storage libraries in lancedb and pyarrow ask a cloud's machine for credentials.
    "AWS_EC2_METADATA_DISABLED": "true",
    # What several tools agreed on.
    "DO_NOT_TRACK": "1",
}
# With one of these in the environment Arrow sends traces of what it does to a collector.
TELEMETRY_ON = ("ARROW_TRACING_BACKEND", "OTEL_EXPORTER_OTLP_ENDPOINT")

os.environ.update(TELEMETRY_OFF)
for _name in TELEMETRY_ON:
    os.environ.pop(_name, None)
