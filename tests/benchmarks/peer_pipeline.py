"""Indexes a folder and answers queries as other people's libraries do it in a few lines.

    python peer_pipeline.py JOB.json

Runs alone, in an environment with the libraries of ``peers.lock``; it imports nothing of Lectern.
Text is cut into chunks of 1,000 characters. The job names the folder, the two encoders, the store,
the queries and the files of hits; what is printed is what it took, as JSON.
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

    Chunk = dict[str, Any]
    # (text of a query, whether words count too) to the chunks found, best first
    Ask = Callable[[str, bool], list[Chunk]]

BEGAN = time.perf_counter()
CHUNK, LIMIT, WARM = 1000, 20, 5


def pages(corpus: Path) -> Iterator[tuple[str, int, str]]:
    """File, page from 1, and text."""
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


def encoder(folder: str, dtype: str) -> Callable[[list[str]], Any]:
    """An encoder as sentence-transformers opens it; rows are float32 of length 1."""
    import torch
    from sentence_transformers import SentenceTransformer

    kind = {"dtype": getattr(torch, dtype)}
    model = SentenceTransformer(folder, device="cpu", model_kwargs=kind)

    def encode(texts: list[str]) -> Any:
        found = model.encode(
            texts, convert_to_tensor=True, normalize_embeddings=True, show_progress_bar=False
        )
        return found.float().numpy()

    return encode


def with_lancedb(job: dict[str, Any], chunks: list[Chunk]) -> Ask:
    """LanceDB with its text index; hits are its hybrid search's."""
    import lancedb
    import pyarrow as pa

    encode = encoder(job["passages"], job["dtype"])
    vectors = encode([chunk["text"] for chunk in chunks])
    rows = pa.Table.from_pylist(chunks)
    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
    table = lancedb.connect(job["store"]).create_table(
        "chunks", rows.append_column("vector", column)
    )
    table.create_fts_index("text")
    encode_query = encoder(job["queries"], job["dtype"])

    def ask(text: str, words: bool) -> list[Chunk]:
        (vector,) = encode_query([text])
        if not words:
            return list(table.search(vector).limit(LIMIT).to_list())
        both = table.search(query_type="hybrid").vector(vector).text(text)
        return list(both.limit(LIMIT).to_list())

    return ask


def with_txtai(job: dict[str, Any], chunks: list[Chunk]) -> Ask:
    """Use txtai's hybrid index; it takes one encoder, which is changed before queries are asked."""
    from txtai import Embeddings

    encode = [encoder(job["passages"], job["dtype"])]

    def transform(texts: list[str]) -> Any:
        return encode[0](texts)

    index = Embeddings(method="external", transform=transform, hybrid=True)
    index.index((number, chunk["text"], None) for number, chunk in enumerate(chunks))
    encode[0] = encoder(job["queries"], job["dtype"])

    def ask(text: str, words: bool) -> list[Chunk]:
        found = index.search(text, LIMIT, weights=None if words else 1.0)
        return [chunks[number] for number, _ in found]

    return ask


def asked(job: dict[str, Any], ask: Ask, *, words: bool) -> list[float]:
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


def main() -> None:
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    read = list(pages(Path(job["corpus"])))
    chunks = [chunk for page in read for chunk in cut(*page)]
    ask = {"lancedb": with_lancedb, "txtai": with_txtai}[job["kind"]](job, chunks)
    seconds = time.perf_counter() - BEGAN
    used = resource.getrusage(resource.RUSAGE_SELF)
    answer = {
        "pages": len(read),
        "chunks": len(chunks),
        "seconds": seconds,
        "processor": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss << 10,  # in bytes, on Linux
        "vectors": asked(job, ask, words=False),
        "hybrid": asked(job, ask, words=True),
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
