"""The keys of a model spec, and of a calibration."""

from __future__ import annotations

from derive.specs.fields import ALIASES, ID, NAME, NOTES, Field, count, figure, table
from derive.specs.precision import PRECISIONS, STORED
from derive.text import Text

_ELEMENTS, _ATTENTION = "element/token", "FLOP*request/token^2"
STRUCTURE = table(
    "structure", Text("what is not alike in every layer", "各层不一致之处"),
    count("experts", "", Text("routed experts of a layer", "每层路由专家数"), most=10**5),
    count(
        "experts_per_token", "", Text("routed experts one token activates", "每 token 激活的路由专家数"),
        most=10**5,
    ),
    figure(
        "expert_parameters", "param", Text("parameters of all routed experts", "全部路由专家的参数量"),
        likely=("param", "Gparam"), whole=True, most=10**15,
    ),
    count("expert_layers", "", Text("layers with routed experts; all where not given", "含路由专家的层数；缺省为全部层"), most=10**5),
    count(
        "experts_2", "",
        Text("the same in layers with another number of experts", "同上，另一种专家数的层"), most=10**5,
    ),
    count(
        "experts_2_per_token", "",
        Text("routed experts one token activates in such a layer", "每 token 在这类层激活的路由专家数"),
        most=10**5,
    ),
    figure(
        "expert_2_parameters", "param",
        Text("of these the parameters in such layers", "其中这类层的参数量"),
        likely=("param", "Gparam"), whole=True, most=10**15,
    ),
    figure(
        "tower_parameters", "param",
        Text("parameters of towers for images or sound", "图像、音频塔的参数量"),
        likely=("param", "Gparam"), whole=True, most=10**15,
    ),
    figure(
        "cache_elements", _ELEMENTS,
        Text("KV elements a token adds in layers without a window", "无窗口的层中每 token 增加的 KV 元素数"),
        likely=(_ELEMENTS,), zero=True, most=10**9,
    ),
    figure(
        "picked_elements", _ELEMENTS,
        Text("of these what a step reads only for tokens an indexer picks", "其中仅对索引器选出的 token 读取的元素数"),
        likely=(_ELEMENTS,), most=10**9,
    ),
    count(
        "picked_tokens", "token/request",
        Text("tokens the indexer picks at most", "索引器最多选出的 token 数"), most=10**9,
    ),
    figure(
        "picked_attention", _ATTENTION,
        Text("attention operations on picked tokens; `attention` is then the rest and the scores",
             "对选出 token 的注意力运算量；此时 attention 指其余部分与索引打分"),
        likely=(_ATTENTION,), most=10**12,
    ),
    figure(
        "shared_elements", _ELEMENTS,
        Text("KV elements that layers without a window read again from the cache of an earlier layer",
             "无窗口的层从更早层的 KV cache 再次读取的元素数"),
        likely=(_ELEMENTS,), zero=True, most=10**9,
    ),
    figure(
        "shared_window_elements", _ELEMENTS,
        Text("the same in layers with a window", "同上，有窗口的层"),
        likely=(_ELEMENTS,), zero=True, most=10**9,
    ),
    figure(
        "window_elements", _ELEMENTS,
        Text("KV elements a token adds in layers with a window", "有窗口的层中每 token 增加的 KV 元素数"),
        likely=(_ELEMENTS,), zero=True, most=10**9,
    ),
    count("window", "token/request", Text("tokens such a layer keeps", "这类层保留的 token 数"), most=10**9),
    figure(
        "window_2_elements", _ELEMENTS,
        Text("the same in layers with another window", "同上，另一种窗口的层"),
        likely=(_ELEMENTS,), most=10**9,
    ),
    count("window_2", "token/request", Text("tokens such a layer keeps", "这类层保留的 token 数"), most=10**9),
    figure(
        "compressed_elements", _ELEMENTS,
        Text("KV elements of compressed entries, per token they stand for",
             "压缩条目的 KV 元素数，按其代表的每个 token 计"),
        likely=(_ELEMENTS,), most=10**9,
    ),
    count(
        "tokens_per_entry", "token/request",
        Text("tokens that one entry stands for", "一个条目代表的 token 数"), most=10**9,
    ),
    figure(
        "compressed_2_elements", _ELEMENTS,
        Text("the same in layers that compress at another rate", "同上，另一种压缩率的层"),
        likely=(_ELEMENTS,), zero=True, most=10**9,
    ),
    count(
        "tokens_per_entry_2", "token/request",
        Text("tokens that one such entry stands for", "一个这类条目代表的 token 数"), most=10**9,
    ),
    figure(
        "state", "byte/request", Text("constant state of one request", "单请求的常量状态"),
        likely=("byte/request", "MB/request"), zero=True, most=10**12,
    ),
    figure(
        "attention", _ATTENTION,
        Text("decode attention operations per token and context token, layers without a window",
             "decode 中每 token、每上下文 token 的注意力运算量（无窗口的层）"),
        likely=(_ATTENTION,), zero=True, most=10**12,
    ),
    figure(
        "prefill_attention", _ATTENTION,
        Text("the same in prefill", "同上，prefill 中"), likely=(_ATTENTION,), zero=True, most=10**12,
    ),
    figure(
        "window_attention", _ATTENTION,
        Text("the same in layers with a window", "同上，有窗口的层"),
        likely=(_ATTENTION,), zero=True, most=10**12,
    ),
    figure(
        "window_2_attention", _ATTENTION,
        Text("the same in layers with another window", "同上，另一种窗口的层"),
        likely=(_ATTENTION,), zero=True, most=10**12,
    ),
    figure(
        "compressed_attention", _ATTENTION,
        Text("attention operations on compressed entries, per token they stand for",
             "对压缩条目的注意力运算量，按其代表的每个 token 计"),
        likely=(_ATTENTION,), zero=True, most=10**12,
    ),
    figure(
        "compressed_2_attention", _ATTENTION,
        Text("the same in layers that compress at another rate", "同上，另一种压缩率的层"),
        likely=(_ATTENTION,), zero=True, most=10**12,
    ),
    Field("latent", "bool", Text("the cache is a latent without heads", "KV cache 为不分头的潜向量")),
)  # fmt: skip
MODEL = (
    ID,
    NAME,
    ALIASES,
    Field("source", "keys", Text("source of every figure that names none", "未单独注明者的来源")),
    figure(
        "parameters", "param", Text("parameters resident in memory", "驻留显存的参数量"),
        required=True, likely=("param", "Gparam"), whole=True, least=10**3, most=10**15,
    ),
    figure(
        "active_parameters", "param",
        Text(
            "parameters one token activates; all of them where not given",
            "单 token 激活参数量；缺省为全部",
        ),
        likely=("param", "Gparam"), whole=True, most=10**15,
    ),
    figure(
        "matrix_parameters", "param",
        Text("parameters that multiply an activation, for one token", "单个 token 参与矩阵乘的参数量"),
        likely=("param", "Gparam"), whole=True, most=10**15,
    ),
    figure(
        "unread_parameters", "param",
        Text("parameters of tables that are looked up, where more than an untied input table",
             "只查表的参数量（不止未共享的输入词表时填写）"),
        likely=("param",), whole=True, most=10**15,
    ),
    count("layers", "", Text("layers", "层数"), required=True, most=10**5),
    count("d_model", "element/token", Text("hidden size", "隐藏维度"), required=True, most=10**7),
    count("query_heads", "", Text("query heads", "查询头数"), required=True, most=10**5),
    count("kv_heads", "", Text("key-value heads", "KV 头数"), most=10**5),
    count("d_head", "element/token", Text("head size", "每头维度"), most=10**6),
    STRUCTURE,
    count("vocab", "", Text("vocabulary", "词表大小"), most=10**9),
    Field("tied_embeddings", "bool", Text("input and output table are one", "输入输出词表共用")),
    figure(
        "embedding_parameters", "param", Text("parameters of the input table", "输入词表参数量"),
        likely=("param",), whole=True, most=10**15,
    ),
    Field(
        "native", "choice", Text("format of the published weights", "发布权重的格式"),
        required=True, choices=STORED,
    ),
    figure(
        "stored_bytes", "byte",
        Text("bytes of the published weights, scales included", "发布权重的字节数，含缩放因子"),
        likely=("byte", "GB"), whole=True, most=10**16,
    ),
    figure(
        "stored_expert_bytes", "byte", Text("of these the routed experts", "其中路由专家的字节数"),
        likely=("byte", "GB"), whole=True, most=10**16,
    ),
    figure(
        "stored_unread_bytes", "byte",
        Text("of these tables that are looked up", "其中只查表的字节数"),
        likely=("byte", "GB"), whole=True, zero=True, most=10**16,
    ),
    figure(
        "stored_tower_bytes", "byte",
        Text("of these towers for images or sound", "其中图像、音频塔的字节数"),
        likely=("byte", "GB"), whole=True, most=10**16,
    ),
    Field(
        "compute", "choice",
        Text("format of the products, where not that of the weights", "运算格式（与权重格式不同时填写）"),
        choices=PRECISIONS,
    ),
    Field(
        "kv_cache", "choice",
        Text("format of the KV cache that the publisher declares", "发布方声明的 KV cache 格式"),
        choices=STORED,
    ),
    count("context", "token/request", Text("longest context", "最长上下文"), most=10**9),
    NOTES,
)  # fmt: skip

MFU = Text("reachable share of peak compute", "峰值算力中可达的比例")
MBU = Text("reachable share of peak bandwidth", "峰值带宽中可达的比例")
LAUNCH = Field(
    "launch", "triple",
    Text("kernel-launch floor of one layer; that of public-2023 where not given",
         "每层的 kernel 启动下限；缺省取 public-2023 的值"),
    unit="s", likely=("µs",), most=1, figure=True,
)  # fmt: skip
CALIBRATION = (
    ID,
    NAME,
    Field("MFU", "triple", MFU, required=True, most=1, figure=True),
    Field("MBU", "triple", MBU, required=True, most=1, figure=True),
    LAUNCH,
    NOTES,
)
