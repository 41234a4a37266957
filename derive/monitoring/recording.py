"""Recording rules: what is measured of each replica, and the bound at the batch it runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from derive.expression.tree import Binary, Name, Node, Number, rebuild, substitute
from derive.monitoring.deployment import Deployment, shorter
from derive.monitoring.engines import Engine
from derive.monitoring.promql import matchers, number, promql

WINDOW, LONG = "5m", "30m"  # of a rate, and of what only finished requests tell
# formulas of the batch that are recorded themselves, so that others name them
SUMS = {"F_step": "step_operations:bound", "Q_step": "step_bytes:bound"}
# the same by what a stage reads and makes in its turns
LEAST_LAID = "max(t_ops, (PP * W_stream_dev + KV_dev) / B_peak)"
CHUNK = "chunk"  # prompt tokens of a mean step
QUANTILES = {"p50": "0.5", "p95": "0.95", "p99": "0.99"}


@dataclass(frozen=True)
class Recorded:
    """One recording rule."""

    name: str
    expr: str


class Series:
    """The expressions of one deployment on one engine."""

    def __init__(self, found: Deployment, engine: Engine, only: Mapping[str, str]) -> None:
        self.found, self.engine, self.only = found, engine, only

    @property
    def replica(self) -> tuple[str, ...]:
        """The labels of one replica.

        Where a layout has data-parallel groups, or a latent cache is counted over all devices of the
        replica, its engines together are one replica. Otherwise each data-parallel engine is one.
        """
        groups = self.found.inputs.get("DP")
        whole = "g_tp" in self.found.inputs or (groups is not None and groups["exact"] != "1/1")
        return self.engine.target_labels + (() if whole else (self.engine.engine_label,))

    def own(self, name: str) -> str:
        """A series that these rules record, for this scenario alone."""
        return f"derive:{name}{matchers({'scenario': self.found.id})}"

    def each(
        self, metric: str, form: str, suffix: str = "", label: str = "", over: str = "sum"
    ) -> str:
        """`form` over a metric's series, joined for each replica; older names behind `or`."""
        by = ", ".join((*self.replica, *((label,) if label else ())))
        selector = matchers(self.only)
        parts = [
            f"{over} by ({by}) ({form.format(f'{name}{suffix}{selector}')})"
            for name in self.engine.metrics[metric].names
        ]
        return parts[0] if len(parts) == 1 else "(" + "\n  or ".join(parts) + ")"

    def rate(self, metric: str, suffix: str = "", window: str = WINDOW) -> str:
        """Increase a second."""
        return self.each(metric, f"rate({{}}[{window}])", suffix)

    def mean(self, metric: str, window: str = WINDOW) -> str:
        """Mean of a histogram's observations; nothing where there were none."""
        total, count = (self.rate(metric, s, window) for s in ("_sum", "_count"))
        return f"{total} / ({count} > 0)"

    def formula(self, name: str) -> str | None:
        """A formula of the ledger at the running batch and the context, over the sums recorded."""
        tree = self.found.opened(name, SUMS)
        return self.read(self.mixed(tree)) if tree is not None else None

    def mixed(self, tree: Node) -> Node:
        """Chunks that ride on a step add their operations; on the bytes they hardly weigh."""
        work = self.found.get("F_tok")
        if not work or not self.found.on("T_chunk"):
            return tree
        more = Binary("*", Number(work), Name(CHUNK))
        return substitute(tree, {"F_step": Binary("+", Name("F_step"), more)})

    def read(self, tree: Node) -> str:
        """An opened formula; a constant takes the labels of the replicas."""
        if isinstance(tree, Number):
            return f"{self.own('batch:mean5m')} * 0 + {number(tree.value)}"
        names = {
            "b": "batch:mean5m", "T": "context_tokens:mean30m",
            CHUNK: "step_prompt_tokens:mean5m", **SUMS,
        }  # fmt: skip
        return promql(tree, {name: self.own(recorded) for name, recorded in names.items()})

    def measured(self) -> Iterator[Recorded]:
        """What the engine tells, one meaning a name."""
        running = self.own("requests_running:mean5m")
        gauge = f"avg_over_time({{}}[{WINDOW}])"
        usage = self.each("kv_usage", gauge, over="max")
        yield Recorded("requests_running:mean5m", self.each("running", gauge))
        yield Recorded("batch:mean5m", f"clamp_min({running}, 1)")  # no step has fewer
        yield Recorded("requests_waiting:mean5m", self.each("waiting", gauge))
        yield Recorded("kv_cache_usage:max5m", usage)
        lengths = [self.mean(m, LONG) for m in ("prompt_length", "output_length")]
        yield Recorded(
            "context_tokens:mean30m",
            f"({lengths[0]}\n  + {lengths[1]} / 2)\n"
            f"or {self.each('running', gauge)} * 0 + {number(self.found.context)}",
        )
        yield Recorded("ttft_seconds:mean5m", self.mean("ttft"))
        yield Recorded("step_seconds:mean5m", self.mean("step"))
        later = f"({self.rate('output')} - {self.rate('ttft', '_count')})"
        yield Recorded("tpot_seconds:mean5m", f"{self.rate('step', '_sum')} / ({later} > 0)")
        for metric, name in (("ttft", "ttft_seconds"), ("step", "step_seconds")):
            buckets = self.each(metric, f"rate({{}}[{WINDOW}])", "_bucket", "le")
            for key, share in QUANTILES.items():
                yield Recorded(f"{name}:{key}_5m", f"histogram_quantile({share}, {buckets})")
        yield Recorded("output_tokens:rate5m", self.rate("output"))
        prompt, cached = self.rate("prompt"), self.rate("cached")
        yield Recorded(
            "computed_prompt_tokens:rate5m", f"clamp_min({prompt} - {cached}, 0)\nor {prompt}"
        )
        yield Recorded("preemptions:rate5m", self.rate("preemptions"))
        if self.found.on("hit"):
            queried = self.rate("queried", window=LONG)
            yield Recorded(
                "prefix_hits:ratio30m", f"{self.rate('cached', window=LONG)} / ({queried} > 0)"
            )
        if self.found.on("alpha"):
            kept, rounds = (self.rate(m, window=LONG) for m in ("accepted_tokens", "drafts"))
            yield Recorded("round_tokens:mean30m", f"1 + {kept} / ({rounds} > 0)")
        if self.found.on("T_chunk"):  # one observation a request and step
            yield Recorded("request_steps:rate5m", self.rate("step", "_count"))
            yield Recorded(
                "step_prompt_tokens:mean5m",
                f"{self.own('computed_prompt_tokens:rate5m')} * {self.own('batch:mean5m')} / "
                f"({self.own('request_steps:rate5m')} > 0)\nor {self.own('batch:mean5m')} * 0",
            )

    def bounds(self) -> Iterator[Recorded]:
        """What the formulas say of the same batch and context, and the shares of it."""
        found, step = self.found, self.own("step_seconds:mean5m")
        work = found.get("F_tok")
        for symbol, name in SUMS.items():
            tree = found.opened(found.moved(symbol))
            if tree is not None:
                yield Recorded(name, self.read(tree))
        read, compute = (self.product("g", n) for n in ("B_peak", "P_peak"))
        bytes_ = self.own(SUMS["Q_step"])
        if found.opened(found.moved("Q_step")) is not None and read:
            yield Recorded("mbu:ratio", f"{bytes_} / {number(read)} / {step}")
        if (least := self.least()) is not None:
            yield Recorded("least_step_share:ratio", f"{self.read(least)} / {step}")
        if (bound := self.formula(found.step)) is not None:
            yield Recorded("step_seconds:bound", bound)
            yield Recorded("bound_share:ratio", f"{self.own('step_seconds:bound')} / {step}")
            tokens = f"{self.own('batch:mean5m')} * {number(found.gained)}"
            yield Recorded("output_tokens:bound", f"{tokens} / {self.own('step_seconds:bound')}")
        if work and compute:
            here = ["output_tokens:rate5m"]
            here += [] if found.on("g_pre") else ["computed_prompt_tokens:rate5m"]
            tokens = " + ".join(map(self.own, here))
            yield Recorded("mfu:ratio", f"({tokens}) * {number(work)} / {number(compute)}")

    def product(self, one: str, other: str) -> Fraction | None:
        """Two values multiplied, where both are known."""
        a, b = self.found.get(one), self.found.get(other)
        return a * b if a is not None and b is not None else None

    def least(self) -> Node | None:
        """Seconds below which no server is: tables that are only looked up are not read or multiplied."""
        found = self.found
        if found.moved("Q_step") != "Q_step":
            return found.opened(LEAST_LAID, SUMS)
        read, streamed = found.get("W_read"), found.get("W_stream")
        work, products = found.get("F_tok"), self.product("c_op", "N_mat")
        # the looked-up bytes are the same at every batch
        idle = read - streamed if read is not None and streamed is not None else Fraction(0)
        made = min(Fraction(1), products / work) if work and products is not None else Fraction(1)
        less = {
            "Q_step": Binary("-", Name("Q_step"), Number(idle)),
            "F_step": Binary("*", Name("F_step"), Number(made)),
        }
        bound = found.opened("t_step", SUMS)
        return shortened(substitute(bound, dict(less))) if bound is not None else None


def shortened(node: Node) -> Node:
    """Without factors of one and terms of zero."""
    return shorter(rebuild(node, shortened))


def recorded(found: Deployment, engine: Engine, only: Mapping[str, str]) -> list[Recorded]:
    """Every recording rule, in the order in which they build on one another."""
    series = Series(found, engine, only)
    return [*series.measured(), *series.bounds()]
