"""The keys of a file of measurements that were written down by hand."""

from __future__ import annotations

from derive.specs.fields import ID, NAME, NOTES, Field
from derive.text import Text

_time = {"unit": "s", "likely": ("ms", "s"), "most": 10**7}
MEASURED = (
    Field("TTFT", "quantity", Text("mean time to first token", "平均首 token 时延"), **_time),  # type: ignore[arg-type]
    Field(
        "TPOT",
        "quantity",
        Text("mean time per output token", "平均单请求每输出 token 时间"),
        unit="s*request/token",
        implied="request",
        likely=("ms/token",),
        most=10**7,
    ),
    Field(
        "rate",
        "quantity",
        Text("output tokens per second of one request", "单请求每秒输出 token 数"),
        unit="token/s/request",
        likely=("token/s/request",),
        most=10**9,
    ),
    Field(
        "throughput",
        "quantity",
        Text("output tokens per second of all requests", "全部请求每秒输出 token 数"),
        unit="token/s",
        likely=("token/s",),
        most=10**12,
    ),
    Field(
        "prefill",
        "quantity",
        Text("prompt tokens per second of all requests", "全部请求每秒输入 token 数"),
        unit="token/s",
        likely=("token/s",),
        most=10**12,
    ),
    Field(
        "accepted",
        "quantity",
        Text("tokens of a request in one step", "单请求每步得到的 token 数"),
        unit="token/request",
        likely=("token/request",),
        most=10**4,
    ),
    Field(
        "hit",
        "number",
        Text("share of the prompt found in the prefix cache", "前缀缓存命中率"),
        most=1,
        zero=True,
    ),
)
ENTRY = (
    Field("id", "text", Text("name of the measurement", "实测的标识"), required=True),
    Field("model", "text", Text("model", "模型"), required=True),
    Field("hardware", "text", Text("accelerator", "加速卡"), required=True),
    Field(
        "devices",
        "number",
        Text("devices that work together", "一起工作的设备数"),
        unit="device",
        whole=True,
        most=10**6,
    ),
    Field(
        "requests",
        "number",
        Text("requests in one step", "一步的请求数"),
        unit="request",
        whole=True,
        most=10**7,
    ),
    Field("input", "number", Text("input length", "输入长度"), unit="token/request", most=10**9),
    Field("output", "number", Text("output length", "输出长度"), unit="token/request", most=10**9),
    Field("precision", "pairs", Text("formats, as in a scenario", "精度，同场景")),
    Field("set", "pairs", Text("symbols set by hand", "手工设定的符号")),
    Field("measured", "table", Text("what was measured", "实测值"), fields=MEASURED, required=True),
    Field("printed", "text", Text("as the source prints it", "来源原文")),
    Field("source", "words", Text("where it was published", "出处")),
    Field("note", "bilingual", Text("condition or remark", "条件或备注")),
)
MEASUREMENTS = (
    ID,
    NAME,
    NOTES,
    Field(
        "measurements",
        "entries",
        Text("one entry a run", "每次测试一条"),
        fields=ENTRY,
        required=True,
    ),
)
