"""What a spec file may say: one table per kind, from which validation and JSON Schema follow."""

from __future__ import annotations

from dataclasses import dataclass

from derive.specs.precision import BASES, PRECISIONS, STORED
from derive.specs.words import ENGINES, KINDS_OF_EVIDENCE, MEASURES, TERMS
from derive.text import Text, same


@dataclass(frozen=True)
class Field:
    """One key: how its value is read, its unit, whether it must be there, and what it means.

    kind: text, id, choice, bool, date, year, bilingual, notes, texts, keys (source keys), how,
    number (unit optional), quantity (unit required), triple (low, typical, high), table,
    reference (a name or a path), either (a name or the table of `fields`), choices (some of
    `choices`), rows (a list of tables), entries (with the place of each), others (of other sources),
    pairs (a mapping of texts) or words (a text, a list or a mapping of texts).
    """

    key: str
    kind: str
    means: Text
    required: bool = False
    unit: str = ""  # contract unit of the value, `implied` included
    implied: str = ""  # unit that the key adds: /device in hardware files, *request for TPOT
    likely: tuple[str, ...] = ()  # units to suggest for a bare number
    whole: bool = False
    quantiles: bool = False  # may be a mapping of quantiles: {p50: 512, p99: 16384}
    zero: bool = False
    least: int = 0  # smallest sensible value in `unit`
    most: int = 0  # largest sensible value in `unit`; 0 where there is none
    figure: bool = False  # may be a mapping: the value with its provenance
    disputed: bool = False  # the mapping may list what other sources print
    choices: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()
    basis: tuple[Text, ...] = ()
    bases: tuple[str, ...] = ()  # keys of the table that say what its figure means


DENSE = Text("dense", "稠密")
SPARSE = Text("with sparsity", "带稀疏")
ONE_WAY = Text("one direction", "单方向")
BOTH = Text("both directions", "双向合计")
PEAK = Text("datasheet peak", "标称峰值")
PER_DEVICE = Text("per device", "单设备")

ID = Field("id", "id", Text("name of this file", "文件名，即标识"), required=True)
NAME = Field("name", "bilingual", Text("display name", "显示名称"), required=True)
ALIASES = Field("aliases", "texts", Text("other names people type", "常用别名"))
NOTES = Field("notes", "notes", Text("remarks, disagreements of sources", "备注，来源之间的分歧"))

# Where a figure comes from: the keys beside `value`.
PROVENANCE = (
    Field("printed", "text", Text("as the source prints it", "来源原文")),
    Field("from", "how", Text("what a computed figure was computed from", "推算数值的由来")),
    Field("source", "keys", Text("keys of sources.yaml", "sources.yaml 中的来源键")),
    Field(
        "grade", "choice",
        Text("A vendor text, B two tables, C one", "A 厂商原文，B 两表一致，C 单一来源"),
        choices=("A", "B", "C"),
    ),
    Field("term", "choice", Text("what the source calls it", "来源的称呼"), choices=tuple(TERMS)),
    Field("basis", "choice", Text("evidence", "依据"), choices=tuple(KINDS_OF_EVIDENCE)),
    Field("note", "bilingual", Text("condition or remark", "条件或备注")),
)  # fmt: skip


# What another source prints for a figure: the keys beside its `value`.
OTHER = (
    *(f for f in PROVENANCE if f.key in ("printed", "note")),
    Field("source", "keys", Text("keys of sources.yaml", "sources.yaml 中的来源键"), required=True),
    Field(
        "same", "bool",
        Text("the same in another unit convention or rounding", "同一数值，只是单位约定或取整不同"),
    ),
    Field(
        "engine", "choice", Text("the other kind of units that it is the rate of", "该算力所属的另一类计算单元"),
        choices=tuple(ENGINES),
    ),
)  # fmt: skip
ALSO = Text("what other sources print", "其他来源的数值")


def figure(key: str, unit: str, means: Text, **more: object) -> Field:
    """A figure with its unit and, where given as a mapping, its provenance."""
    return Field(key, "quantity", means, unit=unit, figure=True, **more)  # type: ignore[arg-type]


