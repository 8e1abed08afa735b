"""A small model with rotary positions: what reading beyond its trained window costs is tried on it.

It stands in for published ones: MiniLM in the shape of NomicBERT, without its own positions, which
then learns to have MiniLM's vectors, those of passages inside windows and of questions.

    python packaging/model/rotary.py --texts ../shared/train --run build/model/rotary
    python -m tests.benchmarks.context_extension build/model/rotary/rotary chunking-eval

The same command goes on from what it wrote, with other windows if `--seed` is another. Needs
`pip install 'lectern[convert]'`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bases import BASES
from bert import load_weights
from corpus import KEPT_BACK, read_corpus
from distil import TEMPERATURE, divergence, encode_alone, late_vectors, padded
from lessons import Lessons

from indexer.compiler.adapter import POSITIONS, TYPES, WORDS
from indexer.embed.architecture import Family
from indexer.embed.models import TOKENIZER, WEIGHTS
from indexer.embed.sentence_folder import CONFIG, LENGTHS, MODULES
from indexer.embed.tokens import TextTokenizer

if TYPE_CHECKING:
    from bert import Weights
    from lessons import Lesson

    from indexer.embed.architecture import Architecture

    Tensor = Any

NAME = "rotary"
LONGEST = 4096  # tokens that can be read; it is trained for fewer
BASE = 10_000.0
_MORE = 32  # channels of the feed-forward layers
_GELU, _CHANNEL = 1.702, 4.0
_PART = "sentence_transformers.models."
_WARM_UP, _CLIP = 0.05, 1.0


def shape_of(genuine: Architecture) -> Architecture:
    """NomicBERT's, as wide as the model that it learns from."""
    return replace(
        genuine, family=Family.NOMICBERT, rotary_bases=(BASE,), positions=LONGEST,
        intermediate=genuine.intermediate + _MORE,
    )  # fmt: skip


def first_weights(shape: Architecture, teacher: Weights) -> Weights:
    """The teacher's weights in NomicBERT's shape, which has few biases.

    Some product of a normalised input is constant, so that biases can be parts of the matrices
    after it. The bias of values stands for that of the attention's output, as a token's attention
    sums to 1, and one more channel for that of the feed-forward layer. GELU is x times the logistic
    function of 1.7 x, nearly. Positions are the mean of the teacher's.
    """
    found: Weights = {WORDS: teacher[WORDS].clone()}
    found[TYPES] = teacher[TYPES] + teacher[POSITIONS].mean(0)
    norm = "embeddings.LayerNorm"
    found |= _norm(teacher, norm, "emb_ln")
    for layer in range(shape.layers):
        old, new = f"encoder.layer.{layer}", f"encoder.layers.{layer}"
        one = _constant(teacher, norm)
        out = _linear(teacher, f"{old}.attention.output.dense")
        parts = [
            _linear(teacher, f"{old}.attention.self.{part}") for part in ("query", "key", "value")
        ]
        shift = torch.linalg.solve(out[0].double(), out[1].double()).float()
        parts[2] = parts[2][0], parts[2][1] + shift
        inner = _linear(teacher, f"{old}.intermediate.dense")
        outer = _linear(teacher, f"{old}.output.dense")
        found[f"{new}.attn.Wqkv.weight"] = torch.cat([_merged(*part, one) for part in parts])
        found[f"{new}.attn.out_proj.weight"] = out[0].clone()
        norm = f"{old}.attention.output.LayerNorm"
        found |= _norm(teacher, norm, f"{new}.norm1")
        one = _constant(teacher, norm)
        more = shape.intermediate - len(inner[1])
        gates = torch.cat([_GELU * _merged(*inner, one), _CHANNEL * one.expand(more, -1)])
        values = torch.cat([one.expand(len(inner[1]), -1) / _GELU, one.expand(more, -1)])
        last = outer[1][:, None] / (more * functional.silu(torch.tensor(_CHANNEL)))
        found[f"{new}.mlp.fc12.weight"], found[f"{new}.mlp.fc11.weight"] = gates, values
        found[f"{new}.mlp.fc2.weight"] = torch.cat([outer[0], last.expand(-1, more)], 1)
        norm = f"{old}.output.LayerNorm"
        found |= _norm(teacher, norm, f"{new}.norm2")
    return found


