"""Five figures of Llama-3-70B on 4 × H100 as a ledger would carry them."""

from __future__ import annotations

from typing import Any

PEAK, BANDWIDTH = 4 * 989.5, 4 * 3.35  # TFLOP/s, TB/s
WEIGHTS, KAPPA, PARAMS = 141.107412992e9, 327_680, 70_553_706_496
RIDGE = PEAK / BANDWIDTH
MEAN = 2_304  # tokens of context
Figure = dict[str, Any]


def num(value: float) -> str:
    """A number as the ledger writes it."""
    return f"{value:.6g}"


def intensity(batch: float, context: float = MEAN) -> float:
    """FLOP/byte of one decode step."""
    return 2 * PARAMS * batch / (WEIGHTS + batch * context * KAPPA)


def step(batch: float, context: float = MEAN) -> float:
    """Seconds of one decode step at peak."""
    memory = (WEIGHTS + batch * context * KAPPA) / (BANDWIDTH * 1e12)
    return max(memory, 2 * PARAMS * batch / (PEAK * 1e12))


def t(en: str, zh: str | None = None) -> dict[str, str]:
    """Both languages."""
    return {"en": en, "zh": en if zh is None else zh}


def roofline() -> Figure:
    points = [
        {
            "id": f"b{b}",
            "label": t(f"b = {b}"),
            "role": "memory",
            "x": num(intensity(b)),
            "y": num(intensity(b) * BANDWIDTH),
        }
        for b in (1, 8, 64, 220)
    ]
    prefill = {
        "id": "prefill",
        "label": t("prefill, 2,048 tokens", "预填充，2,048 token"),
        "role": "compute",
        "x": "2048",
        "y": num(PEAK),
    }
    return {
        "id": "roofline",
        "title": t("Roofline of 4 × H100", "4 × H100 的 Roofline"),
        "alt": t(
            "Decode points climb the memory roof towards the KV wall, below the ridge.",
            "decode 各点沿内存屋顶上升至 KV 墙，始终低于脊点。",
        ),
        "x": {
            "label": t("arithmetic intensity", "算术强度"),
            "unit": "FLOP/byte",
            "scale": "log",
            "min": "0.5",
            "max": "4096",
        },
        "y": {
            "label": t("attainable compute rate", "可达算力"),
            "unit": "TFLOP/s",
            "scale": "log",
            "min": "5",
            "max": "8000",
        },
        "lines": [
            {
                "id": "memory",
                "label": t("memory roof 13.4 TB/s", "内存屋顶 13.4 TB/s"),
                "role": "memory",
                "points": [["0.5", num(0.5 * BANDWIDTH)], [num(RIDGE), num(PEAK)]],
            },
            {
                "id": "compute",
                "label": t("compute roof 3,958 TFLOP/s", "算力屋顶 3,958 TFLOP/s"),
                "role": "compute",
                "points": [[num(RIDGE), num(PEAK)], ["4096", num(PEAK)]],
            },
        ],
        "points": [*points, prefill],
        "marks": [
            {
                "id": "ridge",
                "label": t("ridge 295.4", "脊点 295.4"),
                "role": "neutral",
                "axis": "x",
                "at": "295.4",
            },
            {
                "id": "kv_wall",
                "label": t("KV wall 186.9", "KV 墙 186.9"),
                "role": "memory",
                "axis": "x",
                "at": "186.9",
            },
        ],
        "bands": [],
    }


