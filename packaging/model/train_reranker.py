"""Trains a cross-encoder from MiniLM's weights, and writes it as a folder that can be imported.

    python packaging/model/lists.py --texts ../shared/train
    python packaging/model/train_reranker.py --run build/model/reranker
    lectern models import build/model/reranker/lectern-reranker

The same command resumes an interrupted run. Needs `pip install 'lectern[convert]'`.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from architecture import WEIGHTS
from bases import BASES
from cross_encoder import LAST, Drawing, first_weights, lesson, losses
from lists import LISTS, read_lists

from indexer.embed.exported_folder import CONFIG
from indexer.embed.layout import TextTokenizer
from indexer.embed.models import TOKENIZER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from architecture import Architecture
    from bert import Weights
    from cross_encoder import Lesson
    from lists import CandidateList

CHECKPOINT, LOG, NAME = "checkpoint.pt", "log.jsonl", "lectern-reranker"
HELD = 0.05  # of the lists, the last ones, which are of other documents
CHECK_EVERY = 20  # steps
WARM_UP, CLIP, DECAY = 0.1, 1.0, 0.01
SHARES = 2  # of a step, each on a thread of its own
FIXED = "embeddings."


class Run:
    """One run in its folder.

    Args:
        options: Those of the command line.
        shape: Of the cross-encoder.
        weights: Its first weights.
        tokenizer: Of the base model.
    """

    def __init__(
        self, options: Any, shape: Architecture, weights: Weights, tokenizer: TextTokenizer
    ) -> None:
        lists = read_lists(options.work / LISTS)
        held = int(HELD * len(lists))
        self._lists, self._held = lists[:-held], lists[-held:]
        self._options, self._shape, self._tokenizer = options, shape, tokenizer
        self.weights = weights
        self._learnt = [one for name, one in weights.items() if not name.startswith(FIXED)]
        for tensor in self._learnt:
            tensor.requires_grad_(True)  # noqa: FBT003  # torch's signature
        self._optimiser = torch.optim.AdamW(self._learnt, lr=options.rate, weight_decay=DECAY)
        self._done = 0
        self._take_up()

    def train(self) -> None:
        """Run, or resume, to the end."""
        torch.set_num_threads(1)  # in float32: bfloat16 took twice the time of a processor
        self._options.run.mkdir(parents=True, exist_ok=True)
        began = time.monotonic()
        with ThreadPoolExecutor(SHARES) as pool:
            if not self._done:
                self._note(held=self._check(pool))
            while self._done < self._options.steps:
                loss, hits = self._step(pool)
                self._done += 1
                if self._done % CHECK_EVERY == 0 or self._done == self._options.steps:
                    spent = round(time.monotonic() - began)
                    self._note(loss=loss, hits=hits, seconds=spent, held=self._check(pool))
                    self._keep()

    def _step(self, pool: ThreadPoolExecutor) -> tuple[float, float]:
        count = self._options.lists * SHARES
        chance = random.Random(f"{self._options.seed} {self._done}")  # noqa: S311  # a sample
        drawn = self._lessons(chance.sample(self._lists, count), chance)

        def learn(part: Sequence[Lesson]) -> tuple[float, float, tuple[Any, ...]]:
            loss, hits = losses(self.weights, self._shape, part)
            return loss.item(), hits, torch.autograd.grad(loss, self._learnt)

        found = list(pool.map(learn, [drawn[share::SHARES] for share in range(SHARES)]))
        for tensor, *gradients in zip(self._learnt, *(one[2] for one in found), strict=True):
            tensor.grad = sum(gradients) / SHARES
        torch.nn.utils.clip_grad_norm_(self._learnt, CLIP)
        done = (self._done + 1) / self._options.steps
        for group in self._optimiser.param_groups:
            group["lr"] = self._options.rate * min(done / WARM_UP, (1 - done) / (1 - WARM_UP))
        self._optimiser.step()
        return _mean([one[0] for one in found]), _mean([one[1] for one in found])

    def _lessons(self, lists: Sequence[CandidateList], chance: random.Random) -> list[Lesson]:
        options = self._options
        drawn = Drawing(options.size, options.window, options.own, options.removed)
        return [lesson(one, self._tokenizer, drawn, chance) for one in lists]

    def _check(self, pool: ThreadPoolExecutor) -> list[float]:
        """Loss and hits on lists that are held out."""
        always = random.Random(1)  # noqa: S311  # a sample
        drawn = self._lessons(self._held[: self._options.checked], always)

        def look(part: Sequence[Lesson]) -> tuple[float, float]:
            with torch.no_grad():
                loss, hits = losses(self.weights, self._shape, part)
            return loss.item(), hits

        found = pool.map(look, [drawn[share::SHARES] for share in range(SHARES)])
        return [_mean(part) for part in zip(*found, strict=True)]

    def _note(self, **facts: Any) -> None:
        with (self._options.run / LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps({"step": self._done, **facts}) + "\n")
        print(f"{self._done}/{self._options.steps} {facts}", flush=True)

    def _keep(self) -> None:
        part = self._options.run / f"{CHECKPOINT}.part"
        state = {
            "done": self._done, "weights": {name: one.detach() for name, one in self._named()},
            "optimiser": self._optimiser.state_dict(),
        }  # fmt: skip
        torch.save(state, part)
        part.replace(self._options.run / CHECKPOINT)

    def _take_up(self) -> None:
        path = self._options.run / CHECKPOINT
        if path.exists():
            state = torch.load(path, weights_only=True)
            self._done = state["done"]
            self._optimiser.load_state_dict(state["optimiser"])
            with torch.no_grad():
                for name, tensor in self._named():
                    tensor.copy_(state["weights"][name])

    def _named(self) -> Iterator[tuple[str, Any]]:
        return ((name, one) for name, one in self.weights.items() if not name.startswith(FIXED))


def write_folder(folder: Path, weights: Weights, shape: Architecture, tokenizer: Path) -> None:
    """Write a cross-encoder as transformers does, its weights in half precision."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    config = {
        "model_type": "bert", "architectures": ["BertForSequenceClassification"],
        "id2label": {"0": "LABEL_0"}, "vocab_size": shape.vocabulary, "hidden_size": shape.hidden,
        "intermediate_size": shape.intermediate, "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads, "max_position_embeddings": shape.positions,
        "layer_norm_eps": shape.norm_epsilon, "type_vocab_size": 2, "hidden_act": "gelu",
        "position_embedding_type": "absolute", "pad_token_id": 0,
    }  # fmt: skip
    (folder / CONFIG).write_text(json.dumps(config, indent=1), "utf-8")
    shutil.copyfile(tokenizer, folder / TOKENIZER)
    named = {
        name if name.startswith(LAST) else f"bert.{name}": one.detach().half().contiguous()
        for name, one in weights.items()
    }
    save_file(named, folder / WEIGHTS, {"format": "pt"})
    (folder / WEIGHTS).chmod(0o644)  # ``save_file`` makes it private


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4)


