"""The training loop: steps, gradients, checkpoints and the log.

It has the settings of a run, its optimiser and its folder, from which an interrupted run resumes.
It must not know where texts come from.
"""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import torch
from distil import TEMPERATURE, losses

if TYPE_CHECKING:
    from pathlib import Path

    from architecture import Architecture
    from bert import Weights
    from distil import Losses
    from lessons import Lesson, Lessons
    from student import Student

CHECKPOINT, LOG, SETTINGS = "checkpoint.pt", "log.jsonl", "settings.json"
# Seconds between checkpoints.
_KEEP_AFTER = 300
# All lengths cost nearly the same per token, since attention is in blocks. A step with windows of
# 4,096 has twice the tokens.
WINDOWS = (512, 2048, 1024, 512, 2048, 1024, 512, 4096)
BLOCK, REACH, ANCHORS = 128, 64, 32
TOKENS = 6_553_600
_PARTS = ("cosine", "divergence", "queries", "hits")


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run.

    ``windows`` are used in turn, step by step. A step has ``shares`` parts, which run concurrently
    on one thread each.
    """

    windows: tuple[int, ...] = WINDOWS
    positions: int = max(WINDOWS)
    start: str = "repeated"
    block: int = BLOCK
    reach: int = REACH
    anchors: int = ANCHORS
    tokens: int = TOKENS
    step_tokens: int = 4096
    rank: int = 32
    rate: float = 6e-4
    warm_up: float = 0.05
    decay: float = 0.01
    seed: int = 5
    shares: int = 2
    check_every: int = 100
    held_tokens: int = 8192
    temperature: float = TEMPERATURE
    skipped: tuple[int, ...] = ()  # layers that the encoder of passages leaves out
    cool: float = 0.95  # share of the steps over which the rate decreases
    float32: bool = False  # instead of bfloat16, which some processors compute four times as slowly

    @property
    def steps(self) -> int:
        return self.tokens // self.step_tokens

    def shape(self, genuine: Architecture) -> Architecture:
        """The architecture of the student."""
        return replace(
            genuine, positions=self.positions,
            block=self.block, reach=self.reach, anchors=self.anchors, skipped=tuple(self.skipped),
        )  # fmt: skip


class Run:
    """One run in its folder."""

    def __init__(
        self,
        settings: Settings,
        teacher: Weights,
        student: Student,
        shape: Architecture,
        lessons: Lessons,
        folder: Path,
    ) -> None:
        self.settings = settings
        self._teacher, self._lessons, self._folder = teacher, lessons, folder
        self._shape = settings.shape(shape)
        self.student = student
        self._optimiser = torch.optim.AdamW(
            student.groups(settings.rate), weight_decay=settings.decay
        )
        self._done = 0
        self._kept = time.monotonic()
        self._take_up()

    def train(self) -> None:
        """Run to the end, or resume a run."""
        torch.set_num_threads(1)  # concurrent shares are faster than several threads per product
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / SETTINGS).write_text(json.dumps(asdict(self.settings), indent=1), "utf-8")
        with ThreadPoolExecutor(self.settings.shares) as pool:
            if not self._done:
                self._note(held=self._held(pool))
            while self._done < self.settings.steps:
                began = time.perf_counter()
                found = self._step(pool)
                seconds = time.perf_counter() - began
                self._done += 1
                due = self._done % self.settings.check_every == 0
                last = self._done == self.settings.steps
                held = self._held(pool) if due or last else {}
                parts = [_mean(found, part) for part in _PARTS]
                self._note(loss=parts, seconds=round(seconds, 1), held=held)
                if due or last or time.monotonic() - self._kept > _KEEP_AFTER:
                    self._keep()

    def _step(self, pool: ThreadPoolExecutor) -> list[Losses]:
        settings = self.settings
        window = settings.windows[self._done % len(settings.windows)]
        parameters = list(self.student.learnt.values())

        def learn(share: int) -> tuple[Losses, tuple[Any, ...]]:
            tokens = settings.step_tokens // settings.shares
            lesson = self._lessons.draw(self._done, share, window, tokens, held=False)
            with self._precision():
                found = self._losses(lesson)
            return found, torch.autograd.grad(found.total, parameters, allow_unused=True)

        results = list(pool.map(learn, range(settings.shares)))
        for parameter, *gradients in zip(parameters, *(g for _, g in results), strict=True):
            known = [gradient for gradient in gradients if gradient is not None]
            parameter.grad = sum(known) / settings.shares if known else None
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        for group in self._optimiser.param_groups:
            group["lr"] = group["scale"] * self._slope()
        self._optimiser.step()
        return [found for found, _ in results]

    def _slope(self) -> float:
        """The share of the full learning rate at this step: linear warm-up and decay."""
        done = (self._done + 1) / self.settings.steps
        return min(done / self.settings.warm_up, (1 - done) / self.settings.cool, 1.0)

    def _precision(self) -> Any:
        return torch.autocast("cpu", torch.bfloat16, enabled=not self.settings.float32)

    def _losses(self, lesson: Lesson) -> Losses:
        student = self.student.weights()
        return losses(student, self._teacher, self._shape, lesson, self.settings.temperature)

    def _held(self, pool: ThreadPoolExecutor) -> dict[str, list[float]]:
        """The losses on held-out documents, for each window length."""

        def look(window: int, share: int) -> Losses:
            lesson = self._lessons.draw(
                share, share, window, self.settings.held_tokens // 2, held=True
            )
            with torch.no_grad(), self._precision():
                return self._losses(lesson)

        found = {}
        for window in dict.fromkeys(self.settings.windows):
            both = list(pool.map(look, [window] * 2, range(2)))
            found[str(window)] = [_mean(both, part) for part in _PARTS]
        return found

    def _note(self, **facts: Any) -> None:
        line = {"step": self._done, "tokens": self._done * self.settings.step_tokens, **facts}
        with (self._folder / LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")
        print(f"{self._done}/{self.settings.steps} {facts}", flush=True)

    def _keep(self) -> None:
        part = self._folder / f"{CHECKPOINT}.part"
        state = {
            "done": self._done,
            "learnt": {name: one.detach() for name, one in self.student.learnt.items()},
            "optimiser": self._optimiser.state_dict(),
        }
        torch.save(state, part)
        part.replace(self._folder / CHECKPOINT)
        self._kept = time.monotonic()

    def _take_up(self) -> None:
        path = self._folder / CHECKPOINT
        if not path.exists():
            return
        state = torch.load(path, weights_only=True)
        self._done = state["done"]
        self.student.take(state["learnt"])
        self._optimiser.load_state_dict(state["optimiser"])


def _mean(found: list[Losses], part: str) -> float:
    return round(float(sum(getattr(one, part) for one in found)) / len(found), 5)
