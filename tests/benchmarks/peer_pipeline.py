"""Indexes a folder and answers queries by other libraries, as people use them in a few lines.

    python peer_pipeline.py prepare JOB.json    exports the encoders to ONNX or OpenVINO
    python peer_pipeline.py index JOB.json      indexes the folder and asks every query
    python peer_pipeline.py open JOB.json       opens what was indexed and asks the first query

It runs in an environment with the libraries of ``peers.lock`` or ``peers-onnx.lock`` and imports
nothing of Lectern. Text is cut into chunks of 1,000 characters. The job names the folder, the two
encoders and their form, the store, the queries and the files of hits. The times are printed as
JSON. Each library chooses its number of threads itself.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Job = dict[str, Any]
    Chunk = dict[str, Any]
    Encode = Callable[[list[str]], Any]
    # Takes the text of a query and whether words count, and returns the chunks found, best first.
    Ask = Callable[[str, bool], list[Chunk]]

BEGAN = time.perf_counter()
CHUNK, LIMIT, WARM = 1000, 20, 5
# The forms of an encoder that are not types of PyTorch.
ONNX, OPENVINO = "onnx-int8", "openvino"


def pages(corpus: Path) -> Iterator[tuple[str, int, str]]:
    """Yield the file, the number from 1, and the text of each page."""
    import pymupdf

    for path in sorted(path for path in corpus.rglob("*") if path.is_file()):
        file = path.relative_to(corpus).as_posix()
        if path.suffix != ".pdf":
            yield file, 1, path.read_bytes().decode("utf-8")
            continue
        with pymupdf.open(path) as document:
            for number, page in enumerate(document, 1):
                yield file, number, page.get_text()


def cut(file: str, page: int, text: str) -> Iterator[Chunk]:
    """Chunks that end at white space, if there is any."""
    start = 0
    while start < len(text):
        end = start + CHUNK
        if end < len(text):
            end = max(text.rfind(sign, start + 1, end) for sign in " \n") + 1 or end
        if text[start:end].strip():
            yield {"file": file, "page": page, "start": start, "end": end, "text": text[start:end]}
        start = end


def encoder(folder: str, form: str) -> Encode:
    """An encoder as sentence-transformers opens it; rows are float32 of length 1."""
    from sentence_transformers import SentenceTransformer

    if form == ONNX:
        (file,) = Path(folder, "onnx").glob("model_qint8_*.onnx")
        kinds = {"file_name": f"onnx/{file.name}", "provider": "CPUExecutionProvider"}
        model = SentenceTransformer(folder, device="cpu", backend="onnx", model_kwargs=kinds)
    elif form == OPENVINO:
        model = SentenceTransformer(folder, device="cpu", backend="openvino")
    else:
        import torch

        kinds = {"dtype": getattr(torch, form)}
        model = SentenceTransformer(folder, device="cpu", model_kwargs=kinds)

    def encode(texts: list[str]) -> Any:
        found = model.encode(
            texts, convert_to_tensor=True, normalize_embeddings=True, show_progress_bar=False
        )
        return found.float().numpy()

    return encode


def prepare(job: Job) -> None:
    """Export both encoders by the library's own functions, into their folders."""
    from sentence_transformers import SentenceTransformer, export_dynamic_quantized_onnx_model

    backend = "onnx" if job["form"] == ONNX else "openvino"
    for folder in (job["passages"], job["queries"]):
        model = SentenceTransformer(folder, device="cpu", backend=backend)
        model.save_pretrained(folder)
        if job["form"] == ONNX:
            export_dynamic_quantized_onnx_model(model, job["processor"], folder)


class LanceDB:
    """LanceDB with its text index; hits are its hybrid search's."""

    def __init__(self, job: Job) -> None:
        import lancedb

        self._job = job
        self._database = lancedb.connect(job["store"])

    def add(self, chunks: list[Chunk]) -> None:
        import pyarrow as pa

        encode = encoder(self._job["passages"], self._job["form"])
        vectors = encode([chunk["text"] for chunk in chunks])
        rows = pa.Table.from_pylist(chunks)
        column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
        table = self._database.create_table("chunks", rows.append_column("vector", column))
        table.create_fts_index("text")

    def asking(self) -> Ask:
        table = self._database.open_table("chunks")
        encode = encoder(self._job["queries"], self._job["form"])

        def ask(text: str, words: bool) -> list[Chunk]:
            (vector,) = encode([text])
            if not words:
                return list(table.search(vector).limit(LIMIT).to_list())
            both = table.search(query_type="hybrid").vector(vector).text(text)
            return list(both.limit(LIMIT).to_list())

        return ask


class Txtai:
    """Use txtai's hybrid index; the chunks, which it does not hold, lie beside it."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._chunks = Path(job["store"] + ".json")

    def add(self, chunks: list[Chunk]) -> None:
        from txtai import Embeddings

        transform = encoder(self._job["passages"], self._job["form"])
        index = Embeddings(method="external", transform=transform, hybrid=True)
        index.index((number, chunk["text"], None) for number, chunk in enumerate(chunks))
        index.save(self._job["store"])
        self._chunks.write_text(json.dumps(chunks), encoding="utf-8")

    def asking(self) -> Ask:
        from txtai import Embeddings

        chunks = json.loads(self._chunks.read_text(encoding="utf-8"))
        transform = encoder(self._job["queries"], self._job["form"])
        index = Embeddings()
        index.load(self._job["store"], config={"transform": transform})

        def ask(text: str, words: bool) -> list[Chunk]:
            found = index.search(text, LIMIT, weights=None if words else 1.0)
            return [chunks[number] for number, _ in found]

        return ask


def asked(job: Job, ask: Ask, *, words: bool) -> list[float]:
    """Write the file of hits; return the milliseconds of each query."""
    spent = []
    kept = ("file", "page", "start", "end")
    for text in [query["text"] for query in job["asked"][:WARM]]:
        ask(text, words)
    with Path(job["out"][words]).open("w", encoding="utf-8") as lines:
        for query in job["asked"]:
            began = time.perf_counter()
            found = ask(query["text"], words)
            spent.append(1e3 * (time.perf_counter() - began))
            hits = [{name: chunk[name] for name in kept} for chunk in found]
            lines.write(json.dumps({"id": query["id"], "hits": hits}) + "\n")
    return spent


def index(job: Job) -> dict[str, Any]:
    """Index the folder, ask every query, and return the time of both."""
    read = list(pages(Path(job["corpus"])))
    chunks = [chunk for page in read for chunk in cut(*page)]
    store = STORES[job["kind"]](job)
    store.add(chunks)
    ask = store.asking()
    seconds = time.perf_counter() - BEGAN
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "pages": len(read),
        "chunks": len(chunks),
        "seconds": seconds,
        "processor": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss << 10,  # in bytes, on Linux
        "vectors": asked(job, ask, words=False),
        "hybrid": asked(job, ask, words=True),
    }


def open_store(job: Job) -> dict[str, Any]:
    """Open what was indexed and return the first hit of the first query."""
    ask = STORES[job["kind"]](job).asking()
    return {"file": ask(job["asked"][0]["text"], True)[0]["file"]}


STORES: dict[str, type[LanceDB | Txtai]] = {"lancedb": LanceDB, "txtai": Txtai}
MODES: dict[str, Callable[[Job], dict[str, Any] | None]] = {
    "prepare": prepare,
    "index": index,
    "open": open_store,
}


def main() -> None:
    mode, job = sys.argv[1:]
    print(json.dumps(MODES[mode](json.loads(Path(job).read_text(encoding="utf-8")))), flush=True)


if __name__ == "__main__":
    main()
