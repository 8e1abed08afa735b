"""Trains a late-chunking model; `make model` runs it with its defaults.

    python packaging/model/train.py --texts ../shared/train --run build/model/first

The same command resumes an interrupted run. It needs `pip install 'lectern[convert]'`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import torch
from architecture import WEIGHTS
from bases import BASES
from bert import load_weights, with_positions
from corpus import KEPT_BACK, read_corpus
from lessons import Framing, Lessons
from loop import ANCHORS, BLOCK, CHECKPOINT, REACH, TOKENS, WINDOWS, Run, Settings
from student import Student

from indexer.embed.layout import TextTokenizer
from indexer.embed.models import TOKENIZER


def main() -> None:
    options = _options()
    base = BASES[options.base]
    genuine, source = base.open(options.work, options.genuine)
    tokenizer = TextTokenizer(source / TOKENIZER)
    settings = Settings(
        windows=tuple(options.windows), positions=max(options.windows), start=options.start,
        block=options.block, reach=options.reach, anchors=options.anchors,
        tokens=options.tokens, rank=options.rank, rate=options.rate, seed=options.seed,
        float32=options.float32, **base.settings,
    )  # fmt: skip
    kept = options.work / f"corpus-{options.base}.npz"
    corpus = read_corpus(base.files(options.texts), tokenizer, kept, settings.seed)
    teacher = load_weights(source / WEIGHTS)
    start = with_positions(teacher, settings.positions, settings.start)
    unread = tuple(f"encoder.layer.{layer}." for layer in settings.skipped)
    read = {name: tensor for name, tensor in start.items() if not name.startswith(unread)}
    student = Student(read, settings.rank, settings.seed)
    if options.after:
        student.take(torch.load(options.after / CHECKPOINT, weights_only=True)["learnt"])
    how = Framing(
        genuine.record.document_prefix, genuine.record.query_prefix, tuple(base.texts.values()),
        options.headless, options.leading,
    )  # fmt: skip
    lessons = Lessons(corpus, tokenizer, settings.seed, KEPT_BACK, how)
    Run(settings, teacher, student, genuine.architecture, lessons, options.run).train()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train the late-chunked checkpoint.")
    parser.add_argument("--texts", type=Path, default=ROOT.parent / "shared" / "train")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "model", help="cache folder")
    parser.add_argument("--base", choices=tuple(BASES), default="minilm", help="the base model")
    parser.add_argument("--run", type=Path, required=True, help="folder of this run")
    parser.add_argument("--after", type=Path, help="folder of a finished run to start from")
    parser.add_argument(
        "--headless", type=float, default=0.0, help="share of texts without their headings"
    )
    parser.add_argument(
        "--leading", type=float, default=0.0, help="share of passages asked for by a first sentence"
    )
    parser.add_argument(
        "--float32", action="store_true", help="faster where the processor has no bfloat16"
    )
    parser.add_argument("--genuine", type=Path, help="folder of the base model, else downloaded")
    parser.add_argument("--windows", type=int, nargs="+", default=WINDOWS)
    parser.add_argument("--start", choices=("interpolated", "repeated"), default="repeated")
    parser.add_argument("--block", type=int, default=BLOCK, help="0: full attention")
    parser.add_argument("--reach", type=int, default=REACH)
    parser.add_argument("--anchors", type=int, default=ANCHORS)
    parser.add_argument("--tokens", type=int, default=TOKENS)
    parser.add_argument("--rank", type=int, default=32)
    parser.add_argument("--rate", type=float, default=6e-4)
    parser.add_argument("--seed", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    main()
