"""The compiler process: one ``CompileRequest`` on standard input, one ``CompileAnswer`` out.

Both are JSON and declared in ``indexer.embed.compiled``.
"""

from __future__ import annotations

import json
import sys

from indexer.api.codec import decode, encode
from indexer.api.errors import LecternError
from indexer.compiler.accept import accept_model
from indexer.compiler.calibrate import compile_model
from indexer.confine.process import die_with, take_stdout
from indexer.embed.compiling import CompileAnswer, CompileRequest


def main() -> int:
    """Answer the request on standard input; the first argument is the pid of the parent."""
    die_with(int(sys.argv[1]))
    request = decode(CompileRequest, json.load(sys.stdin))
    with take_stdout() as output:
        output.write(json.dumps(encode(_answer(request))).encode())
    return 0


def _answer(asked: CompileRequest) -> CompileAnswer:
    try:
        if asked.accept:
            return CompileAnswer(accepted=accept_model(asked.record, asked.source, asked.folder))
        compile_model(
            asked.record, asked.precision, asked.side, asked.source, asked.folder,
            padded=asked.padded,
        )  # fmt: skip
    except LecternError as error:
        return CompileAnswer(error=error.failure())
    except OSError as error:
        return CompileAnswer(errno=error.errno or 0, strerror=error.strerror or str(error))
    except (ValueError, KeyError) as error:
        return CompileAnswer(invalid=str(error) or type(error).__name__)
    return CompileAnswer()


if __name__ == "__main__":
    sys.exit(main())
