"""Compiles the default model once, at installation.

    python packaging/compile_models.py [FOLDER]

FOLDER is the person's folder of models by default. The multilingual model is compiled when a
library first needs it (12 s of processor time, 231 MB), as most never do.
"""

from __future__ import annotations

import sys
from pathlib import Path

from app.paths import models_folder
from indexer.api.errors import WorldError
from indexer.config import DEFAULT_MODEL, Precision
from indexer.embed.compiled import ensure_compiled
from indexer.embed.devices import AUTO, candidates, load_runtime
from indexer.embed.models import Side
from indexer.embed.record_files import find_record


def forms() -> list[tuple[Precision, Side, bool]]:
    """What an engine opens by the defaults of ``EngineConfig``: precision, side, whether padded.

    Where the runtime has accelerators they are tried first, also where there is none.
    """
    *accelerators, _ = candidates(load_runtime().get_available_providers(), AUTO)
    padded = [(Precision.FP32, side, True) for side in Side] if accelerators else []
    return [(Precision.INT8, Side.PASSAGES, False), (Precision.FP32, Side.QUERIES, False), *padded]


def main(folder: Path) -> int:
    """Compile the default encoders of passages and queries; return the exit status."""
    record = find_record(DEFAULT_MODEL)
    try:
        for precision, side, padded in forms():
            ensure_compiled(record, folder, precision, side, padded=padded, note=print)
    except WorldError as error:
        print(f"{error.message} {error.next_step}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if sys.argv[1:] else models_folder()))
