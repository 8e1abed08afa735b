"""The build backend: setuptools, after compiling the models' ONNX files if they are missing."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable", "build_sdist", "build_wheel", "get_requires_for_build_editable",
    "get_requires_for_build_sdist", "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable", "prepare_metadata_for_build_wheel",
]  # fmt: skip

ROOT = Path(__file__).resolve().parents[1]
MODELS = ROOT / "resources" / "models"
# The libraries that the compiler imports.
COMPILING = [
    "filelock", "huggingface-hub", "msgspec", "numpy>=2.1,<3", "onnx>=1.19,<2",
    "onnxruntime>=1.22,<2", "safetensors>=0.5,<1", "tokenizers>=0.21,<1",
]  # fmt: skip


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Return what building needs; if the models are not compiled, also the compiler's libraries."""
    found: list[str] = build_meta.get_requires_for_build_wheel(config_settings)
    return found if _are_there() else [*found, *COMPILING]


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Build a wheel with the forms of both models."""
    if not _are_there():
        script = ROOT / "packaging" / "model" / "compile_forms.py"
        spec = importlib.util.spec_from_file_location("compile_forms", script)
        if spec is None or spec.loader is None:
            sys.exit(f"{script} is missing")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        module.compile_all()
    name: str = build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    return name


def _are_there() -> bool:
    checkpoints = list(MODELS.glob("*/checkpoint.json"))
    return all((file.parent / "content.json").exists() for file in checkpoints)