def per_device(
    key: str, unit: str, means: Text, *, basis: tuple[Text, ...] = (), **more: object
) -> Field:
    """A figure of a hardware file: the key adds `/device`."""
    stated = (*basis, PER_DEVICE)
    return figure(
        key, f"{unit}/device", means, implied="1/device", basis=stated, disputed=True, **more
    )


def count(key: str, unit: str, means: Text, **more: object) -> Field:
    """A count: whole, at least 1, with or without its unit."""
    return Field(key, "number", means, unit=unit, whole=True, **more)  # type: ignore[arg-type]


def length(key: str, means: Text, **more: object) -> Field:
    """A length in tokens, with or without its unit; a mean may be a fraction."""
    return Field(key, "number", means, unit="token/request", most=10**9, **more)  # type: ignore[arg-type]


def lengths(key: str, means: Text) -> Field:
    """A length in tokens, or quantiles of it: {p50: 512, p90: 4096}."""
    return length(key, means, required=True, least=1, quantiles=True)


def share(key: str, means: Text, **more: object) -> Field:
    """A ratio above 0 up to 1."""
    return Field(key, "number", means, most=1, **more)  # type: ignore[arg-type]


def table(key: str, means: Text, *fields: Field, **more: object) -> Field:
    """A nested mapping."""
    return Field(key, "table", means, fields=fields, **more)  # type: ignore[arg-type]


_RATE = ("TFLOP/s", "PFLOP/s")
_peaks = tuple(
    table(
        precision,
        Text(f"peak compute in {precision}", f"{precision} 峰值算力"),
        Field("engine", "choice", Text("units", "计算单元"), choices=tuple(ENGINES)),
        per_device(
            "dense", "FLOP/s", Text("without sparsity", "不带稀疏"),
            likely=_RATE, least=10**9, most=10**21, basis=(DENSE, PEAK),
        ),
        per_device(
            "with_sparsity", "FLOP/s", Text("with structured sparsity", "带结构化稀疏"),
            likely=_RATE, least=10**9, most=10**21, basis=(SPARSE, PEAK),
        ),
        basis=(same(precision),),
        bases=BASES,
    )
    for precision in PRECISIONS
)  # fmt: skip
_DOMAIN = (
    Field("name", "text", Text("as it is sold", "产品名称"), required=True),
    count("devices", "device", Text("devices in it", "其中的设备数"), required=True, least=2, most=10**6),
    Field("all_to_all", "bool", Text("each reaches each at its full link rate", "任意两设备间均可达满互联带宽")),
)  # fmt: skip

_BYTES_PER_SECOND = ("TB/s", "GB/s")
HARDWARE = (
    ID,
    NAME,
    Field("vendor", "text", Text("vendor", "厂商")),
    Field("year", "year", Text("year of release, not graded", "发布年份（未定级）")),
    ALIASES,
    table("peak", Text("peak compute by precision", "各精度峰值算力"), *_peaks),
    Field(
        "lacks", "choices", Text("precisions that its units do not have", "计算单元不支持的精度"),
        choices=PRECISIONS,
    ),
    Field(
        "sold_as", "choice", Text("how one device is counted; a card where left out", "单个设备的计数方式，缺省为卡"),
        choices=tuple(MEASURES),
    ),
    Field(
        "other_builds", "bool",
        Text("the name covers builds that this spec does not", "同名还有本规格未收录的版本"),
    ),
    Field(
        "domains", "rows", Text("systems that one link joins", "由同一互联组成的系统"), fields=_DOMAIN
    ),
    table(
        "memory", Text("device memory", "显存"),
        Field("type", "text", Text("memory type", "显存类型")),
        per_device(
            "marketed", "byte", Text("capacity as marketed", "标称容量"),
            required=True, likely=("GB", "GiB"), least=10**8, most=10**16,
            basis=(Text("marketed", "标称"),),
        ),
        per_device(
            "driver_visible", "byte", Text("capacity as the driver reports it", "驱动可见容量"),
            likely=("MiB", "GiB", "GB"), least=10**8, most=10**16,
            basis=(Text("driver-visible", "驱动可见"),),
        ),
        per_device(
            "bandwidth", "byte/s", Text("peak memory bandwidth", "显存带宽峰值"),
            required=True, likely=_BYTES_PER_SECOND, least=10**6, most=10**18, basis=(PEAK,),
        ),
        required=True,
    ),
    table(
        "interconnect", Text("link between devices", "设备间互联"),
        Field("type", "text", Text("link type", "互联类型")),
        per_device(
            "per_direction", "byte/s", Text("one direction", "单方向"),
            likely=_BYTES_PER_SECOND, least=10**6, most=10**18, basis=(ONE_WAY, PEAK),
        ),
        per_device(
            "total", "byte/s", Text("both directions together", "双向合计"),
            likely=_BYTES_PER_SECOND, least=10**6, most=10**18, basis=(BOTH, PEAK),
        ),
    ),
    per_device("power", "W", Text("power limit", "功耗上限"), likely=("W",), most=10**6),
    NOTES,
)  # fmt: skip

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