def batch_sweep() -> Figure:
    batches = [1, 2, 4, 8, 16, 32, 64, 96, 128, 160, 192, 220, 256, 320, 400, 512]
    fits = {
        "id": "b_max",
        "label": t("memory limit b_max = 220", "显存上限 b_max = 220"),
        "role": "missed",
        "axis": "x",
        "at": "220",
    }
    ridge = {
        "id": "b_crit",
        "label": t("ridge b_crit = 296", "脊点 b_crit = 296"),
        "role": "compute",
        "axis": "x",
        "at": "296",
    }
    slo = {
        "id": "slo",
        "label": t("TPOT target 25 ms", "TPOT 目标 25 ms"),
        "role": "met",
        "axis": "y",
        "at": "25",
    }
    free = {
        "id": "free",
        "label": t("free zone: weights dominate", "免费区：权重读取占主导"),
        "role": "memory",
        "from": "1",
        "to": "187",
    }

    def line(key: str, en: str, zh: str, value: Any, context: int, dash: bool = False) -> Figure:
        return {
            "id": key,
            "label": t(en, zh),
            "role": "neutral" if dash else "memory",
            "dash": dash,
            "points": [[str(b), num(value(b, context))] for b in batches],
        }

    return {
        "id": "batch_sweep",
        "title": t("Throughput and TPOT over batch size", "吞吐与 TPOT 随批大小的变化"),
        "alt": t(
            "Throughput rises with the batch, TPOT stays below 25 ms up to the limit.",
            "吞吐随批大小上升，TPOT 在上限之前低于 25 ms。",
        ),
        "x": {
            "label": t("batch size b", "批大小 b"),
            "unit": "request",
            "scale": "linear",
            "min": "0",
            "max": "512",
        },
        "panels": [
            {
                "y": {
                    "label": t("throughput", "吞吐"),
                    "unit": "token/s",
                    "scale": "linear",
                    "min": "0",
                    "max": "16000",
                },
                "lines": [
                    line("thr", "at T = 2,304", "T = 2,304 时", lambda b, c: b / step(b, c), MEAN),
                    line(
                        "thr8",
                        "at T = 8,192",
                        "T = 8,192 时",
                        lambda b, c: b / step(b, c),
                        8192,
                        True,
                    ),
                ],
                "points": [
                    {
                        "id": "at",
                        "label": t("b = 220: 9,596 token/s"),
                        "role": "memory",
                        "x": "220",
                        "y": num(220 / step(220)),
                    }
                ],
                "marks": [ridge, fits],
                "bands": [free],
            },
            {
                "y": {
                    "label": t("TPOT floor", "TPOT 下界"),
                    "unit": "ms",
                    "scale": "linear",
                    "min": "0",
                    "max": "60",
                },
                "lines": [
                    line(
                        "tpot", "at T = 2,304", "T = 2,304 时", lambda b, c: 1e3 * step(b, c), MEAN
                    ),
                    line(
                        "tpot8",
                        "at T = 8,192",
                        "T = 8,192 时",
                        lambda b, c: 1e3 * step(b, c),
                        8192,
                        True,
                    ),
                ],
                "points": [
                    {
                        "id": "at2",
                        "label": t("b = 220: 22.9 ms"),
                        "role": "memory",
                        "x": "220",
                        "y": num(1e3 * step(220)),
                    }
                ],
                "marks": [ridge, fits, slo],
                "bands": [free],
            },
        ],
    }


def bytes_over_context() -> Figure:
    contexts = [256, 131072]
    cross = WEIGHTS / (32 * KAPPA)

    def kv(batch: int, dash: bool) -> Figure:
        return {
            "id": f"kv{batch}",
            "role": "memory",
            "dash": dash,
            "label": t(f"KV cache, b = {batch}", f"KV cache，b = {batch}"),
            "points": [[str(c), num(batch * c * KAPPA / 1e9)] for c in contexts],
        }

    return {
        "id": "bytes_over_context",
        "title": t("Bytes per decode step", "每个 decode 步读取的字节"),
        "alt": t(
            "Weights are constant; KV overtakes them at the crossing.",
            "权重不变；KV 在交点处超过权重。",
        ),
        "x": {
            "label": t("context length T", "上下文长度 T"),
            "unit": "token",
            "scale": "log",
            "min": "256",
            "max": "131072",
        },
        "y": {
            "label": t("bytes read per step", "每步读取字节"),
            "unit": "GB",
            "scale": "log",
            "min": "0.05",
            "max": "2000",
        },
        "lines": [
            {
                "id": "w",
                "label": t("weights 141.1 GB", "权重 141.1 GB"),
                "role": "neutral",
                "points": [["256", "141.107"], ["131072", "141.107"]],
            },
            kv(32, False),
            kv(1, True),
        ],
        "points": [
            {
                "id": "x",
                "label": t("KV = weights", "KV = 权重"),
                "role": "neutral",
                "x": num(cross),
                "y": "141.107",
            }
        ],
        "marks": [
            {
                "id": "t_cross",
                "label": t("T_cross = 13,457 at b = 32", "b = 32 时 T_cross = 13,457"),
                "role": "neutral",
                "axis": "x",
                "at": num(cross),
            }
        ],
        "bands": [],
    }


