"""The keys of a scenario."""

from __future__ import annotations

from derive.specs.fields import NOTES, Field, count, length, lengths, share, table
from derive.specs.model_fields import LAUNCH, MBU, MFU
from derive.specs.precision import PRECISIONS, STORED
from derive.text import Text

_stored = Text("storage format", "存储格式")
SCENARIO = (
    Field("scenario", "id", Text("name of this file", "文件名，即标识"), required=True),
    Field("title", "bilingual", Text("title of the document", "文档标题")),
    Field("model", "reference", Text("name or path", "模型名或路径"), required=True),
    Field("hardware", "reference", Text("name or path", "硬件名或路径"), required=True),
    count(
        "devices", "device", Text("devices of one replica", "一个副本的设备数"),
        required=True, most=10**6,
    ),
    table(
        "precision", Text("number formats", "数值格式"),
        Field("weights", "choice", _stored, choices=STORED),
        Field("kv_cache", "choice", _stored, choices=STORED),
        Field("compute", "choice", Text("operations", "运算格式"), choices=PRECISIONS),
        Field(
            "sparsity", "choice", Text("basis of the peak", "峰值口径"),
            choices=("dense", "with_sparsity"),
        ),
    ),
    table(
        "workload", Text("load of one replica", "单副本负载"),
        count(
            "requests", "request", Text("requests in one pass", "一次前向的请求数"),
            required=True, most=10**7,
        ),
        lengths("input", Text("input length, or its quantiles", "输入长度，或其分位数")),
        lengths("output", Text("output length, or its quantiles", "输出长度，或其分位数")),
        length(
            "context",
            Text(
                "context at the step considered; input + output where not given",
                "所考察一步的上下文；缺省为输入加输出",
            ),
        ),
        count(
            "prompts", "request",
            Text("prompts prefilled in one pass; 1 where not given", "一次 prefill 的请求数；缺省为 1"),
            most=10**7,
        ),
        Field(
            "arrival", "quantity", Text("offered load of the whole fleet", "整个集群的到达率"),
            unit="request/s", likely=("request/s",), most=10**9,
        ),
        required=True,
    ),
    Field(
        "calibration",
        "either",
        Text("ranges, or a name in specs/calibration", "区间，或 specs/calibration 中的名称"),
        fields=(
            Field("MFU", "triple", MFU, required=True, most=1, figure=True),
            Field("MBU", "triple", MBU, required=True, most=1, figure=True),
            LAUNCH,
            Field("source", "keys", Text("source of both ranges", "两个区间的来源")),
        ),
    ),
    table(
        "memory", Text("memory of one device", "单设备显存"),
        share("fraction", Text("share the server may use", "服务可使用的比例")),
        Field(
            "other", "quantity",
            Text(
                "activations, graphs, runtime; 0 means not measured",
                "激活值、计算图与运行时；0 表示未测",
            ),
            unit="byte/device", likely=("GiB/device",), zero=True, most=10**16,
        ),
        count(
            "block", "token/request",
            Text("tokens of a block of the KV cache; 16 where not given", "KV cache 块的 token 数；缺省为 16"),
            most=10**6,
        ),
    ),
    table(
        "parallel", Text("how the devices of a replica share", "副本内各设备的并行方式"),
        count(
            "TP", "device",
            Text("devices that share each layer; devices / (PP · DP) where not given",
                 "共同承担每一层的设备数；缺省为 devices / (PP · DP)"),
            most=10**6,
        ),
        count("PP", "", Text("stages; 1 where not given", "流水线级数；缺省为 1"), most=10**6),
        count("DP", "", Text("groups; 1 where not given", "数据并行组数；缺省为 1"), most=10**6),
        count(
            "EP", "",
            Text("ranks of TP · DP over which the routed experts are spread; 1 where not given",
                 "路由专家所分布的 rank 数（属于 TP · DP）；缺省为 1"),
            most=10**6,
        ),
    ),
    table(
        "slo", Text("targets", "目标"),
        Field(
            "TTFT", "quantity", Text("time to first token", "首 token 时间"),
            unit="s", likely=("ms", "s"), most=10**7,
        ),
        Field(
            "TPOT", "quantity", Text("time per output token", "单请求每输出 token 时间"),
            unit="s*request/token", implied="request", likely=("ms/token",), most=10**7,
        ),
    ),
    table(
        "speculation", Text("speculative decoding; off where not given", "投机解码；不填即关闭"),
        count(
            "draft", "token/request", Text("tokens drafted a round for each request", "每轮为每个请求起草的 token 数"),
            required=True, most=64,
        ),
        share(
            "acceptance", Text("probability that a drafted token is accepted, below 1", "草稿 token 被接受的概率，小于 1"),
            required=True, zero=True,
        ),
        Field(
            "draft_model", "reference",
            Text("model that drafts, name or path; none where drafts are looked up", "草稿模型名或路径；查表起草时不填"),
        ),
        Field(
            "parameters", "quantity", Text("its parameters, where it has no spec", "草稿模型的参数量（无规格文件时填写）"),
            unit="param", likely=("Gparam",), most=10**13,
        ),
        Field("weights", "choice", Text("its storage format; bf16 where not given", "草稿模型的存储格式；缺省为 bf16"), choices=STORED),
    ),
    table(
        "prefix_cache", Text("prefix cache; off where not given", "前缀缓存；不填即关闭"),
        share("hit", Text("share of the prompt found, on average", "输入中平均命中的比例"), required=True, zero=True),
    ),
    count(
        "chunk", "token",
        Text("prompt tokens of a step that also decodes (chunked prefill); off where not given",
             "与 decode 同步处理的输入 token 数（分块 prefill）；不填即关闭"),
        most=10**9,
    ),
    table(
        "disaggregation", Text("prefill on devices of its own; off where not given", "PD 分离：prefill 使用专用设备；不填即关闭"),
        count("prefill_devices", "device", Text("devices of one prefill replica", "一个 prefill 副本的设备数"), required=True, most=10**6),
        Field(
            "link", "quantity", Text("rate from one prefill replica to decode", "一个 prefill 副本到 decode 侧的带宽"),
            required=True, unit="byte/s", likely=("GB/s",), least=10**6, most=10**18,
        ),
    ),
    Field(
        "price", "quantity", Text("price of one device", "单设备价格"),
        unit="USD/hour/device", likely=("USD/hour/device",), zero=True, most=10**6,
    ),
    share("headroom", Text("largest busy share of a replica", "允许的最高忙时占比")),
    Field(
        "pue", "number",
        Text("power of the site over that of its devices", "机房总功耗与设备功耗之比（PUE）"),
        least=1, most=5,
    ),
    Field("date", "date", Text("date of the document", "文档日期")),
    NOTES,
)  # fmt: skip