_MFU = Text("reachable share of peak compute", "峰值算力中可达的比例")
_MBU = Text("reachable share of peak bandwidth", "峰值带宽中可达的比例")
LAUNCH = Field(
    "launch", "triple",
    Text("kernel-launch floor of one layer; that of public-2023 where not given",
         "每层的 kernel 启动下限；缺省取 public-2023 的值"),
    unit="s", likely=("us",), most=1, figure=True,
)  # fmt: skip
CALIBRATION = (
    ID,
    NAME,
    Field("MFU", "triple", _MFU, required=True, most=1, figure=True),
    Field("MBU", "triple", _MBU, required=True, most=1, figure=True),
    LAUNCH,
    NOTES,
)

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
            Field("MFU", "triple", _MFU, required=True, most=1, figure=True),
            Field("MBU", "triple", _MBU, required=True, most=1, figure=True),
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

_says = Text("the figure as printed, words around it included", "所印数值，含其前后文字")
_expects = Text(
    "verdict that a test expects; never used in judging", "测试所期待的结论，不参与判定"
)
CLAIM = (
    Field("id", "text", Text("name of the claim", "论断的标识")),
    Field("text", "text", Text("the claim in words", "论断原文")),
    Field("paraphrases", "texts", Text("the same claim in other words", "同一论断的其他说法")),
    Field("subject", "text", Text("hardware and model it speaks of", "所述硬件与模型")),
    Field("quantity", "text", Text("symbol of the notation, a role, or an expression", "符号、角色名或表达式")),
    Field("value", "text", _says),
    Field("printed", "text", _says),
    Field("given", "pairs", Text("symbol or product of symbols: its quantity", "符号或符号之积：其数值与单位")),
    Field("conditions", "words", Text("precision, sparsity, scope and the like", "精度、稀疏、范围等口径")),
    Field("formula", "text", Text("a formula, plain or LaTeX", "公式，纯文本或 LaTeX")),
    Field("source", "words", Text("where it was said", "出处")),
    Field("note", "text", Text("remark", "备注")),
    Field("exact", "text", Text("the value by exact arithmetic, for readers", "精确值，供读者参考")),
    Field("reads_as", "text", Text("the quantity that the text stands for", "原文所表示的数值")),
    Field("expect", "words", _expects),
    Field("verdict", "words", _expects),
)  # fmt: skip
CLAIMS = (
    Field("id", "id", Text("name of this file", "文件名，即标识")),
    Field("title", "bilingual", Text("title of the collection", "标题")),
    *(
        Field(key, "entries", Text("claims to audit", "待审计的论断"), fields=CLAIM)
        for key in ("claims", "cases", "figures")
    ),
)

KINDS: dict[str, tuple[Field, ...]] = {
    "hardware": HARDWARE,
    "model": MODEL,
    "calibration": CALIBRATION,
    "scenario": SCENARIO,
    "claims": CLAIMS,
}