def _linear(teacher: Weights, name: str) -> tuple[Tensor, Tensor]:
    return teacher[f"{name}.weight"], teacher[f"{name}.bias"]


def _norm(teacher: Weights, old: str, new: str) -> Weights:
    return {f"{new}.{part}": teacher[f"{old}.{part}"].clone() for part in ("weight", "bias")}


def _constant(teacher: Weights, norm: str) -> Tensor:
    """What has the product 1 with whatever this layer normalises, ``(hidden,)``."""
    scale, shift = _linear(teacher, norm)
    return 1 / scale / (shift / scale).sum()


def _merged(matrix: Tensor, bias: Tensor, one: Tensor) -> Tensor:
    return matrix + bias[:, None] * one


def token_states(
    weights: Weights, shape: Architecture, ids: Tensor, mask: Tensor | None = None
) -> Tensor:
    """States of tokens, as ``bert.token_states`` has them."""

    def norm(x: Tensor, name: str) -> Tensor:
        own = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return functional.layer_norm(x, (shape.hidden,), *own, shape.norm_epsilon)

    x = functional.embedding(ids, weights[WORDS]) + weights[TYPES][0]
    x = norm(x, "emb_ln")
    seen = None if mask is None else mask[:, None, None, :]
    turns = _turns(shape, ids.shape[1])
    for layer in range(shape.layers):
        stem = f"encoder.layers.{layer}"
        parts = functional.linear(x, weights[f"{stem}.attn.Wqkv.weight"]).chunk(3, -1)
        query, key, value = (
            part.view(*x.shape[:2], shape.heads, -1).transpose(1, 2) for part in parts
        )
        context = functional.scaled_dot_product_attention(
            _turned(query, *turns), _turned(key, *turns), value, attn_mask=seen
        )
        context = context.transpose(1, 2).reshape(x.shape)
        x = norm(x + functional.linear(context, weights[f"{stem}.attn.out_proj.weight"]),
                 f"{stem}.norm1")  # fmt: skip
        first, second = (
            functional.linear(x, weights[f"{stem}.mlp.fc{part}.weight"]) for part in ("11", "12")
        )
        outer = functional.linear(
            functional.silu(second) * first, weights[f"{stem}.mlp.fc2.weight"]
        )
        x = norm(x + outer, f"{stem}.norm2")
    return x.float()


def _turns(shape: Architecture, length: int) -> tuple[Tensor, Tensor]:
    steps = BASE ** (-torch.arange(0, shape.channels, 2) / shape.channels)
    angles = torch.arange(length)[:, None] * steps
    return angles.cos(), angles.sin()


def _turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.float().chunk(2, -1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1).to(x.dtype)


def loss_of(
    weights: Weights, shape: Architecture, teacher: Weights, genuine: Architecture, lesson: Lesson
) -> tuple[Tensor, float]:
    """The loss of a lesson, and the mean cosine of its passages with the teacher's."""
    alone = [passage.alone for window in lesson.windows for passage in window.passages]
    asked = [query.ids for query in lesson.queries]
    wanted = encode_alone(teacher, genuine, [*alone, *asked])
    ids = torch.stack([torch.from_numpy(window.ids) for window in lesson.windows]).long()
    found = late_vectors(token_states(weights, shape, ids), lesson)
    read, mask = padded(asked)
    sums = (token_states(weights, shape, read, mask) * mask[..., None]).sum(1)
    both = torch.cat([found, functional.normalize(sums, dim=-1)])
    cosines = (both * wanted).sum(-1)
    passages = wanted[: len(alone)]
    apart = divergence(
        wanted @ found.T / TEMPERATURE, functional.softmax(wanted @ passages.T / TEMPERATURE, -1)
    )
    return 1 - cosines.mean() + apart, cosines[: len(alone)].mean().item()