def main() -> None:
    options = _options()
    genuine, source = BASES["minilm"].open(options.work, options.genuine)
    weights = first_weights(source / WEIGHTS, options.layers, options.seed)
    shape = replace(genuine.architecture, layers=len(options.layers))
    run = Run(options, shape, weights, TextTokenizer(source / TOKENIZER))
    run.train()
    write_folder(options.run / NAME, run.weights, shape, source / TOKENIZER)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train a cross-encoder that orders passages.")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "model", help="cache folder")
    parser.add_argument("--run", type=Path, required=True, help="folder of this run")
    parser.add_argument("--genuine", type=Path, help="folder of the base model, else downloaded")
    parser.add_argument("--layers", type=int, nargs="+", default=(1, 3, 5), help="that are kept")
    parser.add_argument("--window", type=int, default=160, help="tokens of a pair")
    parser.add_argument("--size", type=int, default=6, help="passages of a list")
    parser.add_argument("--lists", type=int, default=2, help="of each half of a step")
    parser.add_argument("--own", type=float, default=0.5, help="target share of its own passage")
    parser.add_argument(
        "--removed", type=float, default=0.0, help="share of lists without the question's sentence"
    )
    parser.add_argument("--steps", type=int, default=450)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--checked", type=int, default=40, help="lists that are held out")
    parser.add_argument("--seed", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    main()
