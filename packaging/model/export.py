"""Exports a trained checkpoint as a model: weights in float16, tokenizer, record and checkpoint.

    python packaging/model/export.py --run build/model/first --id lectern-minilm-late

The weights are those of the base model, which encodes queries, and the adapter for passages. The
record has the hashes of the files, and a probe that verifies the compiled graph.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from msgspec import structs

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from adapter import ADAPTED
from architecture import WEIGHTS, Checkpoint, Probe, write_checkpoint
from bases import BASES
from bert import UNUSED, load_weights
from centre import SHARE, last_bias, mean_state, samples
from distil import encode_alone
from loop import CHECKPOINT, SETTINGS, Settings
from tensors import count_parameters

from indexer.embed.layout import TextTokenizer
from indexer.embed.model_files import hash_file, shipped_folder, write_record
from indexer.embed.models import TOKENIZER, PoolScope, Side

if TYPE_CHECKING:
    from base_package import Genuine

PROBE = "The library opens at nine in the morning."
PROBE_VALUES = 8
OVERLAP = 32
# The longest window, which costs at most 1.25 times as much as passages alone (model card).
WINDOW = 4096


def main() -> None:
    options = _options()
    base = BASES[options.base]
    genuine, source = base.open(options.work, options.genuine)
    home = options.models / options.id
    home.mkdir(parents=True, exist_ok=True)
    settings = Settings(**json.loads((options.run / SETTINGS).read_text("utf-8")))
    if settings.start != "repeated":
        raise SystemExit("only a run with --start repeated can be exported")
    _write_weights(source / WEIGHTS, options.run / CHECKPOINT, home / WEIGHTS)
    shutil.copyfile(source / TOKENIZER, home / TOKENIZER)
    if base.centred:
        _centre(home, genuine, settings, base.files(options.texts))
    checkpoint = _checkpoint(genuine, home, settings)
    centre, spread, between = base.cosines
    record = structs.replace(
        genuine.record, id=options.id, vocabulary=checkpoint.architecture.vocabulary,
        pool_scope=PoolScope.PASSAGE, window=options.window, late=True, overlap=OVERLAP,
        query_window=genuine.record.window, homepage="", edition=checkpoint.sha256[:8],
        cosine_centre=centre, cosine_spread=spread, cosine_between=between,
        layers=len(checkpoint.architecture.kept_layers),
        parameters=count_parameters(home / WEIGHTS),
    )  # fmt: skip
    write_record(record, options.models)
    write_checkpoint(home, checkpoint)
    print(f"{home}: windows of {record.window}; compile it with compile_forms.py")


def _write_weights(genuine: Path, checkpoint: Path, target: Path) -> None:
    from safetensors.torch import load_file, save_file

    learnt = torch.load(checkpoint, weights_only=True)["learnt"]
    own = {name: one for name, one in load_file(genuine).items() if name not in UNUSED}
    both = {
        name: (one.half() if one.is_floating_point() else one).contiguous()
        for name, one in {**own, **learnt}.items()
    }
    save_file(both, target)
    target.chmod(0o644)  # ``save_file`` makes it private


def _centre(home: Path, genuine: Genuine, settings: Settings, files: list[Path]) -> None:
    """Subtract the mean vectors from the biases of both encoders."""
    from safetensors.torch import load_file, save_file

    tokenizer = TextTokenizer(home / TOKENIZER)
    whole = genuine.architecture.dense
    alone = replace(settings.shape(whole), block=0, reach=0, anchors=0)
    passages, questions = samples(files, settings.seed)
    bias = last_bias(whole)
    means = {
        bias: mean_state(
            load_weights(home / WEIGHTS, Side.QUERIES),
            whole, tokenizer, genuine.record.query_prefix, questions,
        ),
        ADAPTED + bias: mean_state(
            load_weights(home / WEIGHTS), alone, tokenizer, genuine.record.document_prefix, passages
        ),
    }  # fmt: skip
    tensors = load_file(home / WEIGHTS)
    for name, mean in means.items():
        tensors[name] = (tensors[name].float() - SHARE * mean).half()
    save_file(tensors, home / WEIGHTS)
    (home / WEIGHTS).chmod(0o644)


def _checkpoint(genuine: Genuine, home: Path, settings: Settings) -> Checkpoint:
    queries = load_weights(home / WEIGHTS, Side.QUERIES)
    tokenizer = TextTokenizer(home / TOKENIZER)
    (tokens,) = tokenizer.encode([PROBE])
    ids = [*tokenizer.lead, *tokens.ids, *tokenizer.tail]
    vector = encode_alone(queries, genuine.architecture, [ids])[0]
    values = tuple(round(float(value), 6) for value in vector[:PROBE_VALUES])
    shape = settings.shape(genuine.architecture)
    return Checkpoint(shape, hash_file(home / WEIGHTS), Probe(PROBE, values))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Export a trained checkpoint as a model.")
    parser.add_argument("--base", choices=tuple(BASES), default="minilm", help="the base model")
    parser.add_argument("--run", type=Path, required=True, help="folder of the run")
    parser.add_argument("--id", required=True, help="id of the model")
    parser.add_argument("--window", type=int, default=WINDOW, help="tokens of a window")
    parser.add_argument("--models", type=Path, default=shipped_folder(), help="folder of models")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "model")
    parser.add_argument("--texts", type=Path, default=ROOT.parent / "shared" / "train")
    parser.add_argument("--genuine", type=Path, help="folder of the base model, else downloaded")
    return parser.parse_args()


if __name__ == "__main__":
    main()
