"""Asks the compiler process (``indexer.compiler``) for a graph, and what it measured of a model.

Owns its request and answer, its time limit, and what became of it. It must not know where a graph
is kept (``compiled``).
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003  # for the codec

from indexer.api.codec import decode, encode
from indexer.api.errors import Failure, InternalError, WorldError
from indexer.api.progress import CancelToken
from indexer.config import Precision  # noqa: TC001  # for the codec
from indexer.confine.process import child_command, child_environment
from indexer.embed.fetch import wait
from indexer.embed.models import ModelRecord, Probe, Side  # noqa: TC001  # for the codec

COMPILER = "indexer.compiler"
_STDERR_TAIL = 500  # characters
# Of the compiler process, which reads files of strangers. The slowest models take some minutes.
COMPILE_LIMIT_S = 3600.0


@dataclass(frozen=True, slots=True)
class CompileRequest:
    """The request to the compiler process; paths are absolute.

    ``padded``: a graph for accelerators. ``accept``: the files are a stranger's, and the float32
    graph is compared with a reference.
    """

    record: ModelRecord
    precision: Precision
    side: Side
    source: Path
    folder: Path
    padded: bool = False
    accept: bool = False


@dataclass(frozen=True, slots=True)
class CosineScale:
    """The distribution of a model's cosines, as in ``ModelRecord``."""

    centre: float
    spread: float
    between: float


@dataclass(frozen=True, slots=True)
class Accepted:
    """What was measured of an accepted model."""

    probe: Probe | None  # None for a cross-encoder
    cosines: CosineScale
    one_type: bool = False  # see ``Architecture``
    parameters: int | None = None  # None for a graph that others exported


@dataclass(frozen=True, slots=True)
class CompileAnswer:
    """The answer of the compiler process; all fields are empty on success.

    Attributes:
        error: A ``LecternError``.
        errno: Of an ``OSError``, with ``strerror``.
        strerror: See ``errno``.
        invalid: Why the weights are invalid.
        accepted: Of an accepted model; not empty then.
    """

    error: Failure | None = None
    errno: int = 0
    strerror: str = ""
    invalid: str = ""
    accepted: Accepted | None = None


def ask_compiler(request: CompileRequest, token: CancelToken | None = None) -> CompileAnswer:
    """Run a child process that compiles.

    Raises:
        Cancelled: If the token was cancelled; the child is killed.
        OSError: If the folder cannot be written.
        LecternError: ``internal`` if the graph fails its probe or the child crashed,
            ``model_coarse``, ``model_slow`` if it took too long and was killed.
    """
    # Not limited to one thread as other children are: numpy's order of summation depends on the
    # number of threads, and the file would differ.
    environment = {**os.environ, "PYTHONPATH": child_environment()["PYTHONPATH"]}
    token, ends = token or CancelToken(), time.monotonic() + COMPILE_LIMIT_S
    with subprocess.Popen(
        [*child_command(COMPILER), str(os.getpid())], env=environment, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
    ) as child:  # fmt: skip
        said = wait(
            child, lambda: token.cancelled or time.monotonic() > ends, json.dumps(encode(request))
        )
    token.check()  # also if the child ended before the next poll
    if said is None:
        limit = f"{COMPILE_LIMIT_S / 60:.0f} min"
        raise WorldError("model_slow", model=request.record.id, limit=limit)
    if child.returncode:
        tail = said[1].strip()[-_STDERR_TAIL:] or f"status {child.returncode}"
        raise InternalError("internal", reason=f"the model compiler crashed: {tail}")
    answer = decode(CompileAnswer, json.loads(said[0]))
    if answer.error is not None:
        raise answer.error.error()
    if answer.strerror:
        raise OSError(answer.errno, answer.strerror)
    return answer