def train(options: argparse.Namespace) -> None:
    """Train for the given time, from what an earlier run wrote, and write the folder."""
    record, source = BASES["minilm"].open(options.work, options.genuine)
    tokenizer = TextTokenizer(source / TOKENIZER)
    files = BASES["minilm"].files(options.texts)
    corpus = read_corpus(files, tokenizer, options.work / "corpus-minilm.npz", options.seed)
    lessons = Lessons(corpus, tokenizer, options.seed, KEPT_BACK)
    teacher, genuine = load_weights(source / WEIGHTS), record.architecture
    shape = shape_of(genuine)
    written = options.run / NAME / WEIGHTS
    weights = load_weights(written) if written.exists() else first_weights(shape, teacher)
    learnt = [one.requires_grad_() for name, one in weights.items() if name != WORDS]
    optimiser = torch.optim.AdamW(learnt, lr=options.rate)
    began, step, done = time.monotonic(), 0, 0.0
    while done < 1:
        lesson = lessons.draw(step, 0, options.window, options.tokens, held=False)
        loss, cosine = loss_of(weights, shape, teacher, genuine, lesson)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learnt, _CLIP)
        done = (time.monotonic() - began) / (60 * options.minutes)
        for group in optimiser.param_groups:
            group["lr"] = options.rate * max(min(done / _WARM_UP, 1 - done), 1e-3)
        optimiser.step()
        step += 1
        if step % 10 == 0 or done >= 1:
            print(f"{step} steps: loss {loss.item():.3f}, cosine {cosine:.3f}", flush=True)
    write_folder(options.run / NAME, weights, shape, options.window, source / TOKENIZER)


def write_folder(
    folder: Path, weights: Weights, shape: Architecture, window: int, tokenizer: Path
) -> None:
    """Write the model as sentence-transformers does."""
    from safetensors.torch import save_file

    (folder / "1_Pooling").mkdir(parents=True, exist_ok=True)
    kinds = {"": "Transformer", "1_Pooling": "Pooling", "2_Normalize": "Normalize"}
    contents: dict[str, Any] = {
        MODULES: [
            {"idx": at, "name": str(at), "path": path, "type": f"{_PART}{kind}"}
            for at, (path, kind) in enumerate(kinds.items())
        ],
        CONFIG: {
            "model_type": "nomic_bert", "vocab_size": shape.vocabulary, "n_embd": shape.hidden,
            "n_inner": shape.intermediate, "n_layer": shape.layers, "n_head": shape.heads,
            "n_positions": shape.positions, "layer_norm_epsilon": shape.norm_epsilon,
            "rotary_emb_base": BASE, "rotary_emb_fraction": 1.0, "activation_function": "swiglu",
            "qkv_proj_bias": False, "prenorm": False, "mlp_fc1_bias": False, "mlp_fc2_bias": False,
        },
        "1_Pooling/config.json": {
            "word_embedding_dimension": shape.hidden, "pooling_mode_mean_tokens": True
        },
        LENGTHS: {"max_seq_length": window},
    }  # fmt: skip
    for name, content in contents.items():
        (folder / name).write_text(json.dumps(content, indent=1), "utf-8")
    shutil.copyfile(tokenizer, folder / TOKENIZER)
    own = {name: one.detach().contiguous() for name, one in weights.items()}
    save_file(own, folder / WEIGHTS)
    (folder / WEIGHTS).chmod(0o644)  # ``save_file`` makes it private


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a stand-in with rotary positions.")
    parser.add_argument("--texts", type=Path, default=ROOT.parent / "shared" / "train")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "model", help="cache folder")
    parser.add_argument("--run", type=Path, required=True, help="folder of this run")
    parser.add_argument("--genuine", type=Path, help="folder of the base model, else downloaded")
    parser.add_argument("--window", type=int, default=256, help="tokens that it is trained for")
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--tokens", type=int, default=1024, help="of a step")
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--seed", type=int, default=5)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