def concurrency_over_context() -> Figure:
    room = 166_102_302_720  # bytes for KV caches, so that 220 requests of 2,304 tokens fit
    corners: list[list[str]] = []
    at, batch = 1024.0, int(room // (1024 * KAPPA))
    while batch >= 1:
        end = min(room / (batch * KAPPA), 131072.0)
        corners += [[num(at), str(batch)], [num(end), str(batch)]]
        if end >= 131072:
            break
        at = end
        batch = min(batch - 1, int(batch * 0.98))
    return {
        "id": "concurrency_over_context",
        "title": t("Concurrency over context", "并发随上下文长度的变化"),
        "alt": t("b_max falls as 1/T.", "b_max 按 1/T 下降。"),
        "x": {
            "label": t("context length T", "上下文长度 T"),
            "unit": "token",
            "scale": "log",
            "min": "1024",
            "max": "131072",
        },
        "y": {
            "label": t("concurrency b_max", "并发上限 b_max"),
            "unit": "request",
            "scale": "log",
            "min": "1",
            "max": "1000",
        },
        "lines": [{"id": "b_max", "label": t("b_max(T)"), "role": "memory", "points": corners}],
        "points": [
            {
                "id": "mean",
                "label": t("220 at the mean context", "平均上下文时 220"),
                "role": "met",
                "x": "2304",
                "y": "220",
            },
            {
                "id": "long",
                "label": t("61 at 8,192 tokens: misses 64", "8,192 token 时 61：未达 64"),
                "role": "missed",
                "x": "8192",
                "y": "61",
            },
        ],
        "marks": [
            {
                "id": "target",
                "label": t("target 64 requests", "目标 64 个请求"),
                "role": "neutral",
                "axis": "y",
                "at": "64",
            },
            {
                "id": "mean",
                "label": t("mean context 2,304", "平均上下文 2,304"),
                "role": "neutral",
                "axis": "x",
                "at": "2304",
            },
        ],
        "bands": [],
    }


def waterfall() -> Figure:
    steps = [
        ("floor", t("floor: weights once", "下限：读一遍权重"), "memory", 0.0, 10.5304),
        ("tables", t("tables only looked up", "只查表的部分"), "memory", 10.5304, 10.3736),
        ("copies", t("weights that stages and groups do not split", "各级、各组未能切分的权重"),
         "memory", 10.3736, 10.6),
        ("cache", t("reading the KV cache", "读 KV cache"), "memory", 10.6, 10.8243),
        ("ideal", t("ideal TPOT", "理想 TPOT"), "total", 0.0, 10.8243),
        ("writes", t("writing the KV cache", "写 KV cache"), "memory", 10.8243, 10.8245),
        ("launch", t("kernel launches", "kernel 启动"), "neutral", 10.8245, 11.285),
        ("rates", t("rates below peak", "速率低于峰值"), "compute", 11.285, 18.5796),
        ("expected", t("expected TPOT", "预期 TPOT"), "total", 0.0, 18.5796),
    ]  # fmt: skip
    return {
        "id": "waterfall",
        "title": t("From the floor to the expected TPOT", "从下限到预期 TPOT"),
        "alt": t("One bar a term.", "每项一条。"),
        "x": {"label": t("TPOT"), "unit": "ms/token", "scale": "linear", "min": "0", "max": "20.4"},
        "bars": [
            {"id": name, "label": label, "role": role, "from": num(low), "to": num(high)}
            for name, label, role, low, high in steps
        ],
        "table": {
            "columns": [{"label": t("change"), "unit": "ms/token"}],
            "rows": [[f"{high - low:.4g}", f"{high:.4g}"] for *_, low, high in steps],
        },
    }


FIGURES = (
    roofline(), batch_sweep(), bytes_over_context(), concurrency_over_context(), waterfall(),
)  # fmt: skip
