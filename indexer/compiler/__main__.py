"""Compiles one model: a request as JSON on standard input, an error as JSON on the output.

Owns the process. The request has ``record``, ``precision``, ``side``, ``source`` and ``folder``.
The answer is empty or has ``error`` (of ours), ``invalid`` (weights) or ``errno`` and ``strerror``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from indexer.api.codec import encode
from indexer.api.errors import LecternError
from indexer.compiler.calibrate import compile_model
from indexer.config import Precision
from indexer.confine.process import die_with, take_stdout
from indexer.embed.models import Side
from indexer.embed.record_files import parse_record


def main() -> int:
    """Compile what standard input asks for; the first argument is the process that waits."""
    die_with(int(sys.argv[1]))
    request = json.load(sys.stdin)
    with take_stdout() as output:
        output.write(json.dumps(_answer(request)).encode())
    return 0


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        compile_model(
            parse_record(request["record"]),
            Precision(request["precision"]),
            Side(request["side"]),
            Path(request["source"]),
            Path(request["folder"]),
        )
    except LecternError as error:
        return {"error": encode(error.failure())}
    except OSError as error:
        return {"errno": error.errno, "strerror": error.strerror}
    except (ValueError, KeyError) as error:
        return {"invalid": str(error)}
    return {}


if __name__ == "__main__":
    sys.exit(main())
