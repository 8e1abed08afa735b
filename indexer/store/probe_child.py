"""The process that reads rows and indices for ``indexer.store.probe``, one request at a time.

Owns its limits: memory, the time of a request, and ending when nobody asks or the engine has ended.
"""

from __future__ import annotations

import os
import sys
import threading
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from indexer.api.codec import decode, encode, read_frame, write_frame
from indexer.api.errors import LecternError
from indexer.confine.process import Alarm, limit_memory, take_stdout
from indexer.store import damage
from indexer.store.probe import Answer, DamagedError, ProbeRequest

if TYPE_CHECKING:
    from indexer.store.values import Int64s

# Seconds without a request until it ends, and those a request may take.
_IDLE_S, _LONGEST_S = 10.0, 120.0


def main() -> int:
    """Answer until the engine closes the pipe; the argument is the limit of the address space."""
    outgoing = take_stdout()
    limit_memory(int(sys.argv[1]))
    alarm = Alarm(_LONGEST_S)
    while True:
        idle = threading.Timer(_IDLE_S, os._exit, (0,))
        idle.daemon = True
        idle.start()
        frame = read_frame(sys.stdin.buffer)
        idle.cancel()
        if frame is None:
            return 0
        alarm.restart()
        _serve(decode(ProbeRequest, frame[0]), np.frombuffer(frame[1], np.int64), outgoing)
        alarm.stop()


def _serve(request: ProbeRequest, ids: Int64s, outgoing: BinaryIO) -> None:
    answer, found = Answer(), None
    work = partial(_read_index, request.index) if request.index else partial(_read_rows, ids)
    try:
        found = damage.confirmed(request.table, request.cache, work)
    except DamagedError as error:
        answer = Answer(damage=str(error) or "unreadable")
    except LecternError as error:
        answer = Answer(failure=error.failure())
    except Exception as error:  # noqa: BLE001  # the engine raises it
        answer = Answer(other=f"{type(error).__name__}: {error}")
    write_frame(outgoing, encode(answer))
    if found is not None:
        import pyarrow as pa

        with pa.ipc.new_stream(outgoing, found.schema) as stream:
            stream.write_table(found)
        outgoing.flush()


def _read_rows(ids: Int64s, inner: Any) -> Any:
    found = inner.take_row_ids(ids.tolist()).to_arrow()
    # Lance does not check all of the bytes, and the engine would follow wrong offsets.
    found.validate(full=True)
    return found


def _read_index(name: str, inner: Any) -> None:
    inner.prewarm_index(name)


if __name__ == "__main__":
    sys.exit(main())
