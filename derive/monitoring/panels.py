"""What each chart of the dashboard shows: recorded series, reference lines, alert thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from derive.measured.against.bands import HARDWARE, SOFTWARE
from derive.monitoring.alerts import alerts
from derive.monitoring.alerts.kinds import NEARLY_FULL, QUEUE, Alert
from derive.monitoring.deployment import Deployment
from derive.monitoring.engines import VLLM
from derive.monitoring.recording import QUANTILES, recorded
from derive.text import Text, same, tr

BEST, EXPECTED, LIMIT = "dark-green", "blue", "orange"
Step = tuple[Fraction | None, str]


@dataclass(frozen=True)
class Line:
    """A reference line."""

    name: Text
    value: Fraction
    shown: Text
    color: str


@dataclass(frozen=True)
class Panel:
    """One chart; `steps` are the alert thresholds with their colours, the first from below."""

    title: Text
    description: Text
    unit: str
    measured: tuple[tuple[str, Text], ...]
    lines: tuple[Line, ...] = ()
    steps: tuple[Step, ...] = ((None, "green"),)


class Panels:
    """The charts of one deployment."""

    def __init__(self, found: Deployment) -> None:
        self.found = found
        self.alerts = {a.name: a for a in alerts(found) if isinstance(a, Alert)}
        self.there = {r.name for r in recorded(found, VLLM, {})}

    def series(self, **named: Text) -> tuple[tuple[str, Text], ...]:
        """Those of the named series that the rules record; `__` stands for a colon."""
        pairs = [(name.replace("__", ":"), legend) for name, legend in named.items()]
        return tuple((name, legend) for name, legend in pairs if name in self.there)

    def lines(self, *rows: tuple[str, str, Text, str]) -> tuple[Line, ...]:
        """Lines at values of the ledger (name, end of its range, legend, colour); absent ones left out."""
        made = []
        for name, key, legend, color in rows:
            value = self.found.get(name, key)
            if value:
                made.append(Line(legend, value, self.found.shown(name, key), color))
        return tuple(made)

    def above(self, alert: str) -> tuple[Step, ...]:
        """Red from an alert's threshold on."""
        found = self.alerts.get(alert)
        start: tuple[Step, ...] = ((None, "green"),)
        return (*start, (found.limit.value, "red")) if found else start

    def ttft(self) -> Panel:
        """Time to first token."""
        return Panel(
            Text("Time to first token (TTFT)", "首 token 延迟（TTFT）"),
            Text(
                "Mean and quantiles, queueing included; the lines are one prompt on an idle replica.",
                "均值与分位数，含排队；参考线为空闲副本上单个请求的值。",
            ),
            "s",
            self.series(
                ttft_seconds__mean5m=Text("mean", "均值"),
                **{f"ttft_seconds__{k}_5m": same(k) for k in QUANTILES},
            ),
            self.lines(
                ("t_prefill", "", Text("at peak rates", "峰值速率下"), BEST),
                ("TTFT", "low", Text("reachable, fast end", "可达区间的快端"), EXPECTED),
                ("TTFT", "high", Text("reachable, slow end", "可达区间的慢端"), EXPECTED),
            ),
            self.above("TTFTHigh"),
        )

    def tpot(self) -> Panel:
        """Time per output token."""
        return Panel(
            Text("Time per output token (TPOT)", "每输出 token 时间（TPOT）"),
            Text(
                "Mean TPOT and quantiles of the step; the bound is the step at peak rates, at the batch and context that run.",
                "TPOT 均值与单步时间的分位数；界为峰值速率下一步的时间，按当前批大小与上下文计算。",
            ),
            "s",
            self.series(
                tpot_seconds__mean5m=Text("mean", "均值"),
                **{f"step_seconds__{k}_5m": tr("step {p}", p=k) for k in QUANTILES},
                step_seconds__bound=Text("bound of the step", "单步时间的下限"),
            ),
            self.lines(
                ("TPOT", "low", Text("reachable, fast end", "可达区间的快端"), EXPECTED),
                ("TPOT", "high", Text("reachable, slow end", "可达区间的慢端"), EXPECTED),
            ),
            self.above("TPOTHigh"),
        )

    def batch(self) -> Panel:
        """Running and waiting requests."""
        limits = [
            self.alerts[n].limit.value
            for n in ("BatchAboveTPOTLimit", "BatchAboveCritical", "BatchAboveMemoryLimit")
            if n in self.alerts
        ]
        steps: tuple[Step, ...] = ((None, "green"), *((v, "red") for v in sorted(limits)[:1]))
        return Panel(
            Text("Running batch", "运行中的批大小"),
            Text(
                "Requests in the batch and in the queue, against what latency, memory and compute allow.",
                "批内与排队的请求数，对照延迟、显存与算力所允许的上限。",
            ),
            "short",
            self.series(
                requests_running__mean5m=Text("running", "运行中"),
                requests_waiting__mean5m=Text("waiting", "排队"),
            ),
            self.lines(
                ("b", "", Text("scenario", "场景"), EXPECTED),
                ("b_slo", "", Text("TPOT target allows", "TPOT 目标允许"), LIMIT),
                (self.found.critical, "", Text("critical batch", "临界批大小"), LIMIT),
                ("b_max_reserved", "", Text("memory holds", "显存可容纳"), LIMIT),
            ),
            steps,
        )

    def throughput(self) -> Panel:
        """Tokens a second."""
        return Panel(
            Text("Throughput", "吞吐"),
            Text(
                "Output tokens and prompt tokens computed; the bound is of decode alone at the batch that runs.",
                "输出 token 与实际计算的输入 token；界只计 decode，按当前批大小计算。",
            ),
            "short",
            self.series(
                output_tokens__rate5m=Text("output", "输出"),
                computed_prompt_tokens__rate5m=Text("prompt, not cached", "输入（未命中缓存）"),
                output_tokens__bound=Text("bound of output", "输出吞吐的上限"),
            ),
            self.lines(
                ("X", "low", Text("reachable, slow end", "可达区间的慢端"), EXPECTED),
                ("X", "high", Text("reachable, fast end", "可达区间的快端"), EXPECTED),
            ),
        )

    def share(self) -> Panel:
        """How near the bound."""
        typical = self.found.ledger["calibration"]["MBU"]["typical"]["exact"]
        return Panel(
            Text("Share of the bound, MBU and MFU", "与界之比、MBU 与 MFU"),
            Text(
                "The step at peak rates over the measured one: below 0.3 look at the software, from 0.6 on the hardware is the limit (rules of thumb), above 1 an assumption is wrong.",
                "峰值速率下一步的时间与实测之比：低于 0.3 先查软件，达到 0.6 则硬件即为瓶颈（经验法则），超过 1 说明某个假设有误。",
            ),
            "percentunit",
            self.series(
                bound_share__ratio=Text("share of the bound", "与界之比"),
                mbu__ratio=same("MBU"),
                mfu__ratio=Text("MFU with prefill", "MFU（含 prefill）"),
            ),
            (
                Line(Text("bound", "界"), Fraction(1), same(""), BEST),
                Line(Text("typical MBU", "典型 MBU"), Fraction(typical), same(""), EXPECTED),
            ),
            ((None, "red"), (SOFTWARE, "yellow"), (HARDWARE, "green")),
        )

    def kv_cache(self) -> Panel:
        """Use of the KV cache."""
        return Panel(
            Text("KV cache in use", "KV cache 占用率"),
            Text(
                "Share of the blocks; a full cache makes requests wait or be preempted.",
                "已用块所占比例；缓存占满后请求会排队或被抢占。",
            ),
            "percentunit",
            self.series(kv_cache_usage__max5m=Text("KV cache", "KV cache")),
            (),
            ((None, "green"), (NEARLY_FULL, "red")),
        )

    def moved(self) -> Panel:
        """Bytes of a step."""
        return Panel(
            Text("Bytes of a step", "一步搬运的字节数"),
            Text(
                "By the formulas at the batch and context that run; what exceeds the weights is KV cache.",
                "由公式按当前批大小与上下文算出；超出权重的部分为 KV cache。",
            ),
            "decbytes",
            self.series(step_bytes__bound=Text("weights and KV cache", "权重与 KV cache")),
            self.lines(
                (
                    self.found.moved("W_read"),
                    "",
                    Text("weights in the scenario", "场景中的权重"),
                    EXPECTED,
                ),
                (
                    self.found.moved("Q_step"),
                    "",
                    Text("step in the scenario", "场景中的一步"),
                    EXPECTED,
                ),
            ),
        )

    def context(self) -> Panel:
        """Context while decoding."""
        return Panel(
            Text("Mean context while decoding", "decode 期间的平均上下文"),
            Text(
                "Prompt and half of the output of the requests that finished in 30 minutes.",
                "近 30 分钟完成的请求：输入长度加输出长度的一半。",
            ),
            "short",
            self.series(context_tokens__mean30m=Text("tokens", "token 数")),
            self.lines(
                ("T_mean", "", Text("scenario, mean", "场景均值"), EXPECTED),
                ("T", "", Text("scenario, at the end", "场景，生成结束时"), LIMIT),
            ),
            self.above("ContextAboveAssumed"),
        )

    def pressure(self) -> Panel:
        """Queue and preemptions."""
        return Panel(
            Text("Queue and preemptions", "排队与抢占"),
            Text("Waiting requests, and preemptions a second.", "排队的请求数，以及每秒抢占次数。"),
            "short",
            self.series(
                requests_waiting__mean5m=Text("waiting", "排队"),
                preemptions__rate5m=Text("preemptions a second", "每秒抢占次数"),
            ),
            (),
            ((None, "green"), (QUEUE, "red")),
        )


def panels(found: Deployment) -> Iterator[Panel]:
    """Every chart, in the order of the page."""
    made = Panels(found)
    yield from (made.ttft(), made.tpot(), made.batch(), made.throughput(), made.share())
    yield from (made.kv_cache(), made.moved(), made.context(), made.pressure())
