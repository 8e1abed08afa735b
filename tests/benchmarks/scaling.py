"""Where indexing stops scaling: a model of its stages, with measured costs in µs a token.

    python -m tests.benchmarks.scaling

Each token takes time in three places: in the session on all cores, in the engine's own Python
(tokens, layout, pooling, writing, upkeep) on one core, and in the readers on theirs. The model lets
the session and the engine's Python take turns, as they mostly do: units of work follow each other,
and the interpreter runs one thread at a time. Readers work beside both. So the seconds of a run are
the largest of

- tokens * (session / cores + engine) + the costs of a run,
- tokens * reading / readers,
- tokens * (session + engine + reading) / cores + the costs of a run.

The model leaves out memory bandwidth and the second threads of cores, by which a session of 16
threads is slower than eight of two. Measured shares of the bare session include these effects.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.benchmarks.report import Section

CORES = (2, 4, 8, 16)
REPORTS = 3_606_025  # tokens of 40 reports of financebench
# "Where the processor time goes" in docs/benchmarks/speed.md, measured on a Xeon.
READING, LAYOUT, WRITING = 11.0, 4.0, 8.0
BASELINE, READERS, MEASURED_TOKENS = 8.0, 3.5, 452_173  # once a run, here per token of that run
# The model computes more tokens than are counted, for names and the context of sections.
AGAIN = 1.031
COLUMNS = (
    "processor",
    "threads",
    "tokens/s",
    "of the bare session",
    "limit",
    "measured, and how far off",
)


@dataclass(frozen=True, slots=True)
class Costs:
    """What a token costs, in µs of processor time, and what a run costs, in seconds."""

    session: float
    reading: float = READING
    engine: float = LAYOUT + WRITING
    once: float = 1e-6 * (BASELINE + READERS) * MEASURED_TOKENS


@dataclass(frozen=True, slots=True)
class Predicted:
    """Tokens a second, their share of the bare session's, and the stage that limits them."""

    rate: float
    share: float
    limit: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A processor: its session's cost, and shares of the bare session that were measured on it.

    ``measured`` maps numbers of cores to the tokens of a run and its share.
    """

    name: str
    session: float
    cores: tuple[int, ...]
    measured: dict[int, tuple[int, float]]


# The bare session in µs a token, summed over its threads: cores / (tokens a second). On the machine
# with a card only all 16 threads of eight cores were measured.
PROCESSORS = (
    Checked("EPYC with AVX2 only", 2e6 / 6_967, CORES, {2: (REPORTS, 0.88)}),
    Checked("Xeon", 2e6 / 16_494, CORES, {2: (REPORTS, 0.81)}),
    Checked("EPYC", 2e6 / 28_031, CORES, {2: (REPORTS, 0.80)}),
    Checked("Xeon with matrix units", 16e6 / 80_947, (16,), {16: (1_768_069, 0.508)}),
)


def readers(cores: int) -> int:
    """The number of readers that the engine starts."""
    return max(min(cores, 2), cores // 2)


def predict(costs: Costs, cores: int, tokens: int) -> Predicted:
    """Estimate how fast a number of tokens is indexed on a number of cores."""
    session = AGAIN * costs.session
    once = 1e6 * costs.once / tokens
    limits = {
        "session": session / cores + costs.engine + once,
        "readers": costs.reading / readers(cores),
        "all cores": (session + costs.engine + costs.reading) / cores + once,
    }
    limit = max(limits, key=lambda name: limits[name])
    a_token = limits[limit]
    if limit == "session" and costs.engine + once > session / cores:
        limit = "the engine's one process"
    return Predicted(1e6 / a_token, costs.session / cores / a_token, limit)


def section() -> Section:
    """The table of docs/benchmarks/speed.md."""
    rows = []
    for one in PROCESSORS:
        for cores in one.cores:
            tokens, measured = one.measured.get(cores, (REPORTS, 0.0))
            found = predict(Costs(one.session), cores, tokens)
            off = f"{_short(measured)} ({found.share / measured - 1:+.0%})" if measured else ""
            rate = int(round(found.rate, -2))
            rows.append((one.name, cores, rate, _short(found.share), found.limit, off))
    return Section("scaling", "Indexing by cores, computed", COLUMNS, tuple(rows))


def _short(share: float) -> str:
    return f"{share:.2f}".lstrip("0")


def main() -> None:
    print(section().markdown())


if __name__ == "__main__":
    main()
